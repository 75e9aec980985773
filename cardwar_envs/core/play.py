"""Sampling from a game's rules: chance outcomes, and whole episodes between policies."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from numbers import Real
from typing import Any, Generic

import numpy as np

from cardwar_envs.core.game import CERTAIN, Game, S, Transition, require_game
from cardwar_envs.core.parameters import shown
from cardwar_envs.core.policy import Policy, checked_probabilities, sample_action, sample_actions
from cardwar_envs.core.policy_names import seated_policies
from cardwar_envs.core.scene import Revealed

# The usual types come first, because the test for `Real` takes long.
NUMBER = (Fraction, float, Real)
USUAL = {float, int}  # types of rewards


def listed(game: Game[S], outcomes: Sequence[Transition[S]]) -> Sequence[Transition[S]]:
    """Returns the outcomes that `game.initial` or `game.transitions` returned.

    Raises:
        ValueError: If they are not a list or tuple of `Transition`, at least one, each with a number for each player.
    """
    name, count = game.facts.name, game.facts.num_players
    if not isinstance(outcomes, list | tuple) or isinstance(outcomes, Transition) or not outcomes:
        raise ValueError(f"{name}: the rules return {shown(outcomes)}, which must be a list of Transition, not empty")
    for each in outcomes:
        if not (isinstance(each, Transition) and isinstance(each.probability, NUMBER) and _are_rewards(each[2], count)):
            raise ValueError(
                f"{name}: an outcome is {shown(each)}, which must be a Transition(probability, state, rewards) "
                f"with {count} rewards, one for each player"
            )
    return outcomes


def _are_rewards(rewards: object, count: int) -> bool:
    if not isinstance(rewards, (tuple, Sequence, np.ndarray)) or len(rewards) != count:
        return False
    return all(isinstance(each, NUMBER) for each in rewards)


def drawn(game: Game[S], outcomes: Sequence[Transition[S]], rng: np.random.Generator) -> Transition[S]:
    """Draws one of the outcomes that the rules returned by probability; checks only this one, as there may be many.

    Raises:
        ValueError: Like `listed`.
    """
    try:
        outcome = outcomes[0] if len(outcomes) == 1 else sample_transition(outcomes, rng)
    except (AttributeError, IndexError, KeyError, TypeError):
        listed(game, outcomes)
        raise
    return _checked(game, outcome)


def _checked(game: Game[S], outcome: Transition[S]) -> Transition[S]:
    """Returns the outcome, checked like `listed`; recognises what rules usually return faster."""
    if type(outcome) is Transition:
        probability, _, rewards = outcome
        if type(probability) is Fraction and type(rewards) is tuple and len(rewards) == len(game._everyone):
            for each in rewards:
                if type(each) not in USUAL:
                    break
            else:
                return outcome
    listed(game, [outcome])
    return outcome


class Starts(Generic[S]):
    """The starts of a game, listed once for many draws."""

    def __init__(self, game: Game[S]) -> None:
        self._game, self._outcomes = game, game.initial()
        self._sums: array[float] | None = None  # of the probabilities, from the first start up

    def __deepcopy__(self, memo: dict[int, Any]) -> Starts[S]:
        return self  # nothing that can be seen of it ever changes

    def drawn(self, rng: np.random.Generator) -> Transition[S]:
        """Draws one of the starts.

        Raises:
            ValueError: Like `drawn`.
        """
        try:
            if len(self._outcomes) == 1:
                outcome = self._outcomes[0]
            else:
                if self._sums is None:
                    self._sums = array("d", accumulate(float(each.probability) for each in self._outcomes))
                outcome = self._outcomes[min(bisect(self._sums, rng.random()), len(self._outcomes) - 1)]
        except (AttributeError, IndexError, KeyError, TypeError):
            listed(self._game, self._outcomes)
            raise
        return _checked(self._game, outcome)


def sample_transition(outcomes: Sequence[Transition[S]], rng: np.random.Generator) -> Transition[S]:
    """Draws one of `outcomes` by probability; uses the generator only if there are several."""
    if len(outcomes) == 1:
        return outcomes[0]
    draw, odds = rng.random(), 0.0
    last: Fraction | None = None
    for outcome in outcomes:
        if outcome.probability is not last:  # to divide takes long, `float` longer, and many outcomes can have the same
            last = outcome.probability
            if type(last) is Fraction:
                numerator, denominator = last.as_integer_ratio()
                odds = numerator / denominator
            else:
                odds = float(last)
        draw -= odds
        if draw < 0.0:
            return outcome
    return outcomes[-1]


def joint_actions(game: Game[S], state: S) -> Iterator[dict[int, int]]:
    """Yields every joint action (player -> action) at a state, the last player's varying fastest; none at the end."""
    acting = game.acting_players(state)
    for actions in product(*(game.legal_actions(state, player) for player in acting)) if acting else ():
        yield dict(zip(acting, actions, strict=True))


def require_playable(game: Game[S], state: S) -> None:
    """Raises a ValueError for an impossible state or one in which the game is over."""
    game.check(state)
    if not game.acting_players(state):
        raise ValueError(f"state ({state!r}) must not be one in which the game is over")


@dataclass(frozen=True)
class Episode(Generic[S]):
    """A complete game.

    Attributes:
        states: All states, from the first to the final one.
        actions: The joint action (player -> action) at every state but the last.
        dealt: Payoff points paid by the deal, one per player.
        rewards: Payoff points paid after each joint action, one tuple per joint action.
    """

    states: tuple[S, ...]
    actions: tuple[dict[int, int], ...]
    dealt: tuple[float, ...]
    rewards: tuple[tuple[float, ...], ...]

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Each player's total payoff, in payoff points."""
        return tuple(sum(paid) for paid in zip(self.dealt, *self.rewards, strict=True))

    def revealed(self, game: Game[S], viewer: int | None = None) -> list[Revealed[S]]:
        """What a viewer could see (see `Revealed`) at each state, from the first to the final one."""
        payoffs, seen = self.dealt, [Revealed(self.states[0], viewer, None, self.dealt, not self.actions)]
        for number, (actions, paid) in enumerate(zip(self.actions, self.rewards, strict=True)):
            payoffs = tuple(sum(both) for both in zip(payoffs, paid, strict=True))
            before, state = self.states[number : number + 2]
            over = not game.acting_players(state)
            seen.append(Revealed(state, viewer, actions, payoffs, over, before))
        return seen


def draw_action(game: Game[S], state: S, player: int, policy: Policy, rng: np.random.Generator) -> int:
    """Draws an action for `player` from `policy`."""
    seen, masks = game.observation(state, player)[None], game.action_mask(state, player)[None]
    return sample_action(checked_probabilities(policy, seen, masks)[0], rng)


def play_episode(
    game: Game[S],
    policies: Sequence[Policy | str],
    seed: int | np.random.Generator | None = None,
    state: S | None = None,
) -> Episode[S]:
    """Plays one game between policies.

    Args:
        game: The rules.
        policies: One policy, or its name, per player.
        seed: Seed or generator for chance and for the policies' draws.
        state: The state to start from; by default the game's own start.

    Raises:
        ValueError: If the number of policies is wrong, a policy does not return
            probabilities, or the state is impossible or terminal.
    """
    require_game(game)
    players = seated_policies(policies, game)
    rng = np.random.default_rng(seed)
    if state is None:
        start = drawn(game, game.initial(), rng)
    else:
        require_playable(game, state)
        start = Transition(CERTAIN, state, (0.0,) * game.facts.num_players)
    now, states, joint_actions, rewards = start.state, [start.state], [], []
    while game.acting_players(now):
        actions = {player: draw_action(game, now, player, players[player], rng) for player in game.acting_players(now)}
        outcome = drawn(game, game.transitions(now, actions), rng)
        now = outcome.state
        states.append(now)
        joint_actions.append(actions)
        rewards.append(outcome.rewards)
    return Episode(tuple(states), tuple(joint_actions), start.rewards, tuple(rewards))


def random_state(game: Game[Any], rng: np.random.Generator) -> Any:
    """Draws a non-terminal state, reached by uniform play to a uniformly drawn depth.

    Uniform play draws every card with equal probability. If the game ends before that depth, draws one of the visited
    states uniformly.
    """
    state = drawn(game, game.initial(), rng).state
    passed = [state]
    for _ in range(int(rng.integers(game.facts.max_length))):
        actions = {}
        for player in game.acting_players(state):
            counts = game.action_counts(game.observation(state, player)[None], game.action_mask(state, player)[None])
            actions[player] = int(sample_actions(counts, rng)[0])
        state = drawn(game, game.transitions(state, actions), rng).state
        if not game.acting_players(state):
            return passed[int(rng.integers(len(passed)))]
        passed.append(state)
    return state
