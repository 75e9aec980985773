"""The standings: an entry states what its policy file measures; whatever else a file holds is refused in one line."""

import os
import pickle
import re
import sys

import numpy as np
import pytest

from baselines import exploitability
from cardwar_cli.main import main
from cardwar_envs import make_game
from cardwar_envs.core.policy_names import named_policy
from train.policies.files import load_policy, save_policy
from train.policies.networks import Network, SoftmaxPolicy
from train.policies.table import LearnedTable
from train.standings.entries import Run, add, paths, read_entry, verify

GAME = make_game("jujitsu", num_cards=3)
STATED = {"uses": "plays only", "learner": "mine", "by": "me", "command": "cardwar train"}
OPTIONS = ["--class=plays only", "--learner=mine", "--by=me", "--cpu-seconds=2", "--joint-actions=30", "--seed=1"]


class Skewed:
    """Gives more weight to high cards, the more the larger `power` is."""

    def __init__(self, power):
        self.power = power

    def action_probabilities(self, observations, action_masks):
        weights = action_masks * np.arange(1, action_masks.shape[1] + 1) ** float(self.power)
        return weights / weights.sum(axis=1, keepdims=True)


class FromAnotherFramework(Skewed):
    """A class as a user writes it: without parameters."""

    def __init__(self):
        super().__init__(2)


def entered(root, name="mine", powers=(2, 0, 1)):
    runs = [Run(Skewed(power), seed, [10.0 + seed], [100 * seed]) for seed, power in enumerate(powers)]
    return add(root, name, GAME, runs, **STATED)


def said(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["standings", *map(str, words)])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def test_an_entry_keeps_the_policy_with_the_median_exploitability(tmp_path):
    entry = entered(tmp_path)
    figures = [exploitability(GAME, Skewed(power)) for power in (2, 0, 1)]
    assert [run.exploitability for run in entry.stated.runs] == [pytest.approx([each], abs=1e-9) for each in figures]
    assert verify(entry) == pytest.approx(sorted(figures)[1], abs=1e-12)
    again = read_entry(entry.path)
    assert again.stated == entry.stated
    assert (again.cpu_seconds, again.steps) == (11.0, "100")
    assert list(paths(tmp_path, "jujitsu num_cards=3")) == [entry.path]
    assert not list(paths(tmp_path, "jujitsu num_cards=4"))


def test_a_network_is_kept_as_it_is(tmp_path):
    policy = SoftmaxPolicy(GAME, Network(GAME, 8, 1, GAME.facts.num_actions, "relu"))
    entry = add(tmp_path, "net", GAME, [Run(policy, 0, [1.0], [1])], **STATED)
    save_policy(tmp_path / "same.safetensors", policy)
    assert entry.policy_file.read_bytes() == (tmp_path / "same.safetensors").read_bytes()
    assert verify(entry) == pytest.approx(exploitability(GAME, policy), abs=1e-6)


def test_a_large_network_is_kept_as_a_table_and_a_too_large_one_may_be_left_out(tmp_path, monkeypatch, capsys):
    policy = SoftmaxPolicy(GAME, Network(GAME, 400, 2, GAME.facts.num_actions, "relu"))
    runs = [Run(policy, 0, [1.0, 2.0], [1, 2], [0.9, exploitability(GAME, policy)])]
    assert type(load_policy(add(tmp_path, "net", GAME, runs, **STATED).policy_file, GAME)) is LearnedTable
    monkeypatch.setattr("train.policies.table.MOST_QUERIES", 3)
    monkeypatch.setattr("train.standings.entries.MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="would be larger than"):
        add(tmp_path, "net", GAME, runs, replace=True, **STATED)
    entry = add(tmp_path, "net", GAME, runs, replace=True, large=True, **STATED)
    assert not entry.policy_file.exists()
    code, shown, _ = said(capsys, "verify", f"--root={tmp_path}")
    assert (code, "net.toml: not verifiable, it has no policy file" in shown) == (0, True)


def test_the_command_enters_shows_and_verifies(tmp_path, capsys):
    root, policy = f"--root={tmp_path}", f"{__name__}:FromAnotherFramework"
    assert said(capsys, "add", "jujitsu", "num_cards=3", "mine", policy, *OPTIONS, root)[0] == 0
    figure = f"{exploitability(GAME, Skewed(2)):.4f}"
    code, shown, _ = said(capsys, "show", root)
    assert code == 0
    assert figure in shown
    assert "plays only" in shown
    code, shown, _ = said(capsys, "verify", "jujitsu", "num_cards=3", root)
    assert code == 0
    assert "Entries: 1, wrong: 0" in shown


def test_each_policy_has_its_own_cost(tmp_path, capsys):
    policies = [f"{__name__}:FromAnotherFramework", "uniform"]
    costs = ["--cpu-seconds=4", "--joint-actions=50", "--seed=2"]
    words = ["jujitsu", "num_cards=3", "mine", *policies, *OPTIONS, *costs]
    assert said(capsys, "add", *words, f"--root={tmp_path}")[0] == 0
    stated = read_entry(next(paths(tmp_path))).stated
    assert [(run.seed, run.cpu_seconds, run.steps) for run in stated.runs] == [(1, [2.0], [30]), (2, [4.0], [50])]


def change(text):
    """Edits the entry's file."""
    return lambda entry: entry.path.write_text(text(entry.path.read_text()))


def linked(path_of):
    """Moves a file away and links to it."""

    def spoil(entry):
        path = path_of(entry)
        target = path.rename(entry.path.parents[1] / path.name)
        path.symlink_to(target)

    return spoil


def other_game(entry):
    other = make_game("jujitsu", num_cards=4)
    save_policy(entry.policy_file, SoftmaxPolicy(other, Network(other, 8, 1, other.facts.num_actions, "relu")))


def spoil_order(text):
    """Gives the first run three evaluations, whose CPU seconds fall."""
    for column, first in (("cpu_seconds", "10.0"), ("steps", "0")):
        text = text.replace(f"{column} = [{first}]", f"{column} = [{first}, 2, 1]")
    return re.sub(r"exploitability = \[(.*?)\]", r"exploitability = [1.0, 1.0, \1]", text, count=1)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


SPOILT = {
    "another figure": (change(lambda text: text.replace("exploitability = [0", "exploitability = [1")), "but it is"),
    "another figure of uniform play": (
        change(lambda text: text.replace("uniform_exploitability = 0", "uniform_exploitability = 1")),
        "of uniform play 1",
    ),
    "negative": (
        change(lambda text: text.replace("exploitability = [0", "exploitability = [-1")),
        "must be at least 0",
    ),
    "unequal columns": (
        change(lambda text: text.replace("steps = [0", "steps = [0, 1")),
        "a number for each evaluation",
    ),
    "turned back": (change(spoil_order), "must not fall"),
    "another game's policy": (other_game, "was learned for jujitsu"),
    "another game's folder": (change(lambda text: text.replace("num_cards=3", "num_cards=4")), "the folder of jujitsu"),
    "no game": (change(lambda text: text.replace("jujitsu num_cards=3", "this_file:Game")), "not a game of the suite"),
    "unknown class": (change(lambda text: text.replace("plays only", "cheats")), "'cheats' must be one of"),
    "unknown name": (change(lambda text: f"policy = '/etc/passwd'\n{text}"), "unknown name 'policy'"),
    "no runs": (change(lambda text: text.split("[[runs]]", maxsplit=1)[0]), "runs is missing"),
    "nested": (change(lambda text: text + f"\nx = {'[' * 9999}"), "not a valid entry"),
    "no toml": (change(lambda text: text[:50]), "not a valid entry"),
    "long": (change(lambda text: text + "#" * 2_000_000), "not a valid entry"),
    "linked entry": (linked(lambda entry: entry.path), "link"),
    "linked policy": (linked(lambda entry: entry.policy_file), "link"),
    "cut": (lambda entry: entry.policy_file.write_bytes(entry.policy_file.read_bytes()[:-9]), "missing or damaged"),
    "pickle": (lambda entry: entry.policy_file.write_bytes(pickle.dumps(Bomb())), "missing or damaged"),
    "no policy": (lambda entry: entry.policy_file.unlink(), "missing or damaged"),
}


@pytest.mark.parametrize("spoil", SPOILT)
def test_spoilt_entries_are_refused_in_one_line_and_the_others_verified(spoil, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "standings"
    entry, _ = entered(root), entered(root, "other")
    before = set(sys.modules)
    make, message = SPOILT[spoil]
    make(entry)
    code, shown, _ = said(capsys, "verify", f"--root={root}")
    assert code == 1
    wrong, right, last = shown.splitlines()
    assert wrong.startswith("WRONG: ")
    assert message in wrong
    assert "give a policy's name" not in wrong
    assert right.endswith("as stated")
    assert last == "Entries: 2, wrong: 1"
    assert not (tmp_path / "exploded").exists()
    assert "this_file" not in set(sys.modules) - before


REFUSED = {
    "nameless": (["mine"], "name the entry and at least one policy"),
    "no class": (["mine", "uniform", *OPTIONS[1:]], "uniform needs --class"),
    "no costs": (["mine", "uniform", *OPTIONS[:3]], "uniform needs --cpu-seconds, --joint-actions, --seed"),
    "two policies, one cost": (["mine", "uniform", "lowest_card", *OPTIONS], "--cpu-seconds (2.0) must be given once"),
    "no author": (["mine", "uniform", *OPTIONS[:2], *OPTIONS[3:]], "mine needs --by"),
    "equal seeds": (["mine", "uniform", "lowest_card", *OPTIONS, *OPTIONS[3:]], "seeds ([1, 1]) must differ"),
    "unknown class": (["mine", "uniform", "--class=magic", *OPTIONS[1:]], "--class (magic) must be one of"),
    "outside": (["../mine", "uniform", *OPTIONS], "name ('../mine')"),
    "unknown policy": (["mine", "nobody", *OPTIONS], "nobody"),
    "no folder": (["mine", "uniform", *OPTIONS, "--root=nowhere"], "there is no folder nowhere"),
    "a name twice": (["taken", "uniform", *OPTIONS], "exists; choose another name"),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_bad_arguments_are_refused_and_write_nothing(refused, tmp_path, capsys):
    entered(tmp_path, "taken")
    before = sorted(tmp_path.rglob("*"))
    words, message = REFUSED[refused]
    code, _, complaint = said(capsys, "add", "jujitsu", "num_cards=3", f"--root={tmp_path}", *words)
    assert code == 2
    assert message in complaint
    assert complaint.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_an_own_game_has_no_standings(tmp_path):
    game = make_game("openspiel:matrix_rps")
    with pytest.raises(ValueError, match="not a game of the suite"):
        add(tmp_path, "mine", game, [Run(named_policy("uniform", game), 0, [1.0], [1])], **STATED)
