"""Games with private types as tables, and their truth by the normal form: every pure strategy of both players."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

import numpy as np

from cardwar_envs import Game, GameFacts, Transition
from cardwar_envs.core.forms import BayesianForm


@dataclass(frozen=True, eq=False)
class PrivateToy(Game):
    """Types are dealt by `deals`, both move once, and `payoffs[type 0, type 1, action 0, action 1]` is paid.

    A state is (types, joint action or None); an observation the own type, the seat and a zero.
    """

    name: ClassVar[str] = "private_toy"
    deals: np.ndarray
    payoffs: np.ndarray
    actions: tuple
    players: int = 2
    zero_sum: bool = True

    @property
    def facts(self):
        return GameFacts(
            name="private_toy", version=0, num_players=self.players, num_actions=1 + max(map(max, self.actions)),
            observation_low=(0.0, 0.0, 0.0), observation_high=(99.0, 1.0, 0.0),
            min_payoff=-99.0, max_payoff=99.0, zero_sum=self.zero_sum, seat_symmetric=False,
            public_state=False, max_length=1,
        )  # fmt: skip

    def initial(self):
        total = int(self.deals.sum())
        return [
            Transition(Fraction(int(weight), total), (types, None), (0.0, 0.0))
            for types, weight in np.ndenumerate(self.deals)
            if weight
        ]

    def acting_players(self, state):
        return (0, 1) if state[1] is None else ()

    def legal_actions(self, state, player):
        return self.actions[player]

    def transitions(self, state, actions):
        places = tuple(self.actions[player].index(actions[player]) for player in (0, 1))
        paid = float(self.payoffs[state[0] + places])
        return [Transition(Fraction(1), (state[0], (actions[0], actions[1])), (paid, -paid))]

    def observation(self, state, player):
        return np.array([state[0][player], player, 0], dtype=np.float32)

    def bayesian_form(self):
        kinds = self.deals.shape
        return BayesianForm(
            deals=self.deals,
            payoffs=self.payoffs,
            observations=tuple(
                np.array([[kind, player, 0] for kind in range(kinds[player])], dtype=np.float32) for player in (0, 1)
            ),
            actions=self.actions,
            types=tuple(tuple(map(str, range(size))) for size in kinds),
        )

    def check(self, state):
        pass

    def describe(self, state):
        return str(state)

    def describe_action(self, action, player=0):
        return f"{player}:{action}"


def random_toy(seed, shape=(3, 2), actions=((0, 2, 3), (1, 2)), zeros=True):
    """Unlike seats in every way: types, actions, deals."""
    rng = np.random.default_rng(seed)
    deals = rng.integers(0 if zeros else 1, 6, size=shape)
    deals[0, 0] += 1
    payoffs = rng.integers(-5, 6, size=(*shape, len(actions[0]), len(actions[1]))).astype(float)
    return PrivateToy(deals, payoffs, actions)


def pure_plans(form, player):
    """`[plans, types]`: every pure strategy as the place of its action for each type."""
    sizes = [range(len(form.actions[player]))] * len(form.types[player])
    return np.array(list(product(*sizes)))


def normal_form(form):
    """`[plans of 0][plans of 1]` exact expected payoffs of pure strategies, by a sum over all deals."""
    total = int(form.deals.sum())
    deals = [(i, j, int(w)) for (i, j), w in np.ndenumerate(form.deals) if w]
    exact = {place: Fraction(float(paid)) for place, paid in np.ndenumerate(form.payoffs)}
    return [
        [sum(w * exact[i, j, first[i], second[j]] for i, j, w in deals) / total for second in pure_plans(form, 1)]
        for first in pure_plans(form, 0)
    ]


def reply_values(form, behaviour, player):
    """What each pure strategy of `player` earns it against the other's `[types, actions]` behaviour."""
    weights = form.deals / form.deals.sum()
    values = []
    for plan in pure_plans(form, player):
        worth = 0.0
        for i, j in np.ndindex(form.deals.shape):
            own, other = ((i, j), (j, i))[player]
            for action, p in enumerate(behaviour[other]):
                cell = (i, j, plan[own], action) if player == 0 else (i, j, action, plan[own])
                worth += weights[i, j] * p * form.payoffs[cell]
        values.append(worth if player == 0 else -worth)
    return values
