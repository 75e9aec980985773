"""Commitments to the opponents' moves, made before the human player chooses and opened afterwards.

The trainer shows the SHA-256 of a string with a random nonce and the opponents' moves, and later the string itself.
Without the nonce, the moves could be found by hashing all possible strings.
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
    """A commitment to the opponents' moves. Only `digest` may be shown before the human player has moved."""

    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of the string, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def opened(self) -> dict[str, str]:
        """The string and its digest."""
        return {"digest": self.digest, "text": self.text}

    @property
    def command(self) -> str:
        """A shell command that computes the digest from the string."""
        return f"printf %s {shlex.quote(self.text)} | sha256sum"


def seal(game: Game[Any], number: int, moves: Mapping[int, int]) -> Seal:
    """Seals the opponents' moves (player -> action) at the human player's decision `number`."""
    return Seal(f"{secrets.token_hex(NONCE_BYTES)} {_sentence(game, number, moves)}")


def opens_to(text: str, game: Game[Any], number: int, moves: Mapping[int, int]) -> bool:
    """Returns whether a sealed string commits to these moves."""
    return text.partition(" ")[2] == _sentence(game, number, moves)


def _sentence(game: Game[Any], number: int, moves: Mapping[int, int]) -> str:
    said = (f"player_{who} plays {game.describe_action(move, who)} (action {move})" for who, move in moves.items())
    return f"move {number}: {', '.join(said) or 'nobody else plays'}"
