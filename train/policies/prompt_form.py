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
TEXTS = ("describe", "describe_action", "describe_revealed", "how_to_play", "seat_in_words")
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
        game: The rules.
        names: Name in the game's texts -> name in the prompts; empty without a disguise.

    Raises:
        ValueError: If the game declares no words that can be replaced, or texts that its declaration does not cover.
    """

    def __init__(self, game: Game[Any], disguise: int | Sequence[int] | None = None, hide_moves: bool = False) -> None:
        self.game, self.names, self._hide = game, dict[str, str](), hide_moves
        self._shown, self._words = game, dict[str, str]()
        if disguise is not None:
            self._disguise(np.random.default_rng(disguise))

    def queries(
        self, observation: NDArray[np.float32], mask: NDArray[np.int8], ask: Literal["mix", "any"]
    ) -> tuple[Query, Query]:
        """Returns a query by the names of this form, with the game's actions, and what the agent gets of it.

        The agent gets nothing that tells the game under a disguise, and no hidden moves.
        """
        query = query_for(self._shown, observation, mask, ask)
        moves = [Move(action=move.action, name=self._put(move.name)) for move in query.moves]
        changes: dict[str, Any] = {"rules": self._put(query.rules), "state": self._put(query.state), "moves": moves}
        query = query.model_copy(update=changes)
        if self.names:
            if not query.state:
                raise ValueError(f"{self.game.facts.name} has too many states to describe one under a disguise")
            moves = [Move(action=number, name=move.name) for number, move in enumerate(moves)]
            changes |= {"game": "", "parameters": {}, "observation": [], "moves": moves}
        if self._hide:
            changes |= {"moves": [], "rules": f"{query.rules} {self._names_of_moves}"}
        return query, query.model_copy(update=changes)

    @cached_property
    def _names_of_moves(self) -> str:
        """A sentence that says how moves are named, without saying which are legal."""
        game, names = self._shown, dict[str, None]()
        for player in range(game.facts.num_players):
            once = game.facts.max_length == 1  # then a seat's actions are those at the start, which may be fewer
            actions = game.legal_actions(game.initial()[0].state, player) if once else range(game.facts.num_actions)
            names |= dict.fromkeys(self._put(game.describe_action(action, player)) for action in actions)
        some = joined([*names][:: -(-len(names) // MOST_NAMES)])
        return f"Moves have names such as {some}; some may not be legal now."

    def _put(self, text: str) -> str:
        """Replaces words of the game."""

        def other(found: re.Match[str]) -> str:
            word = self._words[found[1].casefold()]
            return word.capitalize() if found[0][0].isupper() else word

        pattern = rf"\b({'|'.join(map(re.escape, self._words))})(?=(s|e?d)?\b)"
        return re.sub(pattern, other, text, flags=re.IGNORECASE) if self._words else text

    def _disguise(self, rng: np.random.Generator) -> None:
        """Replaces the game's labels, or its words and the numbers of its cards."""
        game, words = self.game, _new_words(rng)
        if (relabelled := game.relabelled(words)) is not None:
            self._shown, self.names = relabelled
            return
        owner = next(each for each in type(game).__mro__ if "own_words" in vars(each))
        if not game.own_words or any(getattr(type(game), text) is not getattr(owner, text) for text in TEXTS):
            raise ValueError(f"{game.facts.name} cannot be disguised: it has texts without `own_words` to replace")
        self._words = {word.casefold(): next(words) for word in game.own_words}
        ranks = game.ordinal_ranks
        numbers = rng.choice(np.arange(LOWEST, max(HIGHEST, LOWEST + 3 * len(ranks))), len(ranks), replace=False)
        shown = tuple(zip(ranks, sorted(numbers.tolist()), strict=True))
        self._shown = copy.copy(game)
        object.__setattr__(self._shown, "shown_ranks", shown)  # of a frozen dataclass; the rules do not read it
        self.names = self._words | {str(rank): str(number) for rank, number in shown}


def _new_words(rng: np.random.Generator) -> Iterator[str]:
    """Yields words without meaning, in random order; forms such as "bid" and "bids" become "vagupe" and "vagupes"."""
    words = ["".join(letters) for letters in product("zvk", "aou", "bdgkvz", "aiou", "bdfgkmp", "e")]
    yield from (words[place] for place in rng.permutation(len(words)))
    raise ValueError(f"a game with more than {len(words):,} names cannot be disguised")
