"""Matches of a policy against others, with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matches.games import SEEDS, only_game, sampled_games, winners_of
from baselines.matches.intervals import CONFIDENCE, Interval, mean_interval, share_interval
from baselines.oracles.answers.protocol import Progress
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import seated_policies

# Games with more deals are played from every seat.
MOST_DEALS = 1000


@dataclass(frozen=True)
class Match:
    """Results of a policy against others: estimates, or exact if there is no randomness.

    Attributes:
        games: Number of games, over all seats.
        payoff: The policy's mean payoff over its seats, in payoff points.
        wins: Fraction of the games in which the policy gets more than every other player.
    """

    games: int
    payoff: Interval
    wins: Interval


def match(
    game: Game[Any],
    policy: Policy | str,
    others: Sequence[Policy | str] | Policy | str,
    *,
    games: int = 1000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
) -> Match:
    """Plays a policy against others, equally often in each seat, or only in one if all seats are equivalent.

    Args:
        game: The rules, for any number of players.
        policy: The policy to evaluate; an object or a name.
        others: The policies in the other seats, in seating order after the policy; or one policy for all of them.
        games: Total number of games. If every policy is deterministic and the game has no chance, one game
            per seat is played.
        seed: Seeds all randomness.
        confidence: Level of each of the two intervals.
        progress: Called occasionally with the number of finished games.

    Raises:
        ValueError: If there are fewer games than seats to play in, the number of policies is wrong, or a policy does
            not return probabilities.
    """
    require_game(game)
    players = game.facts.num_players
    seats = range(1 if alike_for_all(game) else players)
    games, seed = whole_number("games", games), whole_number("seed", seed, SEEDS)
    if games < len(seats):
        raise ValueError(f"games ({games}) must be at least {len(seats)}, one for each seat")
    if isinstance(others, str) or not isinstance(others, Sequence):
        others = [others] * (players - 1)
    if len(others) != players - 1:
        raise ValueError(f"{len(others)} policies given for the {players - 1} other players")
    around = [policy, *others]
    line_ups = [seated_policies([*around[-seat:], *around[:-seat]], game) for seat in seats]
    played = [only_game(game, line_up, [seed, seat]) for seat, line_up in enumerate(line_ups)]
    certain = all(only is not None for only in played)
    before = 0
    for seat, line_up in enumerate([] if certain else line_ups):
        share = games // len(seats) + (seat < games % len(seats))
        report = None if progress is None else partial(lambda before, done: progress(before + done), before)
        played[seat] = sampled_games(game, line_up, share, [seed, seat], report)
        before += share
    payoffs = [np.roll(each.payoffs, -seat, axis=1) for seat, each in enumerate(played) if each is not None]
    return _summary(game, np.concatenate(payoffs), certain, confidence)


def _summary(game: Game[Any], payoffs: NDArray[np.float64], certain: bool, confidence: float) -> Match:
    """Summarises payoffs `[games, players]` for the first player; exact if `certain`."""
    own, facts = payoffs[:, 0], game.facts
    won = winners_of(payoffs) == 0
    if certain:
        mean, share_won = float(own.mean()), float(won.mean())
        return Match(len(own), Interval(mean, mean, mean), Interval(share_won, share_won, share_won))
    return Match(
        len(own),
        mean_interval(own, facts.min_payoff, facts.max_payoff, confidence),
        share_interval(int(won.sum()), len(won), confidence),
    )


def alike_for_all(game: Game[Any]) -> bool:
    """Returns whether rules and deal treat all seats alike."""
    facts = game.facts
    if not (facts.seat_symmetric and facts.public_state):
        return False
    deals = game.initial()
    first, *others = range(facts.num_players)
    return len(deals) <= MOST_DEALS and all(
        deal.rewards[first] == deal.rewards[other]
        and np.array_equal(game.observation(deal.state, first), game.observation(deal.state, other))
        for deal in deals
        for other in others
    )
