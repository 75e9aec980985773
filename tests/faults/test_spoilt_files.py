"""Stored files of every kind, spoilt in hundreds of ways, are refused, named as damaged, or read as they were."""

import contextlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from small_runs import contents
from spoiling import spoil
from stored_files import EXPLOIT, GAME, RUNS, make_all, make_few, make_victims

import baselines.opponents.levels.level as levels
import train.studies.runner as runner
from cardwar_cli.main import main

# Of one call: seconds until it counts as hanging, memory, and letters beyond those that it says of whole files.
SECONDS, MORE_MEMORY, MORE_SAID = 60, 4 * 2**30, 4000
# A call's name -> its words, and how the names of files begin that it reads or writes.
CALLS = {
    "exploit": (["exploit", *GAME, "--policy=run", "--json"], ["run/"]),
    "exploit file": (["exploit", *GAME, "--policy=run/policy.safetensors", "--json"], ["run/policy"]),
    "resume": (["train", *RUNS["run"], "--out=run", "--resume", "--json"], ["run/"]),
    "match": (["match", *GAME, "run", "uniform", "--json"], ["run/p"]),
    "watch": (["watch", *GAME, "run", "uniform"], ["run/p"]),
    "watch record": (["watch", "game.json"], ["game"]),
    "play": (["play", *GAME, "--against=run", "--seed=0"], ["run/p"]),
    "solve": (["solve", "jujitsu", "num_cards=4", "--cache=cache", "--json"], ["cache/"]),
    # Those take longer, or read what takes longer to make.
    "exploit network": (["exploit", *GAME, "--policy=network", "--json"], ["network/"]),
    "report": (["report", *RUNS, "--out=page.html"], [f"{name}/" for name in RUNS]),
    "report skipping": (["report", *RUNS, "--out=page.html", "--skip-damaged"], [f"{name}/" for name in RUNS]),
    "resume network": (["train", *RUNS["network"], "--out=network", "--resume", "--json"], ["network/"]),
    "playoffs": (["playoffs", *GAME, "run", "network", "--out=playoffs", "--json"], ["run/p", "network/p", "playo"]),
    "watch line": (["watch", "exploited/line.json"], ["exploited/line"]),
    "lower bound": ([*EXPLOIT, "--resume", "--json"], ["exploited/"]),
    "study": (["study", "study.toml", "--out=study", "--json"], ["study/"]),
    "study listed": (["study", "study.toml", "--out=study", "--dry-run", "--json"], ["study/"]),
    "levels": (["levels", "--json"], ["levels/"]),
    "level": (["match", "dice_poker", "level:1", "uniform", "--json"], ["levels/"]),
}
QUICK = list(CALLS)[:8]
# Of those that read a spoilt file, so many are drawn.
MOST_CALLS = 3
TYPED = "1\n2\n3\n"


class Outcome(NamedTuple):
    """What a call came to: its exit code (None if it raised), what it said, and the traceback if it raised."""

    code: int | None
    out: str
    err: str
    trace: str


class TooLongError(BaseException):
    """Raised in a call that goes on for too long."""


@contextlib.contextmanager
def limited():
    """Ends a call that hangs or takes all memory."""

    def stop(*_):
        raise TooLongError

    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MORE_MEMORY, before[1]))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def call(words):
    """Calls `cardwar` in this process."""
    out, err, code, trace, stdin = io.StringIO(), io.StringIO(), None, "", sys.stdin
    sys.stdin = io.StringIO(TYPED)
    try:
        with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(list(words))
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:
        trace = traceback.format_exc()
    finally:
        sys.stdin = stdin
    return Outcome(code, out.getvalue(), err.getvalue(), trace)


class InProcess:
    """Stands for `subprocess.Popen` in a study: the run is made in this process."""

    stdin = None

    def __init__(self, words, *, stdout, **_):
        outcome = call(words[words.index("train") :])
        stdout.write((outcome.out + outcome.err + outcome.trace).encode())
        self.returncode = 1 if outcome.code is None else outcome.code

    def poll(self):
        return self.returncode


class Judge:
    """Spoils copies of specimens, calls what reads them, and says what was wrong.

    `counts` has how often calls ended with each exit code, `slowest` the seconds of the slowest call and its name.
    """

    def __init__(self, specimens, work, names, monkeypatch):
        """Takes the folder of specimens, a folder to work in, and the names of the calls; asks about whole files."""
        self._specimens, self._work, self.inside = specimens, work, work / "inside"
        self.counts, self.slowest = Counter(), (0.0, "")
        self._fresh()
        monkeypatch.chdir(self.inside)
        monkeypatch.setattr(levels, "FOLDER", self.inside / "levels")
        monkeypatch.setattr(runner.subprocess, "Popen", InProcess)
        monkeypatch.setattr(runner, "POLL_SECONDS", 0.0)
        monkeypatch.setattr(runner, "PATIENCE_SECONDS", 0.0)
        self._expected = {}
        for name in names:
            self._fresh()
            outcome = self._ask(name)
            assert outcome.code == 0, (name, outcome)
            self._expected[name] = figures(name, outcome), len(outcome.out + outcome.err)
        files = [str(path.relative_to(specimens)) for path in specimens.rglob("*") if path.is_file()]
        self._targets = sorted(each for each in files if self._readers(each) and "tfevents" not in each)

    def _fresh(self):
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self._specimens, self.inside)
        make_victims(self._work / "outside")
        os.chdir(self.inside)

    def _readers(self, target):
        return [name for name in self._expected if any(target.startswith(each) for each in CALLS[name][1])]

    def _ask(self, name):
        levels.levels.cache_clear()
        levels.level.cache_clear()
        begin = time.perf_counter()
        outcome = call(CALLS[name][0])
        self.slowest = max(self.slowest, (time.perf_counter() - begin, name))
        return outcome

    def complaints(self, number):
        """What was wrong when calls, at most `MOST_CALLS`, read the files of one spoiling: a line for each thing."""
        self._fresh()
        target, _, _ = spoil(self.inside, number, self._targets)
        readers = self._readers(target)
        for name in random.Random(number).sample(readers, min(len(readers), MOST_CALLS)):
            self._fresh()
            _, kind, spoilt = spoil(self.inside, number, self._targets)
            before = contents(self._work / "outside")
            outcome = self._ask(name)
            self.counts[outcome.code] += 1
            found = list(self._wrong(name, outcome, spoilt.sealed))
            if contents(self._work / "outside") != before:
                found.append("something outside was touched")
            yield from (f"{number}: {target}, {kind}, {spoilt.how}; {name}: {each}" for each in found)

    def _wrong(self, name, outcome, sealed):
        if outcome.code is None:
            lines = [line.strip() for line in outcome.trace.strip().splitlines()]
            yield f"raised {lines[-1][:300]} at {[line for line in lines if line.startswith('File')][-1]}"
            return
        said, (expected, usual) = outcome.out + outcome.err, self._expected[name]
        if odd := {letter for letter in said if not letter.isprintable() and letter not in "\n\r\t"}:
            yield f"said {sorted(odd)}"
        if len(said) > usual + MORE_SAID:
            yield f"said {len(said)} letters"
        if outcome.code == 2:
            lines = outcome.err.splitlines()
            if not (lines and lines[-1].startswith("cardwar: ") and sum("cardwar: " in line for line in lines) == 1):
                yield f"with code 2 it said {outcome.err[-300:]!r}"
        elif outcome.code == 1 and name == "study":
            yield from (
                each["reason"] for each in json.loads(outcome.out)["runs"] if "Traceback" in (each["reason"] or "")
            )
        elif outcome.code != 0:
            yield f"ended with code {outcome.code}: {outcome.err[-300:]}"
        elif not sealed and not as_expected(name, figures(name, outcome), expected):
            yield f"said {str(figures(name, outcome))[:300]!r}"


def figures(name, outcome):
    """What a call says that must be so: its JSON without times, its tables, or the game that it shows."""
    if name.startswith("report"):
        return Path("page.md").read_text()
    if outcome.out.startswith("{"):
        return without_times(json.loads(outcome.out))
    return re.sub("[0-9a-f]{16,}", "(drawn)", outcome.out)  # what a seal begins with is new each time


def without_times(data):
    if isinstance(data, dict):
        left_out = ("seconds", "solved_now")
        return {key: without_times(value) for key, value in data.items() if key not in left_out}
    return [without_times(each) for each in data] if isinstance(data, list) else data


def as_expected(name, now, expected):
    """Whether a call says what it says of whole files; or names what is damaged, and says no more of that."""
    if name == "report skipping":
        return set(now.splitlines()) - set(expected.splitlines()) <= {
            line for line in now.splitlines() if line.startswith("Left out: ")
        }
    if name == "study listed":
        for run, whole in zip(now["runs"], expected["runs"], strict=True):
            if run != whole and run["reason"] is None:
                return run["state"] != "finished" and run["last"] is None
        return True
    return now == expected


def judged(make, names, numbers, tmp_path_factory, monkeypatch):
    """Spoils files and calls what reads them; returns the judge, who must have nothing to complain of."""
    specimens = tmp_path_factory.mktemp("specimens")
    monkeypatch.chdir(specimens)
    make(specimens)
    judge = Judge(specimens, tmp_path_factory.mktemp("work") / "work", names, monkeypatch)
    complaints = [line for number in numbers for line in judge.complaints(number)]
    os.chdir(specimens)
    assert not complaints, "\n" + "\n".join(complaints)
    return judge


def test_spoilt_files_are_refused_or_read_as_they_were(tmp_path_factory, monkeypatch):
    judge = judged(make_few, QUICK, range(15), tmp_path_factory, monkeypatch)
    assert judge.counts[0] > 2
    assert judge.counts[2] > 10


@pytest.mark.slow
def test_files_of_every_kind_spoilt_in_500_ways_are_refused_or_read_as_they_were(tmp_path_factory, monkeypatch):
    judge = judged(make_all, list(CALLS), range(500), tmp_path_factory, monkeypatch)
    print(dict(judge.counts), judge.slowest)
    assert judge.counts[0] > 100
    assert judge.counts[2] > 300
