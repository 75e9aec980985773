"""The lobby: what it offers, and the limit on computing an equilibrium."""

import os
import sys
import time
from types import SimpleNamespace

import pytest

from cardwar_envs import make_game
from cardwar_envs.core import compiled
from cardwar_envs.core.process import Stopwatch
from cardwar_play import lobby
from cardwar_play.host import GameRequest, Host, TableRequest
from cardwar_play.seating import TooLongError, _Patience, quick_size, timely_equilibrium
from cardwar_play.trainer import Trainer


def test_compiling_does_not_count_against_the_limit(monkeypatch):
    clock = SimpleNamespace(perf_counter=lambda: clock.now, process_time=lambda: 0.0, now=1.0)
    monkeypatch.setattr("cardwar_envs.core.process.time", clock)
    monkeypatch.setattr(Stopwatch, "loading", 0.0)
    patience = _Patience(None, 20.0)
    patience(1)
    clock.now, Stopwatch.loading = 31.0, 25.0  # a kernel was compiled in the meantime
    patience(2)
    clock.now = 51.0
    with pytest.raises(TooLongError):
        patience(3)


def test_a_smaller_size_that_takes_seconds_is_found():
    assert quick_size(make_game("goofspiel", num_cards=4)) == {"num_cards": 3}
    assert quick_size(make_game("jujitsu", num_cards=500))["num_cards"] >= 3
    assert quick_size(make_game("jujitsu", num_cards=9), exact=True)["num_cards"] in range(3, 9)
    assert quick_size(make_game("war", num_players=3)) == {}


def test_a_refused_equilibrium_is_tried_again_when_asked_for(monkeypatch):
    place = lobby.games().index("war")
    offered = [lobby.Offer(make_game("war", ranks=3, discards=1, max_rounds=4))]
    hard, easy = map(offered[0].opponents.index, ("equilibrium", "uniform"))
    monkeypatch.setattr(lobby, "offers", lambda game: offered)
    monkeypatch.setattr(lobby, "_solutions", {})
    answers = [(None, "it took too long"), timely_equilibrium(offered[0].game, 60.0)]
    monkeypatch.setattr(lobby, "timely_equilibrium", lambda *_: answers.pop(0))
    with pytest.raises(ValueError, match="the equilibrium is not available: it took too long"):
        lobby.table_of(place, 0, hard, 0)
    table = lobby.table_of(place, 0, easy, 0)  # without computing it again
    assert (table.judge, table.without_costs) == (None, "Moves are not judged: it took too long.")
    assert lobby.table_of(place, 0, hard, 0).judge is not None
    assert lobby.table_of(place, 0, easy, 0).judge is not None


def test_sizes_are_numbers_and_the_first_one_is_short_and_for_two(monkeypatch):
    monkeypatch.setattr("cardwar_envs.core.kernels._compiled", {})
    monkeypatch.setattr("cardwar_envs.core.compiled.quickest", None)  # nothing here may load or compile kernels
    lobby.offers.cache_clear()
    entries = {name: [offer.entry for offer in lobby.offers(place)] for place, name in enumerate(lobby.games())}
    sizes = {name: [entry["size"] for entry in each] for name, each in entries.items()}
    assert sizes["jujitsu"] == ["5 cards", "8 cards", "13 cards (full game)"]
    assert sizes["dice_wars"][-1] == "6 stacks (full game)"
    assert sizes["war"][0] == "4 ranks, 1 discard"  # the limit on rounds is no size
    assert sizes["war"][-1] == "3 players, 12 ranks, 3 discards"
    first = {name: [entry["size"] for entry in each if entry["first"]][-1:] for name, each in entries.items()}
    assert first["dice_poker"] == ["6 sides (full game)"]
    assert (first["jujitsu"], first["goofspiel"]) == (["5 cards"], ["5 cards"])
    assert first["war"] == first["lowest_unique"] == []
    assert {name for name, each in entries.items() if len(each[0]["seats"]) > 1} == {"dice_poker", "liars_dice"}
    opponents = {name: [entry["opponents"] for entry in each] for name, each in entries.items()}
    assert opponents["jujitsu"][1][0] == "Perfect player"
    assert opponents["jujitsu"][2][0].startswith("Level ")  # the equilibrium of 13 cards takes long
    assert "Perfect player" in opponents["jujitsu"][2]
    told = [dict(zip(each["opponents"], each["plays"], strict=True))["Perfect player"] for each in entries["jujitsu"]]
    assert ["prove impossible" in each for each in told] == [False, False, True]
    assert all("Perfect player" not in each for each in opponents["lowest_unique"])


def test_a_game_at_the_size_selected_first_starts_without_compiling(monkeypatch):
    seconds_in = {}

    def quickest(name, seconds):
        seconds_in[name] = seconds_in.get(name, 0.0) + seconds
        assert seconds_in[name] <= compiled.BEFORE_COMPILING, f"{lobby.games()[place]} compiles {name}"
        return compiled._copies(name)

    monkeypatch.setattr("cardwar_envs.core.kernels._compiled", {})
    monkeypatch.setattr(compiled, "quickest", quickest)
    monkeypatch.setattr(lobby, "_solutions", {})
    for place in range(len(lobby.games())):
        for size in [size for size, offer in enumerate(lobby.offers(place)) if offer.first][-1:]:
            seconds_in.clear()  # as in a new process
            trainer = Trainer(lobby.table_of(place, size, 0, 0), 1)
            while trainer.ending is None:
                trainer.play(trainer.choices[0])


def test_a_size_that_is_being_compiled_can_be_left_at_once(monkeypatch, tmp_path):
    noted = tmp_path / "pid"
    script = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    monkeypatch.setattr(lobby, "COMPILER", (sys.executable, "-S", "-c", script))
    monkeypatch.setattr(lobby, "_compiled", set())
    monkeypatch.setattr("cardwar_envs.core.kernels._compiled", {})
    monkeypatch.setattr(compiled, "_is_cached", lambda name: False)
    monkeypatch.setattr(compiled, "BEFORE_COMPILING", -1.0)
    monkeypatch.setattr(compiled, "compile_elsewhere", None)  # restored, whatever the lobby sets
    host, kind = Host(None, None, None), lobby.games().index("goofspiel")
    host.choose(TableRequest(game=host.game_id, turn=0, kind=kind, size=1, seat=0, opponent=0, series=0))
    preparation = host._preparation
    while not (noted.exists() and noted.read_text()):
        time.sleep(0.01)
    assert not preparation.over
    host.leave(GameRequest(game=host.game_id, turn=0))
    preparation._thread.join(10)
    assert preparation.over
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)
