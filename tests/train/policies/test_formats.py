"""Policies of other programs: a policy that is written in any form and read again has the same figures."""

import csv
import io
import json
import re
import sys
import warnings
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from command import run, run_refused
from thinning import each_row

import baselines
from cardwar_envs import make_game
from train.policies import table_files
from train.policies.by_word import policy_from
from train.policies.files import save_policy
from train.policies.functions import FunctionPolicy
from train.policies.networks import Network, SoftmaxPolicy
from train.policies.table import LearnedTable
from train.policies.table_files import export_policy, load_table

JUJITSU = make_game("jujitsu", num_cards=3)
POKER = make_game("dice_poker", sides=3)
GAMES = [JUJITSU, POKER, make_game("liars_dice").smallest(), make_game("lowest_unique").smallest()]
ENDINGS = (".csv", ".json")


class Mixes:
    """A random mix for each observation."""

    def action_probabilities(self, observations, action_masks):
        seeds = (observations + np.float32(0.0)).view(np.uint32).tolist()
        drawn = np.stack([np.random.default_rng(seed).random(action_masks.shape[1]) for seed in seeds]) * action_masks
        return drawn / drawn.sum(axis=1, keepdims=True)


def network(game=JUJITSU):
    torch.manual_seed(0)
    return SoftmaxPolicy(game, Network.of_actions(game, 8, 2, "tanh"))


def nash_conv(game, policy):
    return baselines.nash_conv(game, policy).total


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_has_the_policys_figures(tmp_path, game, ending):
    path = tmp_path / f"table{ending}"
    export_policy(Mixes(), game, path)
    assert nash_conv(game, policy_from(str(path), game)) == pytest.approx(nash_conv(game, Mixes()), abs=1e-12)


def test_a_table_is_readable(tmp_path, capsys):
    out = str(tmp_path / "table.csv")
    run(capsys, "export", "dice_poker", "sides=3", "--policy", "uniform", "--out", out)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert [*rows[0]] == ["game", "state", "observation", "p(check/fold)", "p(raise/call)"]
    seen = "You check or raise; you rolled 1; opponent rolled ?"
    assert [*rows[0].values()][:3] == ["dice_poker sides=3", seen, "1.0 0.0"]
    assert float(rows[0]["p(raise/call)"]) == 0.5
    message = run_refused(capsys, "export", "dice_poker", "--policy", "uniform", "--out", out, "--kind", "mixed")
    assert "--kind (mixed) cannot be combined with --policy" in message


@pytest.mark.filterwarnings("default")  # which the command prints
def test_what_a_table_lacks_stays_missing(tmp_path, capsys):
    export_policy(Mixes(), JUJITSU, tmp_path / "all.json")
    content = json.loads((tmp_path / "all.json").read_text())
    content["states"] = [row for row in content["states"] if len(row["probabilities"]) == 3]
    (tmp_path / "some.json").write_text(json.dumps(content))
    some = load_table(tmp_path / "some.json", JUJITSU)
    with pytest.warns(UserWarning, match="some.json has 1 of the"):
        export_policy(some, JUJITSU, tmp_path / "again.csv")
    again = policy_from(str(tmp_path / "again.csv"), JUJITSU)
    learned = LearnedTable(
        JUJITSU, np.array([row["observation"] for row in content["states"]], np.float32), np.eye(3)[:1]
    )
    assert nash_conv(JUJITSU, learned) > 0.0  # warns only if it was read from a file
    save_policy(tmp_path / "learned.safetensors", learned)
    for policy in (some, again, policy_from(str(tmp_path / "learned.safetensors"), JUJITSU)):
        with pytest.warns(UserWarning, match=r"has 1 of the \d+ observations queried"):
            nash_conv(JUJITSU, policy)
    game, word = ("jujitsu", "num_cards=3"), str(tmp_path / "some.json")
    for words in (
        ["exploit", *game, "--policy", word],
        ["match", *game, word, "uniform"],
        ["watch", *game, word, "uniform"],
    ):
        _, _, err = run(capsys, *words)
        assert re.fullmatch(rf"cardwar: warning: {word} has 1 of the \d+ .*\n", err)


GOOD = {"observations": [[1, 0], [2, 0]], "probabilities": [[0.5, 0.5], [0.25, 0.75]]}
HEAD, LINE = "observation,p(check/fold),p(raise/call)", "1 0,0.5,0.5"
STATE = {"observation": [1, 0], "probabilities": {"check/fold": 1}}


def arrays(**changed):
    file = io.BytesIO()
    np.savez(file, **{name: np.array(each) for name, each in (GOOD | changed).items() if each is not None})
    return file.getvalue()


def huge():
    """An .npz whose array claims 10^12 rows."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f4", "fortran_order": False, "shape": (10**12, 2)})
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("observations.npy", content.getvalue())
        archive.writestr("probabilities.npy", content.getvalue())
    return file.getvalue()


def states(*rows, **more):
    return json.dumps({"states": list(rows), **more})


@each_row(
    ("name", "content", "reason"),
    [
        (".npz", arrays(probabilities=[[0.5, 0.5]]), r"shapes (2, 2) and (1, 2) does not fit dice_poker"),
        (".npz", arrays(observations=[[1, 0, 0], [2, 0, 0]]), "shapes (2, 3) and (2, 2) does not fit"),
        (".npz", arrays(observations=[1, 0]), "shapes (2,) and (2, 2) does not fit"),
        (".npz", arrays(observations=[[1, np.nan], [2, 0]]), "an observation of its table is not finite"),
        (".npz", arrays(observations=[[1e300, 0], [2, 0]]), "an observation of its table is not finite"),
        (".npz", arrays(observations=[[1, 0], [1, -0.0]]), "an observation has two rows"),
        (".npz", arrays(probabilities=[[0.5, 0.5], [np.nan, 1]]), "not a probability distribution"),
        (".npz", arrays(probabilities=[[0.5, 0.5], [-0.5, 1.5]]), "not a probability distribution"),
        (".npz", arrays(probabilities=[[0.5, 0.5], [0.5, 0.4]]), "not a probability distribution"),
        (".npz", arrays(probabilities=[["a", "0"], ["1", "0"]]), "could not convert string to float"),
        (".npz", arrays(probabilities=[[{}, {}], [{}, {}]]), "Object arrays cannot be loaded when allow_pickle=False"),
        (".npz", arrays(probabilities=None), "probabilities is not a file in the archive"),
        (".npz", arrays(game="dice_poker sides=4"), "for the game 'dice_poker sides=4', not for 'dice_poker sides=3'"),
        (".npz", arrays()[:-30], "File is not a zip file"),
        (".npz", huge(), "does not contain a table"),
        (".csv", f"{HEAD}\n{LINE[:-4]}\n", "not a probability distribution"),
        (".csv", f"{HEAD}\n1 0,=1/2,0.5\n", "could not convert string to float: '=1/2'"),
        (".csv", f"{HEAD}\n1 zero,0.5,0.5\n", "could not convert string to float: 'zero'"),
        (".csv", f"{HEAD},p(fold)\n{LINE},0.1\n", "unknown move 'fold'"),
        (".csv", f"{HEAD}\n{LINE}\n".replace(",", ";"), "it has no 'observation'"),
        (".csv", f"game,{HEAD}\ndice_poker sides=3,{LINE}\nb,2 0,1,0\n", "it is for the game 'b'"),
        (".csv", HEAD, "shapes (0,) and (0,) does not fit"),
        (".csv", "\x00", "does not contain a table"),
        (".json", states(STATE | {"probabilities": {"bluff": 1}}), "unknown move 'bluff'"),
        (".json", states(STATE | {"observation": ["a", 0]}), "could not convert string to float: 'a'"),
        (".json", states(STATE, game="war"), "for the game 'war'"),
        (".json", states(STATE)[:-1], "delimiter"),
        (".json", "[" * 100_000, "does not contain a table"),
    ],
)
def test_damaged_tables_are_refused_in_one_line(tmp_path, name, content, reason):
    path = tmp_path / f"table{name}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=re.escape(reason)) as refused:
        policy_from(str(path), POKER)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_arrays_that_are_too_large_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "MOST_BYTES", 5000)
    np.savez_compressed(tmp_path / "table.npz", observations=np.zeros(10_000))
    with pytest.raises(ValueError, match="its arrays have more than 5,000 bytes"):
        load_table(tmp_path / "table.npz", POKER)


def onnx_file(path, policy, output="logits", free=True):
    """Writes a network as torch does."""
    free = {"observations": {0: "batch"}, output: {0: "batch"}} if free else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the newer exporter takes 11 s
        torch.onnx.export(
            policy.network, (torch.zeros(1, policy.game.facts.observation_size),), path, input_names=["observations"],
            output_names=[output], dynamic_axes=free, dynamo=False,
        )  # fmt: skip
    return str(path)


def torchscript_file(path, module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.save(torch.jit.script(module), path)
    return str(path)


@pytest.mark.parametrize("game", GAMES[:2], ids=lambda game: game.facts.name)
def test_a_network_has_the_policys_figures(tmp_path, monkeypatch, game):
    policy = network(game)
    script = torchscript_file(tmp_path / "net.pt", torch.nn.Sequential(*policy.network)) + ":logits"
    monkeypatch.setattr(sys, "argv", ["cardwar", "exploit", f"--policy={script}"])
    for word in (onnx_file(tmp_path / "net.onnx", policy) + ":logits", script):
        found = policy_from(word, game)
        assert nash_conv(game, found) == pytest.approx(nash_conv(game, policy), abs=1e-5)


def test_a_network_says_what_its_output_is(tmp_path, monkeypatch):
    policy = network()
    path = onnx_file(tmp_path / "net.onnx", policy, output="x")
    with pytest.raises(ValueError, match=r"is not a policy file; .*FILE\.onnx:logits"):
        policy_from(path, JUJITSU)
    assert nash_conv(JUJITSU, policy_from(f"{path}:logits", JUJITSU)) == pytest.approx(
        nash_conv(JUJITSU, policy), abs=1e-5
    )
    with pytest.raises(ValueError, match=r"probability -[0-9.]+ is negative"):
        nash_conv(JUJITSU, policy_from(f"{path}:probabilities", JUJITSU))
    fixed = onnx_file(tmp_path / "fixed.onnx", policy, free=False)  # its batches have one row
    for word, game in ((f"{path}:logits", POKER), (f"{fixed}:logits", JUJITSU)):
        with pytest.raises(ValueError, match=r"\.onnx cannot play: .*invalid dimensions"):
            nash_conv(game, policy_from(word, game))
    for name in ("bad.onnx", "bad.pt"):
        (tmp_path / name).write_bytes((tmp_path / "net.onnx").read_bytes()[:100])
        monkeypatch.setattr(sys, "argv", ["cardwar", f"{tmp_path / name}:logits"])
        with pytest.raises(ValueError, match=f"{tmp_path / name} is not a"):
            policy_from(f"{tmp_path / name}:logits", JUJITSU)
    with pytest.raises(OSError, match=r"none\.onnx"):
        policy_from("none.onnx:logits", JUJITSU)


def test_weights_in_another_file_are_found_beside_the_network(tmp_path):
    onnx, policy = pytest.importorskip("onnx"), network()
    whole = onnx_file(tmp_path / "whole.onnx", policy)
    for path in ("net.onnx", "apart/net.onnx"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        onnx.save(onnx.load(whole), tmp_path / path, save_as_external_data=True, location="weights", size_threshold=0)
    (tmp_path / "weights").unlink()
    found = policy_from(str(tmp_path / "apart/net.onnx:logits"), JUJITSU)
    assert nash_conv(JUJITSU, found) == pytest.approx(nash_conv(JUJITSU, policy), abs=1e-5)
    with pytest.raises(ValueError, match="weights"):
        policy_from(str(tmp_path / "net.onnx:logits"), JUJITSU)


def test_a_program_must_be_typed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cardwar", "watch", "record.json"])
    path = f"{tmp_path}/net.pt:logits"
    with pytest.raises(ValueError, match=f"{path} is a program: its name must be typed"):
        policy_from(path, JUJITSU)


def test_any_function_on_arrays_is_a_policy():
    def logits(observations):
        return np.cumsum(np.ones((len(observations), 3), np.float32), axis=1)

    weights = np.exp([1.0, 2.0, 3.0])
    policy, masks = FunctionPolicy(logits, "logits"), np.array([[1, 0, 1]], np.int8)
    found = policy.action_probabilities(np.zeros((1, 8), np.float32), masks)
    assert found == pytest.approx(weights * masks / (weights * masks).sum())  # a softmax over legal actions

    def uniform(observations):
        return np.full((len(observations), 3), 1 / 3)

    with pytest.raises(ValueError, match="on illegal action"):  # of probabilities, illegal ones are reported
        nash_conv(JUJITSU, FunctionPolicy(uniform, "probabilities"))
    for function, outputs, reason in (
        (uniform, "scores", r"outputs \('scores'\) must be one of 'logits', 'probabilities'"),
        (
            lambda seen: uniform(seen)[:, :2],
            "logits",
            r"must return numbers of shape \(\d+, 3\), not of \(\d+, 2\)",
        ),
        (lambda seen: uniform(seen) * np.inf, "logits", "must return finite logits"),
        (lambda seen: 1 / 0, "logits", "function cannot play: division by zero"),
    ):
        with pytest.raises(ValueError, match=reason):
            nash_conv(JUJITSU, FunctionPolicy(function, outputs))


def test_a_function_of_jax_is_a_policy():
    jax = pytest.importorskip("jax")
    policy = FunctionPolicy(jax.jit(lambda seen: seen[:, :3]), "logits")
    same = FunctionPolicy(lambda seen: seen[:, :3], "logits")
    assert nash_conv(JUJITSU, policy) == pytest.approx(nash_conv(JUJITSU, same), abs=1e-6)
