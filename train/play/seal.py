"""Moves that are fixed before a person chooses, and shown afterwards so that anybody can check them.

The trainer writes the opponents' moves down behind a random nonce and shows the SHA-256 of that text. Afterwards
it shows the text. The nonce is there because few moves are possible: without it, hashing all of them would
tell which one it is.
"""

from __future__ import annotations

import hashlib
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cardwar_envs import Game

NONCE_BYTES = 16


@dataclass(frozen=True)
class Seal:
    """The opponents' moves in one decision. Only `digest` may be shown before the person has moved.

    Attributes:
        text: The nonce, the number of the move and what each opponent plays. It is not part of the `repr`.
    """

    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the text, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def command(self) -> str:
        """A line for a shell that computes the digest from the text."""
        return f"printf %s {shlex.quote(self.text)} | sha256sum"


def seal(game: Game[Any], number: int, moves: Mapping[int, int]) -> Seal:
    """Seals the moves (player -> action) of a person's opponents in the person's decision of that number."""
    return Seal(f"{secrets.token_hex(NONCE_BYTES)} {_sentence(game, number, moves)}")


def opens_to(text: str, game: Game[Any], number: int, moves: Mapping[int, int]) -> bool:
    """Whether a sealed text says that these moves were played."""
    return text.partition(" ")[2] == _sentence(game, number, moves)


def _sentence(game: Game[Any], number: int, moves: Mapping[int, int]) -> str:
    said = (f"player_{who} plays {game.describe_action(move, who)} (action {move})" for who, move in moves.items())
    return f"move {number}: {', '.join(said) or 'nobody else plays'}"
