"""Plays many games between policies side by side, in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import RecordingPolicies, tables_counted
from baselines.oracles.answers.protocol import Progress, lead
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.policy_names import seated_policies
from cardwar_envs.core.streams import draw, new_streams
from cardwar_envs.envs.engines import new_engine
from cardwar_envs.envs.engines.engine import chosen_actions

# Limits on the games in a batch, and on the entries of their masks.
MOST_GAMES, MOST_MASKS = 4096, 1 << 23
# Limit on the entries of the array that a policy returns for one query.
MOST_ENTRIES = 1 << 20
CERTAIN_TO = 1e-9
SEEDS, MOST = range(1 << 64), range(1, 1 << 40)
NOBODY = -1
# Summarises a finished game from its last state and its number of joint actions.
AtEnd = Callable[[Any, int], Any]


class Played(NamedTuple):
    """Finished games."""

    payoffs: NDArray[np.float64]  # `[games, players]` payoff points of whole games
    ends: list[Any]  # what `at_end` returned for each game, in the same order


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
        policies: One policy, or its name, per seat.
        games: Number of games; one is played if every policy is deterministic and the game has no chance.
        seed: Seeds all randomness.
        progress: Called occasionally with the number of finished games.

    Returns:
        `[games, players]` payoff points of whole games.

    Raises:
        ValueError: If the number of games or of policies is wrong, or a policy does not return probabilities.
    """
    require_game(game)
    games, seeds = whole_number("games", games, MOST), [whole_number("seed", seed, SEEDS), 0]
    players = seated_policies(policies, game)
    played = only_game(game, players, seeds) or sampled_games(game, players, games, seeds, progress)
    return played.payoffs


def only_game(
    game: Game[Any], players: Sequence[Policy], seeds: list[int], at_end: AtEnd | None = None
) -> Played | None:
    """Plays the only possible game between the policies.

    Returns None if there is randomness: in the deal, a transition, a mixed strategy, or an inconsistent policy.
    """
    recorded = RecordingPolicies(game, players)
    table = _Batch(game, recorded.seats, 1, seeds, at_end, while_certain=True)
    played = table.play(1, None)
    return played if table.certain and recorded.is_consistent() else None


def sampled_games(
    game: Game[Any],
    players: Sequence[Policy],
    games: int,
    seeds: list[int],
    progress: Progress | None = None,
    at_end: AtEnd | None = None,
) -> Played:
    """Plays `games` games, random or not. Warns of tables that lack some of the queried observations."""
    fitting = MOST_MASKS // (game.facts.num_players * game.facts.num_actions)
    with tables_counted(players):
        return _Batch(game, players, min(games, MOST_GAMES, max(16, fitting)), seeds, at_end).play(games, progress)


def winners_of(payoffs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns `[games]`: the player with the highest of `[games, players]` payoffs, or `NOBODY` if several share it."""
    best = payoffs.argmax(axis=1)
    behind = lead(np.take_along_axis(payoffs, best[:, None], axis=1), payoffs) > 0.0
    return np.where(behind.sum(axis=1) == payoffs.shape[1] - 1, best, NOBODY)


class _Batch:
    """A batch of games. Each slot plays a fixed number of games: taking the first to finish would favour short ones."""

    def __init__(
        self,
        game: Game[Any],
        policies: Sequence[Policy],
        slots: int,
        seeds: list[int],
        at_end: AtEnd | None,
        while_certain: bool = False,
    ) -> None:
        """Sets up the games; with `while_certain` play stops at the first randomness."""
        first = int(np.random.SeedSequence(seeds).generate_state(1)[0])
        # The game draws from the first half, the policies from the second.
        streams = new_streams(first, 2 * slots)
        self._engine, self._streams = new_engine(game, streams[:slots], "auto"), streams[slots:]
        self._untouched = streams[:slots].copy()
        self._policies, self._at_end = policies, at_end
        self._while_certain = while_certain
        self.certain = True  # no randomness so far, neither in the game nor in a policy

    def play(self, games: int, progress: Progress | None) -> Played:
        """Plays `games` games, or stops at the first randomness if `while_certain`."""
        engine, slots = self._engine, len(self._streams)
        left = np.full(slots, games // slots)
        left[: games % slots] += 1
        running, steps = engine.deal(left > 0, False), np.zeros(slots, dtype=np.int64)
        payoffs, ends = [np.empty((0, running.shape[1]))], list[Any]()
        while len(left):
            self.certain &= np.array_equal(engine.streams, self._untouched)
            if self._while_certain and not self.certain:
                break
            acting = engine.acting()
            ended = np.asarray(~acting.any(axis=1))
            if not ended.any():
                rewards, _ = engine.play(self._joint_actions(acting), left > 0)
                running, steps = running + rewards, steps + 1
                continue
            payoffs.append(running[ended])
            if self._at_end is not None:
                over = np.flatnonzero(ended)
                ends += map(self._at_end, engine.states(over), steps[over].tolist())
            if progress is not None:
                progress(sum(map(len, payoffs)))
            left[ended] -= 1
            going_on = left > 0
            if not going_on.all():  # drop finished slots
                engine.keep(going_on)
                self._streams, self._untouched = self._streams[going_on], self._untouched[going_on]
                left, running, steps, ended = left[going_on], running[going_on], steps[going_on], ended[going_on]
            running[ended], steps[ended] = engine.deal(ended, False)[ended], 0
        return Played(np.concatenate(payoffs), ends)

    def _joint_actions(self, acting: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns each acting player's action, `[slots, players]`."""
        observations, masks = self._engine.views()
        actions = np.zeros(acting.shape, dtype=np.int64)
        queries = defaultdict(list)  # seats that share a policy are queried together
        for seat, policy in enumerate(self._policies):
            # The compiled engine can play uniformly itself, but draws a random number even for a single legal action,
            # so it could not show that a game has no randomness.
            uniform = getattr(policy, "plays_uniformly", False) and not self._while_certain
            queries[None if uniform else id(policy)].append(seat)
        for shared, seats in queries.items():
            querying = np.zeros_like(acting)
            querying[:, seats] = acting[:, seats]
            if querying.any() and shared is None:
                everywhere, players = np.ones(len(acting), dtype=np.bool_), range(acting.shape[1])
                drawn = np.stack([self._engine.uniform(player, everywhere) for player in players], axis=1)
                actions[querying] = drawn[querying]
            elif querying.any():
                slots, who = np.nonzero(querying)
                policy = self._policies[seats[0]]
                actions[querying] = self._answers(policy, observations[slots, who], masks[slots, who], slots)
        return actions

    def _answers(
        self, policy: Policy, observations: NDArray[np.float32], masks: NDArray[np.int8], slots: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Draws a policy's actions, `[rows]`; row i uses the random stream of `slots[i]`."""
        drawn, chosen = self._drawn(slots), np.empty(len(slots), dtype=np.int64)
        rows = max(1, MOST_ENTRIES // masks.shape[1])
        for begin in range(0, len(slots), rows):
            now = slice(begin, begin + rows)
            answer = checked_probabilities(policy, observations[now], masks[now])
            self.certain &= bool((answer.max(axis=1) >= 1.0 - CERTAIN_TO).all())
            chosen[now] = chosen_actions(answer, drawn[now])
        return chosen

    def _drawn(self, slots: NDArray[np.intp]) -> NDArray[np.float64]:
        drawn, waiting = np.empty(len(slots)), np.arange(len(slots))
        while len(waiting):  # several seats of a game can need a number, but its stream yields one at a time
            _, first = np.unique(slots[waiting], return_index=True)
            now = waiting[first]
            drawn[now] = draw(self._streams, slots[now])
            waiting = np.delete(waiting, first)
        return drawn
