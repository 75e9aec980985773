"""A learner in one file of the working folder, on equal terms with ours; stored names import nothing."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from command import run, run_json
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import algorithm_named
from train.policies.files import load_policy
from train.runs.loop import run as run_learner
from train.storage.archive import read_archive
from train.storage.run_folder import RunFolder
from train.studies.study_file import read_study

GAME = make_game("jujitsu", num_cards=3)
EXAMPLE = Path(__file__).parents[2] / "examples" / "own_learner.py"
NAME = "own_learner:Reinforce"
TRAIN = ("train", "jujitsu", "num_cards=3", "--algorithm", NAME, "--num-games", "20", "--evaluate-every", "200")

# What is wrong with each class is in its name.
OTHERS = '''
from own_learner import Arguments, Reinforce
from train.policies.networks import SoftmaxPolicy

class Endless(Reinforce):
    def advance(self, steps):
        return {"loss": 0.0}

class Uncounted(Reinforce):
    steps = None
    def __init__(self, game, args, seed):
        pass

class Unstorable(Reinforce):
    def policy(self):
        return "uniform"

class NoState:
    def advance(self, steps): ...
    def policy(self): ...

class Undeclared(Reinforce):
    class Args(Arguments):
        rate: float = 1.0

class Foreign(Reinforce):
    Args = dict

class Cheating(Reinforce):
    uses = "the solution"

class Mine(SoftmaxPolicy):
    """A policy of the user's own class."""

class OwnPolicy(Reinforce):
    label = "own policy"
    def policy(self):
        return Mine(self._game, super().policy().network)
'''


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working folder, with own_learner.py and others.py in it."""
    (tmp_path / "own_learner.py").write_text(EXAMPLE.read_text())
    (tmp_path / "others.py").write_text(OTHERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("own_learner", "others"):
        sys.modules.pop(name, None)


def trained(capsys, *words):
    code, out, err = run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def refused(capsys, *words):
    """The last line on stderr, after progress and notes."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    said = err.splitlines()[-1]
    assert said.startswith("cardwar: ")
    return said


def test_it_learns_stops_and_resumes_as_ours_do(capsys):
    whole = trained(capsys, *TRAIN, "--rate", "0.02", "--steps", "600", "--out", "whole")
    assert whole["algorithm"] == NAME
    measured = run_json(capsys, "exploit", "jujitsu", "num_cards=3", "--policy", "whole")["exploitability"]
    assert whole["exploitability"] == pytest.approx(measured, abs=1e-9)
    algorithm = algorithm_named(NAME)
    assert (algorithm.label, algorithm.uses, algorithm.step) == ("REINFORCE", "plays only", "joint actions")
    stopped = []

    def interrupt(row):
        stopped.append(row)
        raise KeyboardInterrupt

    args = algorithm.args(steps=600, evaluate_every=200, num_games=20, rate=0.02)
    with pytest.raises(KeyboardInterrupt):
        run_learner(GAME, NAME, args, "parts", sinks=[interrupt])
    assert stopped[0]["steps"] < 600
    assert "give --algorithm own_learner:Reinforce as well" in refused(capsys, "train", "parts", "--resume")
    resumed = trained(capsys, "train", "parts", "--resume", "--algorithm", NAME)
    assert resumed["exploitability"] == whole["exploitability"]
    assert np.array_equal(*(read_archive(Path(each, "checkpoint.safetensors")).tensors["learner.network.0.weight"]
                            for each in ("whole", "parts")))  # fmt: skip
    code, listed, _ = run(capsys, "train", "--list-options", "--algorithm", NAME)
    assert (code, "--rate" in listed) == (0, True)
    assert "rate (-1.0) must be at least 1e-09" in refused(capsys, *TRAIN, "--rate", "-1")


def test_a_study_takes_it(capsys):
    Path("own.toml").write_text(
        f'[defaults."{NAME}"]\nrate = 0.05\n[presets.slow]\nalgorithm = "{NAME}"\nrate = 0.001\n'
        f'[[runs]]\ngames = ["jujitsu num_cards=3"]\nalgorithms = ["{NAME} steps=100", "slow steps=100", "cfr_plus"]\n'
    )
    own, slow, ours = read_study("own.toml").runs
    assert (own.args.rate, slow.args.rate, ours.algorithm) == (0.05, 0.001, "cfr_plus")
    assert own.name == "jujitsu-num_cards=3-own_learner_Reinforce-steps=100-seed=0"
    assert run(capsys, *own.words(Path("run")))[0] == 0  # with these the study starts a process of its own
    RunFolder(Path("run")).check_same(own.identity)
    assert run(capsys, "report", "run", "--out", "report.html")[0] == 0
    assert f"--algorithm={NAME}" in Path("report.md").read_text().replace("\\", "")


@each_row(
    ("name", "message"),
    [
        ("others:NoState", "others:NoState is not a learner: it lacks state, restore"),
        ("others:OTHERS", "module 'others' has no 'OTHERS'"),
        ("nowhere:Learner", "there is no module 'nowhere'"),
        ("others:Undeclared", r"its Args \(.*\) must be a dataclass and a train.learner.contract.CommonArgs"),
        ("others:Foreign", r"its Args \(<class 'dict'>\) must be a dataclass"),
        ("others:Cheating", r"uses \('the solution'\) must be one of plays only, simulator, rules, whole table"),
        ("others:Endless", r"advance\(\d+\) must not end after 0 steps"),
        ("others:Uncounted", "others:Uncounted must have an attribute steps, an integer"),
        ("others:Unstorable", r"policy \('uniform'\) cannot be stored in a file"),
        ("other_learner", "unknown algorithm 'other_learner'; expected one of .*, or module:Class"),
    ],
)
def test_what_is_not_a_learner_is_refused_in_one_line(capsys, name, message):
    said = refused(capsys, *TRAIN[:3], "--algorithm", name, "--steps", "100", "--out", f"refused-{name}")
    assert re.search(message, said), said


def test_a_file_says_which_class_its_policy_needs_and_imports_nothing(capsys):
    trained(capsys, *TRAIN[:4], "others:OwnPolicy", "--steps", "100", "--out", "run")
    import others

    seen, mask = GAME.observation(GAME.initial()[0].state, 0)[None], np.ones((1, 3), dtype=np.int8)
    stored = load_policy("run", GAME, others.Mine)
    assert type(stored) is others.Mine
    assert stored.action_probabilities(seen, mask).sum() == pytest.approx(1.0)
    for name in ("own_learner", "others"):
        sys.modules.pop(name)
    Path("others.py").write_text("from pathlib import Path\nPath('imported').touch()")
    for words in (
        ("exploit", "jujitsu", "num_cards=3", "--policy", "run"),
        ("match", "jujitsu", "num_cards=3", "run", "uniform"),
        ("train", "run", "--resume"),
    ):
        assert "others:" in refused(capsys, *words)
    with pytest.raises(ValueError, match="needs the class others:Mine, which is not in this package"):
        load_policy("run", GAME)
    with pytest.raises(ValueError, match="needs the class others:Mine"):
        load_policy("run", GAME, dict)
    run(capsys, "report", "run")
    assert json.loads(Path("run/config.json").read_text())["algorithm"] == "others:OwnPolicy"
    assert not Path("imported").exists()
    assert "others" not in sys.modules
