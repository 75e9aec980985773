"""Forms of prompts: with other words and numbers than the game's own, and without the list of legal moves."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cardwar_envs import Game
from cardwar_envs.core.texts import joined
from train.policies.agent import query_for
from train.policies.agent_lines import Move, Query

# Methods whose texts a disguise must fit.
TEXTS = ("describe", "describe_action", "describe_revealed", "how_to_play")
# Cards get numbers of two digits if there are few.
LOWEST, HIGHEST = 11, 99
# Maximum number of names that the rules list if the legal moves are hidden.
MOST_NAMES = 24


class PromptForm:
    """The form of an agent's queries.

    Args:
        game: The rules.
        disguise: A seed of other names for the game's words, labels and cards; None for its own.
        hide_moves: Whether the legal moves must be found in the rules.

    Attributes:
        names: Name in the game's texts -> name in the prompts; empty without a disguise.

    Raises:
        ValueError: If the game declares no words that can be replaced, or texts that its declaration does not cover.
    """

    def __init__(self, game: Game[Any], disguise: int | Sequence[int] | None = None, hide_moves: bool = False) -> None:
        self._game, self.names, self._words, self._hide = game, dict[str, str](), dict[str, str](), hide_moves
        if disguise is not None:
            self._game, self._words, self.names = _disguised(game, np.random.default_rng(disguise))

    def query(self, observation: NDArray[np.float32], mask: NDArray[np.int8], ask: Literal["mix", "any"]) -> Query:
        """Makes a query by the names of this form; its moves have the numbers of the game's actions."""
        query = query_for(self._game, observation, mask, ask)
        moves = [Move(action=move.action, name=self._put(move.name)) for move in query.moves]
        return query.model_copy(
            update={"rules": self._put(query.rules), "state": self._put(query.state), "moves": moves}
        )

    def sent(self, query: Query) -> Query:
        """Returns what the agent gets of a query: nothing that tells the game under a disguise, or the hidden moves."""
        sent: dict[str, Any] = {}
        if self.names:
            names = sorted(move.name for move in query.moves)
            moves = [Move(action=number, name=name) for number, name in enumerate(names)]
            sent = {"game": "", "parameters": {}, "observation": [], "moves": moves}
        if self._hide:
            sent |= {"moves": [], "rules": f"{query.rules} {self._all_moves}"}
        return query.model_copy(update=sent)

    @cached_property
    def _all_moves(self) -> str:
        """A sentence that says how moves are named, without saying which are legal."""
        game, names = self._game, dict[str, None]()
        for player in range(game.facts.num_players):
            once = game.facts.max_length == 1  # then a seat's actions are those at the start, which may be fewer
            actions = game.legal_actions(game.initial()[0].state, player) if once else range(game.facts.num_actions)
            names |= dict.fromkeys(self._put(game.describe_action(action, player)) for action in actions)
        if len(names) > MOST_NAMES:
            listed = [*names]
            some = [listed[place] for place in np.linspace(0, len(listed) - 1, MOST_NAMES, dtype=int)]
            return f"Names of moves are, for example, {joined(some)}."
        return f"The names of all moves are {joined([*names])}; some may not be legal now."

    def _put(self, text: str) -> str:
        """Replaces words of the game."""

        def other(found: re.Match[str]) -> str:
            word = self._words[found[0].casefold()]
            return word.capitalize() if found[0][0].isupper() else word

        return re.sub(rf"\b({'|'.join(self._words)})\b", other, text, flags=re.IGNORECASE) if self._words else text


def _disguised(game: Game[Any], rng: np.random.Generator) -> tuple[Game[Any], dict[str, str], dict[str, str]]:
    """Returns a copy of the game with other numbers or labels, words to replace in its texts, and all new names."""
    words, kind = _new_words(rng), type(game)
    if (found := game.relabelled(words)) is not None:
        return found[0], {}, found[1]
    if not game.own_words or any(_place(kind, text) < _place(kind, "own_words") for text in TEXTS):
        raise ValueError(f"{game.facts.name} cannot be disguised: its texts have no words that it declares replaceable")
    own: dict[str, str] = {}
    for forms in map(str.split, game.own_words):
        stem = next(words)
        own |= {form.casefold(): stem + form.removeprefix(forms[0]) for form in forms}
    ranks = game.ordinal_ranks
    numbers = rng.choice(np.arange(LOWEST, max(HIGHEST, LOWEST + 3 * len(ranks))), len(ranks), replace=False)
    shown = dict(zip(ranks, sorted(numbers.tolist()), strict=True))
    other = copy.copy(game)
    object.__setattr__(
        other, "shown_ranks", tuple(shown.items())
    )  # of this copy of a frozen dataclass; the rules do not read it
    return other, own, own | {str(rank): str(number) for rank, number in shown.items()}


def _place(kind: type, name: str) -> int:
    """Returns the place of the class that defines an attribute, among a class and its parents."""
    return next(place for place, parent in enumerate(kind.__mro__) if name in vars(parent))


def _new_words(rng: np.random.Generator) -> Iterator[str]:
    """Yields words without meaning, in random order; forms such as "bid" and "bids" become "vagupe" and "vagupes"."""
    words = ["".join(letters) for letters in product("zvk", "aou", "bdgkvz", "aiou", "bdfgkmp", "e")]
    yield from (words[place] for place in rng.permutation(len(words)))
    raise ValueError(f"a game with more than {len(words):,} names cannot be disguised")
