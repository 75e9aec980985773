"""The limit on computing an equilibrium in the lobby: compilation is free, and a refusal is not final."""

from types import SimpleNamespace

import pytest

from cardwar_envs import make_game
from cardwar_envs.core.stopwatch import Stopwatch
from train.play import lobby
from train.play.seating import TooLongError, _Patience, timely_equilibrium


def test_compiling_does_not_count_against_the_limit(monkeypatch):
    clock = SimpleNamespace(perf_counter=lambda: clock.now, now=1.0)
    monkeypatch.setattr("cardwar_envs.core.stopwatch.time", clock)
    monkeypatch.setattr(Stopwatch, "loading", 0.0)
    patience = _Patience(None, 20.0)
    patience(1)
    clock.now, Stopwatch.loading = 31.0, 25.0  # a kernel was compiled in the meantime
    patience(2)
    clock.now = 51.0
    with pytest.raises(TooLongError):
        patience(3)


def test_a_refused_equilibrium_is_tried_again_when_asked_for(monkeypatch):
    place = lobby.games().index("war")
    offered = [lobby.Offer(make_game("war", ranks=3, discards=1, max_rounds=4), ["equilibrium", "uniform"])]
    monkeypatch.setattr(lobby, "offers", lambda game: offered)
    monkeypatch.setattr(lobby, "_solutions", {})
    answers = [(None, "It took too long."), timely_equilibrium(offered[0].game, 60.0)]
    monkeypatch.setattr(lobby, "timely_equilibrium", lambda game, seconds: answers.pop(0))
    with pytest.raises(ValueError, match="It took too long"):
        lobby.table_of(place, 0, 0)
    assert lobby.table_of(place, 0, 1).judge is None  # without computing it again
    assert lobby.table_of(place, 0, 0).judge is not None
    assert lobby.table_of(place, 0, 1).judge is not None
