"""One decision of a game as payoffs, and what players gain by deviating from joint play, which may be correlated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.display.html import Number, number
from cardwar_envs.core.game import Game
from cardwar_envs.core.numbers import exact_or_rounded
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.rules import TooLargeError

# The most payoffs of a decision, over all players and joint actions; each is a Fraction.
MOST_PAYOFFS = 300_000
# A mix of each acting player: the probabilities of its legal actions.
Play = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Decision:
    """The acting players at a state, their legal actions and the names of these, and what joint actions are worth.

    `payoffs` are `[num_players, actions of the first acting player, ...]`, expected payoffs to go, as Fractions;
    `rounded` says whether some come from rounded floats.
    """

    acting: tuple[int, ...]
    actions: tuple[tuple[int, ...], ...]
    names: tuple[tuple[str, ...], ...]
    payoffs: NDArray[np.object_]
    rounded: bool

    @property
    def written(self) -> NDArray[Any]:
        """The payoffs as they are written to files: as floats if they are rounded."""
        return self.payoffs.astype(float) if self.rounded else self.payoffs

    def worth(self, play: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
        """Returns every player's expected payoff, from the mix of each acting player."""
        worth = self.payoffs
        for mix in reversed([*play]):
            worth = worth @ np.array([*mix], dtype=object)
        return tuple(worth.tolist())


def decision_at(game: Game[Any], state: Any, to_go: Mapping[Any, tuple[Fraction, ...]]) -> Decision:
    """Returns the decision at a state, given the payoffs to go at all undecided states after it.

    Raises:
        TooLargeError: If it has more than `MOST_PAYOFFS` payoffs.
    """
    acting, players = game.acting_players(state), range(game.facts.num_players)
    actions = tuple(game.legal_actions(state, player) for player in acting)
    shape = tuple(map(len, actions))
    if (size := len(players) * prod(shape)) > MOST_PAYOFFS:
        raise TooLargeError(f"{game.facts.name}: a decision has {size:,} payoffs; the most is {MOST_PAYOFFS:,}")
    columns, rounded = [], False
    for played in joint_actions(game, state):
        worth = [Fraction(0)] * len(players)
        for probability, after, rewards in game.transitions(state, played):
            settled = () if after in to_go else (game.acting_players(after) and game.settled(after)) or ()
            given = list(map(exact_or_rounded, (probability, *rewards, *settled)))
            rounded |= any(isinstance(each, float) for each in given)
            chance, *paid = [Fraction(each) for each in given]
            rest = to_go.get(after) or paid[len(players) :] or [Fraction(0)] * len(players)
            for player in players:
                worth[player] += chance * (paid[player] + rest[player])
        columns.append(worth)
    names = (tuple(game.describe_action(a, seat) for a in legal) for seat, legal in zip(acting, actions, strict=True))
    payoffs = np.array(columns, dtype=object).T.reshape(-1, *shape)
    return Decision(acting, actions, tuple(names), payoffs, rounded)


@dataclass(frozen=True, repr=False)
class DeviationGains:
    """What each player gains by its best deviation from joint play, in payoff points; Fractions if computed exactly.

    Attributes:
        total: The sum over players; 0 at an equilibrium of the kind.
        per_player: The gain of each player.
        payoffs: Each player's payoff without deviations.
    """

    total: Number
    per_player: tuple[Number, ...]
    payoffs: tuple[Number, ...]

    def __repr__(self) -> str:
        gains, payoffs = (", ".join(map(number, figures)) for figures in (self.per_player, self.payoffs))
        return f"<DeviationGains {number(self.total)} payoff points; gains {gains}; payoffs {payoffs}>"


def deviation_gains(payoffs: NDArray[Any], joint: NDArray[Any], coarse: bool) -> DeviationGains:
    """Returns what players gain by deviating from a distribution over joint actions.

    In a correlated equilibrium (R. Aumann, "Subjectivity and correlation in randomized strategies", Journal of
    Mathematical Economics 1, 1974) nobody gains after seeing its own recommended action; in a coarse one (H. Moulin and
    J.-P. Vial, "Strategically zero-sum games", International Journal of Game Theory 7, 1978) by committing to an action
    before. The result is exact if `joint` has Fractions.
    """
    payoffs = payoffs if joint.dtype == object else payoffs.astype(float)
    gains, means = [], []
    for player, own in enumerate(payoffs):
        chances, worth = (np.moveaxis(each, player, 0).reshape(own.shape[player], -1) for each in (joint, own))
        instead = chances @ worth.T  # [recommended action, action played instead]
        means.append(instead.trace())
        best = instead.sum(axis=0).max() if coarse else instead.max(axis=1).sum()
        gains.append(max(best - means[-1], 0 * means[-1]))
    number = Fraction if joint.dtype == object else float
    return DeviationGains(number(sum(gains)), tuple(map(number, gains)), tuple(map(number, means)))
