"""Many games between policies, played in batches, and what a policy gets in them, with confidence intervals.

`baselines.cross_play` also counts rounds and knows how games of WAR end; this plays anything that batches play, fast,
and looks at payoffs only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.intervals import CONFIDENCE, Interval, mean_interval, share_interval
from baselines.oracles.consistency import RecordingPolicies
from baselines.oracles.protocol import Progress, lead
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy, checked_probabilities, seated_policies
from cardwar_envs.core.streams import draw, new_streams
from cardwar_envs.envs.engines.engine import chosen_actions
from cardwar_envs.envs.game_batch import GameBatch

# Games side by side: at most so many, and not more entries of masks in all.
MOST_GAMES, MOST_MASKS = 4096, 1 << 23
# Entries of one answer of a policy at most.
MOST_ENTRIES = 1 << 20
CERTAIN_TO = 1e-9
SEEDS = range(1 << 64)
# Of games with more deals each seat is played.
MOST_DEALS = 1000


@dataclass(frozen=True)
class Match:
    """What a policy gets against others: a sample, unless nothing is left to chance.

    Attributes:
        games: Games played, in all seats together.
        payoff: The policy's mean payoff over its seats, payoff points.
        wins: Share of the games in which the policy got more than every other player.
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
    """Plays a policy against others, equally often in each seat (in one seat if the game is alike for all).

    Args:
        game: The rules, for any number of players.
        policy: The policy in question, an object or a name.
        others: The policies in the other seats, round the table from the next one; or one policy for all of them.
        games: Games to play in all. If every policy plays with certainty and the game has no chance, each seat
            needs only one.
        seed: Seed of everything random.
        confidence: Of each of the two intervals.
        progress: Called now and then with the number of games that are over.

    Raises:
        ValueError: If there are fewer games than seats to play in, the number of policies is wrong, or a policy does
            not answer with probabilities.
    """
    require_game(game)
    players = game.facts.num_players
    seats = range(1 if alike_for_all(game) else players)
    games = whole_number("games", games)
    if games < len(seats):
        raise ValueError(f"games ({games}) must be at least {len(seats)}, one for each seat")
    around = _around_the_table(policy, others, players)
    payoffs: list[NDArray[np.float64]] = []
    certain, before = True, 0
    for seat in seats:
        line_up = [around[(place - seat) % players] for place in range(players)]
        share = games // len(seats) + (seat < games % len(seats))
        told = None if progress is None else partial(_counted, progress, before)
        played, was_certain = _played(game, line_up, share, [seed, seat], told)
        payoffs.append(np.roll(played, -seat, axis=1))
        before += len(played)
        certain &= was_certain
    return _summary(game, np.concatenate(payoffs), certain, confidence)


def _around_the_table(
    policy: Policy | str, others: Sequence[Policy | str] | Policy | str, players: int
) -> list[Policy | str]:
    """The policies of all players, from the one in question on."""
    if isinstance(others, str) or not isinstance(others, Sequence):
        others = [others] * (players - 1)
    if len(others) != players - 1:
        raise ValueError(f"{len(others)} policies given for the {players - 1} other players")
    return [policy, *others]


def _summary(game: Game[Any], payoffs: NDArray[np.float64], certain: bool, confidence: float) -> Match:
    """What payoffs `[games, players]` say of the first player; nothing is left to chance if they are certain."""
    own, facts = payoffs[:, 0], game.facts
    won: NDArray[np.bool_] = np.all(lead(payoffs[:, :1], payoffs[:, 1:]) > 0.0, axis=1)
    if certain:
        mean, share_won = float(own.mean()), float(won.mean())
        return Match(len(own), Interval(mean, mean, mean), Interval(share_won, share_won, share_won))
    return Match(
        len(own),
        mean_interval(own, facts.min_payoff, facts.max_payoff, confidence),
        share_interval(int(won.sum()), len(won), confidence),
    )


def _counted(progress: Progress, before: int, done: int) -> None:
    progress(before + done)


def alike_for_all(game: Game[Any]) -> bool:
    """Whether it makes no difference which seat one has: neither the rules nor the deal tell seats apart."""
    facts = game.facts
    if not (facts.seat_symmetric and facts.public_state):
        return False
    deals = game.initial()
    first, *others = range(facts.num_players)
    return len(deals) <= MOST_DEALS and all(
        np.array_equal(game.observation(deal.state, first), game.observation(deal.state, other))
        for deal in deals
        for other in others
    )


def play_games(
    game: Game[Any],
    policies: Sequence[Policy | str],
    games: int,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """Plays games between policies.

    Args:
        game: The rules.
        policies: A policy, or the name of one, per seat.
        games: How many games; one if every policy plays with certainty and the game has no chance.
        seed: Seed of everything random.
        progress: Called now and then with the number of games that are over.

    Returns:
        `[games, players]` payoff points of whole games.

    Raises:
        ValueError: If the number of games or of policies is wrong, or a policy does not answer with probabilities.
    """
    require_game(game)
    return _played(game, policies, games, [seed, 0], progress)[0]


def _played(
    game: Game[Any], policies: Sequence[Policy | str], games: int, seed: list[int], progress: Progress | None
) -> tuple[NDArray[np.float64], bool]:
    """`[games, players]` payoffs, and whether they are those of the only possible game."""
    games, seed = whole_number("games", games, range(1, 1 << 40)), [whole_number("seed", each, SEEDS) for each in seed]
    players = seated_policies(policies, game)
    if game.facts.chance == "none":
        witnesses = RecordingPolicies(game, players)
        table = _Table(game, witnesses.seats, 1, seed)
        payoffs = table.play(1, None)
        if table.certain and witnesses.answer_alike():
            return payoffs, True
    fitting = MOST_MASKS // (game.facts.num_players * game.facts.num_actions)
    return _Table(game, players, min(games, MOST_GAMES, max(16, fitting)), seed).play(games, progress), False


class _Table:
    """Games side by side. Each place plays a number of games that is fixed beforehand.

    To take the games that end first instead would prefer short ones.
    """

    def __init__(self, game: Game[Any], policies: Sequence[Policy], places: int, seed: list[int]) -> None:
        first = int(np.random.SeedSequence(seed).generate_state(1)[0])
        self._batch = GameBatch(game, places, first, reuse=True)
        self._policies = policies
        # The batch has the first half of these, so no number is drawn twice.
        self._streams = new_streams(first, 2 * places)[places:]
        self.certain = True

    def play(self, games: int, progress: Progress | None) -> NDArray[np.float64]:
        """`[games, players]` payoffs."""
        left = np.full(self._batch.num_games, games // self._batch.num_games)
        left[: games % len(left)] += 1
        running = np.zeros((len(left), self._batch.game.facts.num_players))
        over: list[NDArray[np.float64]] = []
        played = 0
        observations, masks = self._batch.reset()
        while len(left):
            observations, masks, rewards, ended = self._batch.step(self._joint_actions(observations, masks))
            running += rewards
            if not ended.any():
                continue
            over.append(running[ended])
            running[ended] = 0.0
            left[ended] -= 1
            played += int(ended.sum())
            if progress is not None:
                progress(played)
            if not left.all():  # nobody looks at the other places any more
                going_on = left > 0
                left, running, self._streams = left[going_on], running[going_on], self._streams[going_on]
                observations, masks = self._batch.keep(going_on)
        return np.concatenate(over)

    def _joint_actions(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """`[places, players]`."""
        acting = self._batch.acting()
        actions = np.zeros(acting.shape, dtype=np.int64)
        seats_of = defaultdict(list)
        for seat, policy in enumerate(self._policies):
            seats_of[id(policy)].append(seat)
        for seats in seats_of.values():
            policy, here = self._policies[seats[0]], np.zeros_like(acting)
            here[:, seats] = acting[:, seats]
            if not here.any():
                continue
            if getattr(policy, "plays_uniformly", False):  # batches play it themselves, and compiled
                actions[here] = self._batch.uniform_actions()[here]
                self.certain &= self.certain and bool((np.count_nonzero(masks[here], axis=1) == 1).all())
            else:
                places, who = np.nonzero(here)
                actions[here] = self._answers(policy, observations[places, who], masks[places, who], places)
        return actions

    def _answers(
        self, policy: Policy, observations: NDArray[np.float32], masks: NDArray[np.int8], places: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Actions that a policy draws, `[rows]`; `places` says whose stream each row draws from."""
        drawn, chosen = self._drawn(places), np.empty(len(places), dtype=np.int64)
        rows = max(1, MOST_ENTRIES // masks.shape[1])
        for begin in range(0, len(places), rows):
            now = slice(begin, begin + rows)
            answer = checked_probabilities(policy, observations[now], masks[now])
            self.certain &= self.certain and bool((answer.max(axis=1) >= 1.0 - CERTAIN_TO).all())
            chosen[now] = chosen_actions(answer, drawn[now])
        return chosen

    def _drawn(self, places: NDArray[np.intp]) -> NDArray[np.float64]:
        drawn, waiting = np.empty(len(places)), np.arange(len(places))
        while len(waiting):  # several seats of one game can ask at once, but a stream gives one number at a time
            _, first = np.unique(places[waiting], return_index=True)
            now = waiting[first]
            drawn[now] = draw(self._streams, places[now])
            waiting = np.delete(waiting, first)
        return drawn
