"""Holds the current game of a server, and decides which requests may change it."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from cardwar_envs.core.scene import spoken
from cardwar_play import lobby
from cardwar_play.account import LENGTHS, Series
from cardwar_play.record import free_name, write_record
from cardwar_play.trainer import Table, Trainer
from cardwar_play.view import choices_in, picture_of, turn_of, view_of
from train.text.validation import Strict


class GameRequest(Strict):
    """The game and turn that the sender sees; every request that changes something contains them."""

    game: str
    turn: int


class MoveRequest(GameRequest):
    """A request to play a move."""

    action: int


class DealRequest(GameRequest):
    """A request for another game, of the same series or as the first of a series; `series` indexes the lengths."""

    series: int | None


class TableRequest(GameRequest):
    """A request for a table, given by indices in the lists of the lobby and in the list of series lengths."""

    kind: int
    size: int
    seat: int
    opponent: int
    series: int


class Refused(Exception):  # noqa: N818  # a response, not a bug
    """A refused request; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Host:
    """The current game and the games that follow it; or a lobby in which the user chooses the game.

    Attributes:
        game_id: A unique name of the game, of the lobby, or of a preparation.
    """

    def __init__(self, table: Table | None, seed: int | None, record: Path | None, length: int | None = None) -> None:
        self._trainer: Trainer | None = None
        self._preparation: lobby.Preparation | None = None
        self._chosen: TableRequest | None = None
        self._refusal = ""  # why the chosen game was not started
        self._record, self._games, self.game_id = record, 0, secrets.token_hex(8)
        self._lengths = LENGTHS if length in LENGTHS else (*LENGTHS, length)
        if table is not None:
            self._series = Series(table, length)
            self._begin(seed)

    @property
    def trainer(self) -> Trainer:
        """The current game; raises Refused in the lobby."""
        if self._trainer is None:
            raise Refused(409, "No game has been chosen yet.")
        return self._trainer

    @property
    def turn(self) -> int:
        return 0 if self._trainer is None else turn_of(self._trainer)

    def view(self) -> dict[str, Any]:
        """Returns the data that the page shows."""
        self._settle()
        common = {"game": self.game_id, "turn": self.turn, "lengths": self._lengths}
        if self._trainer is None:
            return {**common, **self._lobby_view()}
        trainer, game, series = self.trainer, self.trainer.table.game, self._series
        return {
            **view_of(trainer),
            **common,
            "out": trainer.ending == "out",
            "choices": choices_in(game, trainer.table.seat, trainer.choices),
            "picture": picture_of(game.scene(trainer.revealed())),
            "series": {
                "length": series.length,
                "decided": series.decided,
                "standing": series.standing,
                "said": series.sentences() if len(series.results) > 1 else [],
            },
        }

    def _lobby_view(self) -> dict[str, Any]:
        """Returns the games, the last choice, its refusal; what is being prepared, for how many seconds, and how."""
        work, chosen = self._preparation, self._chosen
        return {
            "lobby": [(spoken(name), lobby.summary(name)) for name in lobby.games()],
            "chosen": chosen and [chosen.kind, chosen.size, chosen.seat, chosen.opponent, chosen.series],
            "refusal": self._refusal,
            "preparing": work and [work.what, work.seconds, work.steps],
        }

    def _begin(self, seed: int | None = None) -> None:
        self._trainer = Trainer(self._series.table, secrets.randbits(32) if seed is None else seed)
        self.game_id = secrets.token_hex(8)
        self._games += 1
        self._keep()

    def choose(self, request: TableRequest) -> None:
        """Begins to set up the table chosen in the lobby, which can take a minute."""
        self._check(request)
        if self._trainer is not None or self._preparation is not None:
            raise Refused(409, "A game has been chosen already.")
        lobby.at(self._lengths, request.series)
        self._preparation = lobby.Preparation(request.kind, request.size, request.opponent, request.seat)
        self._chosen, self._refusal, self.game_id = request, "", secrets.token_hex(8)

    def _settle(self) -> None:
        """Starts the game at the chosen table if it is ready."""
        work, chosen = self._preparation, self._chosen
        if work is None or chosen is None or not work.over:
            return
        self._preparation, self._refusal, self.game_id = None, work.refusal, secrets.token_hex(8)
        if work.table is not None:
            self._series = Series(work.table, self._lengths[chosen.series])
            self._begin()

    def leave(self, request: GameRequest) -> None:
        """Returns to the lobby once the game has ended; drops a game that is still being prepared."""
        self._check(request)
        if self._preparation is None:
            self._check_ended()
        else:
            self._preparation.drop()
        self._trainer = self._preparation = None
        self._refusal, self.game_id = "", secrets.token_hex(8)

    def move(self, request: MoveRequest) -> None:
        self._check(request)
        self.trainer.play(request.action)
        self._keep()

    def give_up(self, request: GameRequest) -> None:
        self._check(request)
        self.stop("given up")

    def watch(self, request: GameRequest) -> None:
        """Plays on to the end without the human player, who is out of the game."""
        self._check(request)
        self.trainer.watch()

    def new(self, request: DealRequest) -> None:
        """Starts another game with another seed; the current game must have ended."""
        self._check(request)
        self._check_ended()
        if request.series is not None:
            self._series = Series(self._series.table, lobby.at(self._lengths, request.series))
        self._begin()

    def stop(self, ending: str) -> None:
        """Ends the game, if it is in progress, or its preparation."""
        if self._preparation is not None:
            self._preparation.drop()
        if self._trainer is not None and self._trainer.ending is None:
            self._trainer.stop(ending)
            self._keep()

    def _check(self, request: GameRequest) -> None:
        self._settle()
        if request.game != self.game_id:
            raise Refused(409, "That game has ended, in another tab. This page now shows the current state.")
        if request.turn != self.turn:
            raise Refused(409, "The game has moved on, in another tab. This page now shows its current state.")

    def _check_ended(self) -> None:
        if self.trainer.ending is None:
            raise Refused(409, "This game is still in progress. Give it up first.")

    def _keep(self) -> None:
        """Adds a finished game to the series and writes its record to a new file; no file is overwritten."""
        if self.trainer.ending is None:
            return
        self._series.add(self.trainer)
        if self._record is not None:
            write_record(self.trainer, free_name(self._record, self._games))
