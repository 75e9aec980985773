"""Size limits for solving games and for measuring policies exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from math import comb
from typing import Any

from baselines.oracles.rank_games.interleavings import MOST_ROWS, fits
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import hands_from
from cardwar_envs.games.goofspiel import Goofspiel

# Card counts in a pair of hands are stored as bytes.
MOST_CARDS = 255
# A small network takes minutes to evaluate this many states.
MOST_STATES = 50_000_000
# Limit on matrix games of Goofspiel evaluated without queries: 13 cards in random order have 1.3 billion.
MOST_GAMES = 2_000_000_000
# Limit on the matrix games of Goofspiel to solve: 13 cards in random order have 1.3 billion, 14 cards 7.7 billion.
MAX_GAMES = 10_000_000_000


def ranks_matter(game: Game[Any]) -> bool:
    """Returns whether a game has the rules of `Goofspiel`, or of `Duel` if only the order of ranks matters."""
    if same_rules_as(game, Goofspiel):
        return True
    return same_rules_as(game, Duel) and game.ranks_are_ordinal and len(game.hands[0]) <= MOST_CARDS


def quick_states(game: Game[Any]) -> int:
    """Returns the limit on the states, so that measuring a policy takes seconds; any duel is quick enough."""
    if isinstance(game, Duel):
        return MOST_STATES
    return 1_000_000 if isinstance(game, Goofspiel) and game.view == "word" else 100_000


def require_size(game: Duel) -> None:
    """Raises a ValueError if a policy would have to be queried at too many states."""
    pairs, states = states_at_most(game)
    if states > MOST_STATES:
        raise ValueError(
            f"{game.facts.name} has {pairs:,} pairs of hands and up to {states:,} undecided states, more than "
            f"{MOST_STATES:,}; there are far fewer with view='word', or for policies that declare by_words"
        )


def states_at_most(game: Duel) -> tuple[int, int]:
    """Counts pairs of hands with cards left, and bounds the number of undecided states.

    The bound counts every score and number of carried ties possible after the tricks played.
    """
    cards, hands = len(game.hands[0]), [hands_from(hand) for hand in game.hands]
    pairs = [first * second for first, second in zip(*hands, strict=True)]
    states = 0
    for left in range(1, cards + 1):
        played = cards - left
        for ties in range(played + 1 if game.ties == "carry" else 1):
            most = min(played - ties, left + ties) if game.payoff == "win" else played - ties
            states += pairs[left] * (most + 1 if game.ties == "carry" else 2 * most + 1)
    return sum(pairs[1:]), states


def require_evaluable(game: Goofspiel, most: int | None, *, packed: bool, scored: bool, queries: int) -> int:
    """Returns the limit on the states where policies of Goofspiel are evaluated; raises a ValueError if there are more.

    Args:
        game: The rules.
        most: The limit, if given.
        packed: Whether the states are interleavings.
        scored: Whether the score matters.
        queries: The number of queries at each state.
    """
    if not packed:
        most = most or MOST_STATES
        if not game.keeps_score:
            sizes = "undecided states", "can be enumerated"
            _require(game, _states(game), most, *sizes, lambda sized: _states(sized) <= most)
        return most
    paid = replace(game, payoff="win") if scored else game
    if queries:
        require_matrix_games(paid, (most or MOST_STATES) // queries, f"can be queried {queries} times each")
        return most or MOST_STATES
    require_matrix_games(paid, most or MOST_GAMES, "can be evaluated")
    return most or MOST_GAMES


def _states(game: Goofspiel) -> int:
    """Returns a lower bound on the undecided states; 0 if the score matters."""
    return game.count_states(False) or 0


def require_matrix_games(game: Goofspiel, most: int, can_be: str) -> None:
    """Raises a ValueError if Goofspiel has too many matrix games; `can_be` completes "at most `most` games ..."."""

    def possible(sized: Goofspiel) -> bool:
        rows = max(sized.interleavings(left) for left in sized.cards) // 2  # at least
        return fits((sized.cards, sized.cards)) and rows <= MOST_ROWS and matrix_games(sized) <= most

    _require(game, matrix_games(game), most, "matrix games", can_be, possible)


def _require(
    game: Goofspiel, count: int, most: int, counted: str, can_be: str, possible: Callable[[Goofspiel], bool]
) -> None:
    """Raises a ValueError that names the largest size that works."""
    if possible(game):
        return
    largest = next(size for size in itertools.count(0) if not possible(game.with_size(size + 1)))
    raise ValueError(
        f"{game.facts.name} has about {count:,} {counted}; at most {most:,} {can_be}, so the largest size that works "
        f"with these other parameters is {largest}"
    )


def matrix_games(game: Goofspiel) -> int:
    """Estimates the number of matrix games; exact if neither score nor carried points matter."""
    plain = Goofspiel(game.num_cards, game.prizes)
    n, total = game.num_cards, 0
    for left in range(1, n + 1):
        words = plain.interleavings(left)
        prizes = comb(n, left) * left if game.prizes == "random" else 1
        gone = (n - left) * (n + 1) // 2  # on average
        scores = 2 * min(gone, left * (n + 1) // 2) + 1 if game.keeps_score else 1
        carried = 1 + (n - left) if game.ties == "carry" else 1
        total += words * prizes * scores * carried
    return (total + 1) // 2
