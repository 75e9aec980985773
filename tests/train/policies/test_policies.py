"""Learned policies on disk, their exact evaluation, and pictures of runs."""

import sys
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from thinning import each_row

from baselines import exploitability, make_policy, solve
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from train.measures.exact import evaluate, reference, verdict
from train.measures.measure import effort
from train.policies.by_word import policy_from
from train.policies.files import load_policy, save_policy
from train.policies.lookahead import LookaheadPolicy, ValueNetworks
from train.policies.networks import ROWS, GreedyPolicy, MatrixPolicy, MirroredMatrixPolicy, Network, SoftmaxPolicy
from train.reports.groups import read_run
from train.storage.archive import Archive, read_archive, write_archive

GAME = make_game("jujitsu", num_cards=3)
UNLIKE = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))


WAR = make_game("war")
PARTS = {"width": 8, "layers": 2, "outputs": 37, "activation": "tanh", "scaled": True, "parts": True}


def random_policy(kind, game=GAME):
    torch.manual_seed(0)
    if kind is LookaheadPolicy:
        return lookahead_policy(game, 8)
    outputs = game.facts.num_actions**2 if issubclass(kind, MatrixPolicy) else None
    network = Network(game, 8, 2, outputs, "tanh") if outputs else Network.of_actions(game, 8, 2, "tanh")
    return kind(game, network)


def lookahead_policy(game, width):
    networks = ValueNetworks(game, width, 2)
    for moves_left in range(1, game.num_cards):
        networks.add(moves_left, like=None)
    return LookaheadPolicy(game, networks)


def random_views(game):
    """What players 0 see who have a choice, in some games of uniform play."""
    observations, masks = (each[:, 0] for each in GameBatch(game, 12, seed=0, start="random").reset())
    return observations[masks.any(axis=1)], masks[masks.any(axis=1)]


@each_row(
    ("kind", "game"),
    [
        *((kind, GAME) for kind in (MatrixPolicy, MirroredMatrixPolicy, SoftmaxPolicy, GreedyPolicy, LookaheadPolicy)),
        (SoftmaxPolicy, WAR),
        (GreedyPolicy, WAR),
        (SoftmaxPolicy, make_game("oshi_zumo", coins=100)),  # many actions without parts
    ],
)
def test_a_policy_comes_back_as_it_was(tmp_path, kind, game):
    policy, (observations, masks) = random_policy(kind, game), random_views(game)
    save_policy(tmp_path / "policy.safetensors", policy)
    expected = policy.action_probabilities(observations, masks)
    for path in (tmp_path, str(tmp_path / "policy.safetensors")):
        assert np.array_equal(load_policy(path, game).action_probabilities(observations, masks), expected)
    assert expected.sum(axis=1) == pytest.approx(1.0)
    assert not expected[masks == 0].any()
    if game is WAR:
        assert policy.network.architecture == PARTS
    else:
        assert policy.action_probabilities(observations[:0], masks[:0]).shape == (0, game.facts.num_actions)


def test_both_seats_of_a_mirrored_policy_solve_the_same_matrix_games():
    policy = random_policy(MirroredMatrixPolicy)
    seen, _ = GameBatch(GAME, 100, seed=0, start="random").reset()
    first, second = policy.payoffs(seen[:, 0]), policy.payoffs(seen[:, 1])
    assert np.array_equal(first, -second.transpose(0, 2, 1))
    alike = (seen[:, 0] == seen[:, 1]).all(axis=1)
    assert 0 < alike.sum() < 100
    assert first.any()


def test_policies_with_equal_content_are_files_with_equal_bytes(tmp_path):
    policy = random_policy(SoftmaxPolicy)
    for number in range(8):
        save_policy(tmp_path / str(number), policy, {"args": {"steps": 3}}, 3)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda tensors: {name: each for name, each in tensors.items() if name != "2.1.bias"}, "do not fit networks"),
        (lambda tensors: tensors | {"07.1.bias": tensors["2.1.bias"].clone()}, "do not fit networks"),
        (lambda tensors: tensors | {"late.1.bias": tensors["2.1.bias"].clone()}, "invalid literal for int"),
    ],
)
def test_incomplete_networks_of_state_values_are_refused(tmp_path, changed, message):
    save_policy(tmp_path / "policy.safetensors", random_policy(LookaheadPolicy))
    tensors, data = read_archive(tmp_path / "policy.safetensors")
    write_archive(tmp_path / "policy.safetensors", Archive(changed(tensors), data))
    with pytest.raises(ValueError, match=message):
        load_policy(tmp_path, GAME)


def test_a_policy_is_refused_by_another_game(tmp_path):
    save_policy(tmp_path / "policy.safetensors", random_policy(SoftmaxPolicy))
    for other in (make_game("jujitsu", num_cards=4), make_game("jujitsu", num_cards=3, ties="discard")):
        with pytest.raises(ValueError, match=r"was learned for jujitsu v0 with num_cards=3, .*, not for jujitsu v0"):
            load_policy(tmp_path, other)


def test_what_is_not_a_policy_is_refused(tmp_path):
    with pytest.raises(ValueError, match="contains no learned policy"):
        load_policy(tmp_path, GAME)
    with pytest.raises(ValueError, match="is missing or damaged"):
        load_policy(tmp_path / "policy.safetensors", GAME)
    write_archive(tmp_path / "other", Archive({}, {"rows": []}))
    with pytest.raises(ValueError, match="contains a policy of format"):
        load_policy(tmp_path / "other", GAME)
    with ZipFile(tmp_path / "model.zip", "w") as file:
        file.writestr("data", "{}")
    with pytest.raises(ValueError, match="is a zip archive, such as a model of stable-baselines3"):
        load_policy(tmp_path / "model.zip", GAME)


@each_row("name", ["n.onnx", "t.npy", "p.pt", "p.zip.pt", "policy", "empty.json"])
def test_files_of_other_kinds_are_refused_with_what_can_be_given(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"" if name == "empty.json" else b"\x08\x07\x12\x07pytorch" * 9)
    if name == "p.zip.pt":
        with ZipFile(path, "w") as file:
            file.writestr("data", "{}")
    with pytest.raises(ValueError, match=r"is not a policy file; give a policy's name, a run folder, .* module:Class"):
        load_policy(path, GAME)


def test_a_file_of_tensors_from_elsewhere_is_refused_with_what_can_be_given(tmp_path):
    save_file({"weights": torch.zeros(3)}, tmp_path / "weights.safetensors")
    with pytest.raises(ValueError, match=r"its checksum is missing or does not match; give a policy's name"):
        load_policy(tmp_path / "weights.safetensors", GAME)


@each_row("run", [None, {}, [], {"args": 3}, {"args": {}}])
def test_a_policy_with_steps_needs_those_of_its_run(tmp_path, run):
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(SoftmaxPolicy), run=None, steps=3)
    tensors, data = read_archive(path)
    write_archive(path, Archive(tensors, data if run is None else {**data, "run": run}))
    with pytest.raises(ValueError, match=r"steps \(3\) and the steps of its run \(None\) must be integers"):
        load_policy(path, GAME)


def test_the_equilibrium_guarantees_the_value_from_either_seat():
    evaluation = evaluate(UNLIKE, solve(UNLIKE).policy)
    # Every way to meet (1, 3, 5) with (2, 3, 6) is equally good: D/n = 2/3 (Fetterman 2023, section 3)
    assert evaluation.guarantees == pytest.approx((2 / 3, -2 / 3))
    assert min(evaluation.guarantees) == pytest.approx(-2 / 3)
    assert evaluation.exploitability == pytest.approx(0.0, abs=1e-12)
    assert reference(UNLIKE)["value"] == pytest.approx(2 / 3)


def test_the_verdict_says_it_all():
    evaluation = evaluate(GAME, make_policy("highest_card", GAME))
    assert verdict(GAME, "Practice", evaluation, effort({"steps": 12_000, "seconds": 3.4, "cpu_seconds": 2.6})) == (
        "jujitsu num_cards=3 has the value 0.0000 to player_0. "
        "The policy that Practice learned in 12,000 steps and 3 s (3 s of CPU time to learn) guarantees -1.0000 as "
        "player_0 and -1.0000 as player_1. Its exploitability is 1.0000 payoff points; uniform play's is 0.5000, "
        "optimal play's 0."
    )


def test_games_without_exploitability_are_refused():
    game = make_game("lowest_unique", numbers=3)
    with pytest.raises(ValueError, match="exploitability is for two-player zero-sum games"):
        evaluate(game, make_policy("uniform", game))


@each_row("version", ["0", 0.0, True, None])
def test_a_version_that_is_no_integer_is_shown_as_it_is(tmp_path, version):
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(SoftmaxPolicy))
    tensors, data = read_archive(path)
    write_archive(path, Archive(tensors, {**data, "version": version}))
    with pytest.raises(ValueError, match=rf"version {version!r}, which must be an integer"):
        load_policy(path, GAME)


def test_a_device_is_not_to_be_resumed():
    with pytest.raises(ValueError, match=r"/dev/null is a device, neither a policy file nor the folder of a run$"):
        load_policy("/dev/null", GAME)
    with pytest.raises(ValueError, match=r"/dev/null is a device, not a run folder$"):
        read_run("/dev/null")


@pytest.mark.parametrize("kind", [MatrixPolicy, MirroredMatrixPolicy, LookaheadPolicy])
def test_strategies_of_matrix_games_do_not_depend_on_the_batch(kind):
    """In single precision they differ in the seventh digit, and far more where a matrix game is nearly degenerate."""
    game = make_game("jujitsu", num_cards=5)
    torch.manual_seed(3)
    policy = kind(game, Network(game, 64, 2, 25, "relu")) if kind is not LookaheadPolicy else lookahead_policy(game, 64)
    _, observations, masks = full_graph(game).seen_by(0)
    together = policy.action_probabilities(observations, masks)
    some = range(0, len(masks), 37)
    alone = [policy.action_probabilities(observations[i : i + 1], masks[i : i + 1])[0] for i in some]
    assert len(alone) > 20
    assert np.abs(together[some] - alone).max() < 1e-9


def test_outputs_do_not_depend_on_the_number_of_threads_or_the_batch():
    network, before = random_policy(SoftmaxPolicy, make_game("jujitsu", num_cards=6)).network, torch.get_num_threads()
    seen = np.random.default_rng(0).integers(3, size=(5 * ROWS + 7, 14)).astype(np.float32)
    answers = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            answers.append(network.outputs(seen).tobytes())
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert len(set(answers)) == 1
    pieces = [network.outputs(seen[first : first + ROWS]) for first in range(0, len(seen), ROWS)]
    assert np.concatenate(pieces).tobytes() == answers[0]


def test_a_class_of_the_users_is_a_policy_by_its_module_and_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_policies.py").write_text(
        "class First:\n"
        "    def action_probabilities(self, observations, masks):\n"
        "        return (masks.cumsum(axis=1) == 1) & (masks == 1)\n\n"
        "class OfTheGame(First):\n"
        "    def __init__(self, game):\n"
        "        assert game.num_cards == 3\n\n"
        "made, number = First(), 5\n"
    )
    game = make_game("jujitsu", num_cards=3)
    lowest = exploitability(game, "lowest_card")
    for word in ("my_policies:First", "my_policies:OfTheGame", "my_policies:made"):
        assert exploitability(game, policy_from(word, game)) == lowest
    for word, reason in (("my_policies:Second", "has no 'Second'"), ("my_policies:number", "must be a name or have")):
        with pytest.raises(ValueError, match=reason):
            policy_from(word, game)
    monkeypatch.delitem(sys.modules, "my_policies")


def test_a_class_is_called_with_the_game_and_its_errors_are_one_line(tmp_path, monkeypatch):
    (tmp_path / "own_made.py").write_text(
        "class Told:\n"
        "    def __init__(self, size=2, game=None):\n"
        "        self.seen = game\n"
        "    def action_probabilities(self, observations, masks):\n"
        "        return masks\n"
        "class Broken:\n"
        "    def __init__(self):\n"
        "        {}['key']\n"
    )
    monkeypatch.chdir(tmp_path)
    assert policy_from("own_made:Told", GAME).seen is GAME
    with pytest.raises(ValueError, match=r"^own_made:Broken cannot be made: KeyError: 'key' \(.*own_made.py:8\)$"):
        policy_from("own_made:Broken", GAME)
