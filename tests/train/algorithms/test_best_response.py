"""Best responses learned by PPO: the games they are learned in, what is said of them, runs of theirs."""

import shutil

import command
import numpy as np
import pytest
import torch
from brute_force import mean_payoff
from thinning import each_row

from baselines import best_response, make_policy
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents
from train.algorithms.registry import ALGORITHMS
from train.policies.by_word import policy_from
from train.policies.networks import GreedyPolicy, SoftmaxPolicy
from train.runs.loop import run
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)
ENTRY = ALGORITHMS["best_response"]
SMALL = {"steps": 320, "evaluate_every": 100, "num_games": 20, "rollout": 5, "batch_size": 50, "width": 8}


def learner(game=GAME, **values):
    return ENTRY.learner(game, ENTRY.args(**values), seed=0)


def test_an_opponent_is_drawn_for_each_game_and_plays_all_of_it():
    policies = [make_policy(name, GAME) for name in ("highest_card", "lowest_card")]
    count = 2000
    # In the first seat mostly the one, in the second mostly the other.
    opponents = Opponents(policies, np.array([[0.9, 0.1], [0.3, 0.7]]))
    envs = AgainstVecEnv(GameBatch(GAME, count, seed=0), opponents, seed=0)
    envs.reset()
    games = []
    for _ in range(2):
        for card in (1, 2, 0):  # against 3, 2, 1: lost, won, tied; against 1, 2, 3: won, won, lost
            _, rewards, _, _ = envs.step(np.full(count, card))
        assert set(rewards.tolist()) == {0.0, 1.0}
        games.append(rewards)
    lowest = np.mean(games, axis=0)
    assert lowest[0::2].mean() == pytest.approx(0.7, abs=0.04)
    assert lowest[1::2].mean() == pytest.approx(0.1, abs=0.03)
    assert (games[0] != games[1])[0::2].mean() == pytest.approx(2 * 0.7 * 0.3, abs=0.05)


def test_games_begin_with_a_reset():
    envs = AgainstVecEnv(GameBatch(GAME, 1, seed=0), Opponents.of("uniform", GAME), seed=0)
    with pytest.raises(ValueError, match="reset must be called before the first step"):
        envs.step(np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("opponent", [pytest.param("uniform", marks=pytest.mark.wide), "highest_card"])
def test_a_best_response_is_found_on_three_cards(opponent):
    learning = learner(steps=2500, num_games=64, batch_size=64, width=32, learning_rate=0.005, opponent=opponent)
    figures = learning.advance(2500)
    assert figures["share"] == pytest.approx(1.0)
    assert figures["sampled_share"] > 0.6


def test_figures_are_those_of_following_every_course_of_play():
    game = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    learning = learner(game, **SMALL | {"opponent": "highest_card"})
    figures, opponent = learning.advance(320), make_policy("highest_card", game)
    network = learning.policy().network
    for name, policy in (("payoff", GreedyPolicy(game, network)), ("sampled", SoftmaxPolicy(game, network))):
        assert figures[f"{name}_0"] == pytest.approx(mean_payoff(game, (policy, opponent), 0))
        assert figures[f"{name}_1"] == pytest.approx(mean_payoff(game, (opponent, policy), 1))
    best = [best_response(game, opponent, player).value for player in (0, 1)]
    assert [figures["best_0"], figures["best_1"]] == pytest.approx(best)
    got = figures["payoff_0"] + figures["payoff_1"]
    assert figures["shortfall"] == pytest.approx((sum(best) - got) / 2)
    assert figures["share"] == pytest.approx(got / sum(best))
    assert figures["shortfall"] >= 0.0


def test_there_is_no_share_of_nothing():
    figures = learner(**SMALL | {"opponent": "equilibrium"}).advance(100)
    assert figures["best_0"] == pytest.approx(0.0, abs=1e-9)
    assert not {"share", "sampled_share"} & figures.keys()


def test_the_policy_learned_is_the_greedy_one():
    learning = learner(**SMALL)
    learning.advance(100)
    policy = learning.policy()
    _, observations, masks = full_graph(GAME).seen_by(0)
    sampled = SoftmaxPolicy(GAME, policy.network).action_probabilities(observations, masks)
    greedy = policy.action_probabilities(observations, masks)
    assert np.array_equal(greedy, np.eye(3)[sampled.argmax(axis=1)])
    distribution = learning._model.policy.get_distribution(torch.from_numpy(observations), masks)
    assert sampled == pytest.approx(distribution.distribution.probs.detach().numpy(), abs=1e-6)


@each_row("opponent", ["nobody", "runs/nowhere"])
def test_an_unknown_opponent_is_refused_before_anything_is_written(tmp_path, opponent):
    with pytest.raises(ValueError, match=opponent):
        run(GAME, "best_response", ENTRY.args(opponent=opponent), tmp_path / "run")
    assert not list(tmp_path.iterdir())


@each_row("opponent", ["", 3, None, ["uniform"]])
def test_an_opponent_is_a_word(opponent):
    with pytest.raises(ValueError, match=r"opponent \(.*\) must (be a string|not be empty)"):
        ENTRY.args(opponent=opponent)


def test_the_command_takes_an_opponent(tmp_path, capsys):
    options = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = ["train", "jujitsu", "num_cards=3", "--algorithm", "best_response", "--out", str(tmp_path / "run")]
    code, out, _ = command.run(capsys, *words, *options, "--opponent", "lowest_card")
    assert code == 0
    out = " ".join(out.split())
    assert "PPO best response learned in 400 steps" in out
    last = RunFolder(tmp_path / "run").read_metrics()[-1]
    got, share = (last["payoff_0"] + last["payoff_1"]) / 2, last["share"]
    assert f"against its opponent it gets {got:.4f}, {share:.1%} of it, where a best response gets 1.0000" in out
    assert RunFolder(tmp_path / "run").config()["args"]["opponent"] == "lowest_card"
    code, out, _ = command.run(capsys, "train", "jujitsu", "--algorithm", "best_response", "--list-options")
    assert (code, "--opponent" in out, "policy to exploit" in out) == (0, True, True)


def test_a_run_does_not_go_on_against_another_opponent(tmp_path):
    run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(steps=3), tmp_path / "cfr")
    args = ENTRY.args(**SMALL | {"opponent": str(tmp_path / "cfr")})
    result = run(GAME, "best_response", args, tmp_path / "run")
    expected = best_response(GAME, policy_from(str(tmp_path / "cfr"), GAME), 1).value
    assert RunFolder(result.folder).read_metrics()[-1]["best_1"] == expected > 0.0
    before = (tmp_path / "run" / "metrics.csv").read_bytes()
    shutil.rmtree(tmp_path / "cfr")
    run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(steps=4), tmp_path / "cfr")
    with pytest.raises(ValueError, match=r"opponent .*cfr has changed since the run started: it plays differently now"):
        run(GAME, "best_response", args, tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "metrics.csv").read_bytes() == before
