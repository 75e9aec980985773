"""The standings are what the runs of their study measured, also if these were killed, with the tuned configurations."""

import re

import pytest
from run_files import is_killed_after

from lab import standings
from lab.pages import tuning
from lab.pages.standings import medians
from lab.pages.tuning import Tried, chosen, configuration_of, keep_tuning, read_tuning, shares
from train.reports.groups import read_run
from train.runs.loop import run
from train.standings.entries import paths, read_entry, verify
from train.studies.study_file import read_study

STUDY = """
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["minimax_q width=8"]
seeds = [0, 1]
args = { steps = 600, evaluate_every = 200, num_games = 8 }

[[runs]]
games = ["jujitsu num_cards=3", "dice_poker sides=3"]
algorithms = ["cfr_plus"]
args = { steps = 20, evaluate_every = 10 }
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def learn(planned, out, resume=False):
    run(planned.game, planned.algorithm, planned.args, out / planned.name, planned.seed, resume)


def entries(root):
    """The files of all entries; CPU seconds differ between runs."""
    return {
        str(path.relative_to(root)): re.sub(rb"cpu_seconds = .*|--out=\S+", b"", path.read_bytes())
        for path in root.rglob("*.*")
    }


@pytest.mark.slow
def test_runs_and_their_collection_may_be_killed(study, tmp_path, capsys):
    whole, broken, plan = tmp_path / "whole", tmp_path / "broken", read_study(study).runs
    for planned in plan:
        learn(planned, whole)
    standings.keep_runs(whole, study, tmp_path / "expected")
    for planned in plan[:2]:
        assert is_killed_after(14, learn, planned, broken)
        assert 0 < len(read_run(broken / planned.name).rows) < 3
    standings.keep_runs(broken, study, tmp_path / "found")
    assert "Left out: minimax_q-width=8 on jujitsu num_cards=3, jujitsu-num_cards=3-minimax" in capsys.readouterr().out
    assert not (tmp_path / "found").exists()
    for planned in plan:
        learn(planned, broken, resume=(broken / planned.name).exists())
    assert is_killed_after(3, standings.keep_runs, broken, study, tmp_path / "found")
    standings.keep_runs(broken, study, tmp_path / "found")
    assert entries(tmp_path / "found") == entries(tmp_path / "expected")
    found = [read_entry(path) for path in paths(tmp_path / "found")]
    assert len(found) == 3
    for entry in found:
        verify(entry)
    best = {entry.name: entry for entry in found if entry.stated.game == "jujitsu num_cards=3"}
    assert best["cfr_plus"].steps == "20 iterations"
    assert [seed.steps for seed in best["minimax_q-width=8"].stated.runs] == [[200, 400, 600]] * 2
    assert medians(best["cfr_plus"])[-1][1] == best["cfr_plus"].exploitability


def test_a_configuration_is_chosen_by_its_share_of_uniform_plays_exploitability(study, tmp_path):
    tried = [Tried("mmd", "a", 0.1, 0.2), Tried("mmd x=1", "a", 0.2, 0.2), Tried("mmd", "b", 3.0, 4.0)]
    tried += [Tried("mmd x=1", "b", 0.0, 4.0), Tried("ppo", "a", 1.0, 0.2), Tried("ppo", "b", 1.0, 4.0)]
    assert shares(tried) == pytest.approx({"mmd": 0.625, "mmd x=1": 0.5, "ppo": 2.625})
    assert chosen(tried) == ["mmd x=1", "ppo"]
    with pytest.raises(ValueError, match="does not exist"):
        keep_tuning(tmp_path, study, tmp_path / "tuning.csv")
    for planned in read_study(study).runs:
        learn(planned, tmp_path)
    keep_tuning(tmp_path, study, tmp_path / "tuning.csv")
    kept = read_tuning(tmp_path / "tuning.csv")
    assert [each.configuration for each in kept] == ["minimax_q width=8"] * 2 + ["cfr_plus"] * 2
    assert (
        kept[-1].exploitability == read_run(tmp_path / "dice_poker-sides=3-cfr_plus-seed=0").rows[-1]["exploitability"]
    )


PRESET = """
[presets.shipped]
algorithm = "minimax_q"
label = "minimax-Q as shipped"
width = 4

[[runs]]
games = ["jujitsu num_cards=2"]
algorithms = ["minimax_q", "shipped"]
args = { steps = 64, evaluate_every = 32, num_games = 8 }
"""


def test_a_preset_is_entered_by_its_own_label(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(PRESET)
    for planned in read_study(study).runs:
        learn(planned, tmp_path / "runs")
    standings.keep_runs(tmp_path / "runs", study, tmp_path / "standings")
    named = {path.stem: read_entry(path).stated.learner for path in paths(tmp_path / "standings")}
    assert named == {"minimax_q": "minimax-Q", "shipped": "minimax-Q as shipped"}


def test_the_standings_have_the_chosen_configurations():
    tuned = {configuration_of(run): run.args for run in read_study(tuning.STUDY).runs}
    budget = {"steps", "evaluate_every", "cpu_seconds", "evaluations"}
    for planned in read_study(standings.STUDY).runs:
        for words in chosen(read_tuning()):
            if words.split()[0] == configuration_of(planned):
                unlike = {name for name, value in vars(planned.args).items() if value != vars(tuned[words])[name]}
                assert unlike <= budget, (planned.name, words)
