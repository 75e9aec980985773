"""Gymnasium environments go through the same checks, as far as they apply."""

import re

import gymnasium
import pytest

import zoocheck
from broken import solo
from calling import run_refused
from zoocheck import CHECKS, load, order, run_all
from zoocheck.grounds import grounds
from zoocheck.guard import Guard
from zoocheck.kinds import spoken
from zoocheck.runner import advice
from zoocheck.subject import remade
from zoocheck.verdicts import Result


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    monkeypatch.setattr(
        order, "_elsewhere", lambda told, _: [order.digests(remade(told["subject"]), told["blind"])] * 2
    )


def statuses(subject, status):
    return {result.check: result.reason for result in run_all(subject) if result.status == status}


def test_a_correct_environment_passes_and_checks_of_several_agents_do_not_apply():
    subject = load("broken.solo:Walk", games=8)
    apart = statuses(subject, "not applicable")
    assert not statuses(subject, "failed")
    assert set(CHECKS) - set(grounds(gymnasium=True)) <= set(apart)
    assert "masks, which Gymnasium's API does not have" in apart["commitments_are_hidden"]


@pytest.mark.parametrize("broken", solo.CAUGHT)
def test_a_defect_is_caught_and_told_in_terms_of_gymnasium(broken):
    check, words = solo.CAUGHT[broken]
    result = zoocheck.run(check, load(f"broken.solo:{broken.__name__}", games=8))
    assert (result.status, words in result.reason) == ("failed", True), result.reason
    assert not re.search(r"Parallel|'agent'|\bagents\b", result.reason + result.script)


def test_the_script_of_a_failure_runs_without_the_kit(capsys):
    result = zoocheck.run("observations_fit_their_spaces", load("broken.solo:OutOfBounds", games=4))
    exec(compile(result.script, "again.py", "exec"), {})
    assert "'steps': " in capsys.readouterr().out


def test_a_step_after_the_end_is_undefined_and_only_noted():
    result = zoocheck.run("calls_at_the_wrong_time_are_refused", load("broken.solo:GoesOnAfterTheEnd", games=4))
    assert (result.status, "the game is over, but step() raises no error" in result.reason) == ("note", True)


def test_ids_of_gymnasium_make_environments_and_the_script_names_them():
    subject = load("FrozenLake-v1", ["is_slippery=False"], games=2)
    assert subject.gymnasium
    assert [api.kind for api in subject.apis()] == ["Parallel"]
    assert subject.any_env().env.unwrapped.__class__.__name__ == "FrozenLakeEnv"
    subject.apis()[0].game(1).run(2)
    script = zoocheck.runner.report.script_of(subject, "why")
    assert "env = gymnasium.make('FrozenLake-v1', is_slippery=False)" in script
    assert re.search(r"result = env\.step\(\d\)", script)


def test_an_unknown_id_is_one_clear_line(capsys):
    assert "CartPol-v1: NameNotFound: " in run_refused(capsys, "CartPol-v1")
    assert "no_such_module" in run_refused(capsys, "no_such_module:CartPole-v1")


def test_a_module_whose_env_is_one_of_gymnasium_is_told_how_to_name_it(capsys, tmp_path, monkeypatch):
    (tmp_path / "some_walk.py").write_text("from broken.solo import Walk as env\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "name it as some_walk:env" in run_refused(capsys, "some_walk")
    assert load("some_walk:env").gymnasium


def test_words_of_the_parallel_api_become_those_of_gymnasium():
    said = "Parallel, seed 0: {'agent': 2}: observation of agent, entry 0: 0 and 1; the reward of agent is nan"
    assert spoken(said) == "Gymnasium, seed 0: 2: observation, entry 0: 0 and 1; the reward of the agent is nan"


@pytest.mark.parametrize("check", sorted(grounds(gymnasium=True).keys() & CHECKS.keys()))
def test_advice_is_in_terms_of_gymnasium(check):
    lines = advice(Result(check, "failed"), grounds(gymnasium=True)[check])
    assert not re.search(r"PettingZoo|AEC|Parallel|\bagents?\b|infos\b.*=", " ".join(lines)), lines


@pytest.mark.parametrize("display", [True, False])
def test_a_window_that_aborts_is_no_failure_where_there_is_no_display(monkeypatch, display):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", ":0")
    with Guard(load("broken.solo:WindowAborts", games=2)) as guard:
        found = {name: guard.run(name).status for name in ("legal_play_goes_on", "render_modes_are_kept")}
    wanted = {True: ["failed", "failed"], False: ["passed", "skipped"]}[display]
    assert list(found.values()) == wanted


TAXI = "Taxi-v4" if "Taxi-v4" in gymnasium.registry else "Taxi-v3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("CartPole-v1", {}),
        ("FrozenLake-v1", {}),
        (TAXI, {}),
        ("Blackjack-v1", {"calls_at_the_wrong_time_are_refused": "the game is over, but step() raises no error"}),
    ],
)
def test_environments_of_gymnasium(name, found):
    failed = statuses(load(name, games=40), "failed")
    assert set(failed) == set(found)
    assert all(found[check] in reason for check, reason in failed.items())


def test_blackjack_pays_again_after_the_end():
    """By hand what the check finds."""
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=0)
    while not env.step(1)[2]:
        pass
    assert env.step(1)[1] == -1
