"""The games of a server, one at a time, and which requests may change them."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from cardwar_envs import Game
from train.play.record import free_name, write_record
from train.play.trainer import Table, Trainer
from train.play.view import turn_of
from train.validation import Strict


class Asked(Strict):
    """The game and turn that the sender sees; part of every request that changes something."""

    game: str
    turn: int


class AskedMove(Asked):
    """A move."""

    action: int


class Refused(Exception):  # noqa: N818  # a response, not a bug
    """A refused request; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Host:
    """The current game and the next ones.

    Attributes:
        trainer: The game.
        game_id: Its name, which no other game has.
    """

    def __init__(self, table: Table, seed: int | None, record: Path | None) -> None:
        self._table, self._record, self._games = table, record, 0
        self._begin(seed)

    @property
    def game(self) -> Game[Any]:
        return self._table.game

    def _begin(self, seed: int | None = None) -> None:
        self.trainer = Trainer(self._table, secrets.randbits(32) if seed is None else seed)
        self.game_id = secrets.token_hex(8)
        self._games += 1
        self._keep()

    def move(self, asked: AskedMove) -> None:
        self._check(asked)
        self.trainer.play(asked.action)
        self._keep()

    def give_up(self, asked: Asked) -> None:
        self._check(asked)
        self.stop("given up")

    def new(self, asked: Asked) -> None:
        """Begins another game, with another seed, once this one has ended."""
        self._check(asked)
        if self.trainer.ending is None:
            raise Refused(409, "This game is still in progress. Give it up first.")
        self._begin()

    def stop(self, ending: str) -> None:
        """Ends the game, if it goes on."""
        if self.trainer.ending is None:
            self.trainer.stop(ending)
            self._keep()

    def _check(self, asked: Asked) -> None:
        if asked.game != self.game_id:
            raise Refused(409, "That request was for another game. This page now shows the current one.")
        if asked.turn != turn_of(self.trainer):
            raise Refused(409, "The game has moved on, in another tab. This page now shows its current state.")

    def _keep(self) -> None:
        """Writes the record of a game that has ended; those of later games go beside it, over no other file."""
        if self._record is not None and self.trainer.ending is not None:
            write_record(self.trainer, free_name(self._record, self._games))
