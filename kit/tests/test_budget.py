"""How long the kit looks, and what it says where it saw little or could not try."""

import re
import time

import pytest

from broken.bases import Bidding, Pennies, skinned
from broken.factories import Sized
from zoocheck import Subject, load, order, run, run_all, verdicts
from zoocheck.verdicts import Budget, processor_seconds


def rounds(work, seconds=0.1):
    """Rounds of a search with so many seconds, each of which works."""
    subject = Subject("clock", seconds=seconds)
    return sum(1 for _ in subject.time(1.0) if work() is None), subject.cut


def test_the_budget_is_processor_time(monkeypatch):
    asleep, _ = rounds(lambda: time.sleep(0.01))
    assert asleep > 30, "by the wall clock it would be 10 rounds"
    assert asleep < 120, "an environment that sleeps ends, too"
    monkeypatch.setattr("zoocheck.subject.PATIENCE", 1000.0)  # other processes may take most of the time
    begin = time.process_time()
    count, cut = rounds(lambda: sum(range(20_000)) and None)
    assert 0.1 < time.process_time() - begin < 0.3
    assert cut == [count]


def heavy_env(**parameters):
    """A Parallel environment in which every step costs some CPU time."""
    env = skinned(Bidding, "parallel")(**parameters)
    step = env.step

    def slow_step(actions):
        end = time.process_time() + 0.03
        while time.process_time() < end:
            pass
        return step(actions)

    env.step = slow_step
    return env


def test_inconclusive_is_not_passed():
    subject = Subject("heavy", None, heavy_env, seconds=0.3)
    result = run("ends_are_final", subject)
    assert result.status == "inconclusive"
    assert re.match(r"only \d+ Parallel games with \d+ moves before the time ran out", result.reason)
    assert run("ends_are_final", load("broken.environments:Bidding", games=12)).status == "passed"


def test_a_slow_environment_ends_in_time_and_is_not_accused():
    subject = Subject("heavy", None, heavy_env, seconds=0.2)
    subject.budget.start(0.2, whole=False)
    subject.budget.end = processor_seconds() + 0.3
    begin = time.process_time()
    assert {result.status for result in run_all(subject)} <= {"passed", "note", "inconclusive", "not applicable"}
    assert time.process_time() - begin < 0.9


def test_checks_that_use_all_their_time_leave_some_to_those_that_follow(monkeypatch):
    shared, now = Budget(to_come=50), 0.0
    monkeypatch.setattr(verdicts, "processor_seconds", lambda: now)
    for _ in range(25):
        shared.start(32.0, whole=False)
        now = shared.deadline
    shared.start(32.0, whole=False)
    assert shared.deadline - now > 0.5 * shared.end / 50
    before = shared.deadline
    with shared.shared():  # what serves other checks as well does not use up the time of this one
        now += 2.0
        assert shared.deadline > now
    assert shared.deadline == pytest.approx(before + 2.0)


@pytest.mark.parametrize(
    "subject",
    [
        Subject("mine", None, Sized, {"size": 3}, games=2),
        load("broken.factories:Sized", ["size=3"], games=2),
    ],
    ids=lambda subject: subject.name,
)
def test_another_process_gets_the_parameters(subject):
    result = run("hash_seed_does_not_matter", subject)
    assert result.status == "passed", result.reason


def test_what_another_process_cannot_do_is_skipped(monkeypatch):
    subject = load("broken.environments:Pennies", games=2)
    monkeypatch.setattr(order, "SECONDS", 0.01)
    result = run("hash_seed_does_not_matter", subject)
    assert (result.status, "more than 0.01 seconds" in result.reason) == ("skipped", True)
    odd = Subject("odd", None, skinned(Pennies, "parallel"), {"render_mode": Odd("ansi")}, games=2)
    assert run("hash_seed_does_not_matter", odd).status == "skipped"


class Odd(str):
    """Reads as no Python literal."""

    def __repr__(self):
        return "<odd>"
