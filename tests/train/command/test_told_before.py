"""What the command says before a long wait: how long solving takes, and that code is compiled."""

import re
from collections import defaultdict

import numba
import pytest
from command import run
from rich.console import Console

from train import estimates
from train.command import console

LINE = r"[\d,]+ matrix games on \d+ processors take about \d+ (seconds|minutes|hours|days)\.\n"


def test_solve_says_its_estimate_before_long_work(capsys, monkeypatch):
    code, _, err = run(capsys, "solve", "jujitsu", "num_cards=5")
    assert (code, err) == (0, "")
    monkeypatch.setattr(estimates, "SECONDS_PER_MATRIX_GAME", 30.0)
    code, out, err = run(capsys, "solve", "jujitsu", "num_cards=5")
    assert code == 0
    assert re.fullmatch(LINE, err)
    assert "value 0.000000" in out


@pytest.mark.parametrize(
    ("seconds", "words"), [(20, "about 20 seconds"), (150, "about 2 minutes"), (9000, "about 2 hours")]
)
def test_estimates_in_words(seconds, words):
    assert estimates.in_words(seconds) == words


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_told_once_on_a_terminal_and_only_when_it_happens(monkeypatch, capsys):
    from numba.core import event

    monkeypatch.setattr(event, "_registered", defaultdict(list))  # commands in other tests may listen
    numba.njit(lambda number: number - 1)(1)  # nobody listens yet
    monkeypatch.setattr(console, "err", Console(stderr=True, force_terminal=True, no_color=True))
    with monkeypatch.context() as patched:
        patched.setattr(event, "register", lambda kind, listener: listeners.append((kind, listener)))
        listeners = []
        console.announce_compiling()
    ((kind, listener),) = listeners
    assert capsys.readouterr().err == ""
    with event.install_listener(kind, listener):
        for body in (lambda number: number + 1, lambda number: number + 2):
            numba.njit(body)(1)
    assert capsys.readouterr().err.strip() == console.COMPILING


def test_compiling_is_not_told_elsewhere(monkeypatch):
    monkeypatch.setattr("numba.core.event.register", lambda *_: pytest.fail("nobody sees it"))
    console.announce_compiling()
