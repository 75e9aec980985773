"""Games in which both of two players move once on private information: one linear program.

A behaviour strategy of player 0, x[type, action], is worth what the best reply of each type of
player 1 leaves of it. So the optimal one maximises the sum over types of 1 of what that type's
cheapest action concedes, which is linear in x; the dual solution is player 1's strategy.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from baselines.matrix_game.exact_lp import maximise
from baselines.matrix_game.limits import LARGEST_PAYOFF
from baselines.oracle import Payoffs, Request, require_two_zero_sum
from baselines.results import Behaviour, BestResponse, HeadToHead, PrivateSolution
from baselines.strategies.table import TablePolicy
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.kept import kept_for_games
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy, checked_probabilities

# Up to so many pairs of a type and an action, rationals are fast enough to be always computed.
EXACT_CHOICES = 48
TOLERANCE = 1e-10
# How far from optimal a strategy may be, as a share of the stakes, to count as optimal in `optimal_range`.
SLACK = 1e-10


@kept_for_games(8)
def form_of(game: Game[Any]) -> BayesianForm:
    """The game's arrays, kept for the next question about it.

    Raises:
        ValueError: If it is not a two-player zero-sum game of that kind, or its arrays cannot be those of one.
    """
    require_two_zero_sum(game, "an exact answer on private information")
    form = game.bayesian_form()
    if not ((form.deals >= 0).all() and 0 < form.deals.sum() < np.inf):
        raise ValueError(f"{game.facts.name}: deals must be numbers of at least 0, and some more than 0")
    if not (np.abs(form.payoffs) <= LARGEST_PAYOFF).all():
        raise ValueError(f"{game.facts.name}: payoffs must be finite, at most {LARGEST_PAYOFF:g} in size")
    for player, seen in enumerate(form.observations):
        if len({row.tobytes() for row in seen}) < len(form.types[player]):
            raise ValueError(f"{game.facts.name}: two types of player_{player} see the same")
    return form


class BayesianOracle:
    """The `Oracle` of games in which both of two players move once, on private information."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Every game in which players do not see the state; those of other kinds raise a ValueError."""
        return not game.facts.public_state

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """See `takes`."""
        return not game.facts.public_state

    def solve(self, request: Request) -> PrivateSolution:
        """Finds an equilibrium.

        Where there are several, the choice is the vertex that the program's solver ends at: the
        simplex of `baselines.matrix_game.exact_lp` for rationals, else HiGHS. Both are deterministic.
        """
        if request.selection != "default":
            raise ValueError(f"selection ({request.selection!r}) must be 'default' for {self._game.facts.name}")
        form, begin = form_of(self._game), time.perf_counter()
        choices = [len(form.types[player]) * len(form.actions[player]) for player in (0, 1)]
        if request.exact or (request.exact is None and max(choices) <= EXACT_CHOICES):
            value, behaviour = _solve_in_rationals(form)
            method = "linear program in rationals"
        else:
            value, behaviour = None, _solve_in_floats(form)
            method = "linear program"
        lower = _replies(form, 1, behaviour[0]).min(axis=1).sum()
        upper = _replies(form, 0, behaviour[1]).max(axis=1).sum()
        states = sum(map(len, form.types))
        return PrivateSolution(
            game=self._game,
            value=float((lower + upper) / 2) if value is None else float(value),
            policy=_table(self._game, form, dict(enumerate(behaviour))),
            method=method,
            gap=max(float(upper - lower), 0.0),
            states=states,
            solved=states,
            seconds=time.perf_counter() - begin,
            exact=value,
            behaviour=behaviour,
            _form=form,
            _ranges=partial(optimal_range, self._game),
        )

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        """See `Oracle`."""
        form = form_of(self._game)
        other = behaviour_of(self._game, policies[1 - player], 1 - player)
        replies = (1.0 if player == 0 else -1.0) * _replies(form, player, other)
        choices = np.eye(replies.shape[1])[replies.argmax(axis=1)]
        return BestResponse(float(replies.max(axis=1).sum()), _table(self._game, form, {player: choices}))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        """See `Oracle`."""
        worth, probabilities = outcomes(self._game, policies)
        payoff = float((worth * probabilities).sum())
        return (payoff, -payoff), (self.response(policies, 0).value, self.response(policies, 1).value)

    def claims(self, policies: Sequence[Policy | None]) -> int:
        """See `Oracle`; every observation is asked about here."""
        return 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        """See `Oracle`."""
        worth, odds = outcomes(self._game, policies)
        win, loss, tie = (float(odds[sign].sum()) for sign in (worth > 0, worth < 0, worth == 0))
        return HeadToHead(win, loss, tie, float((worth * odds).sum()))


def _replies(form: BayesianForm, player: int, other: Behaviour) -> NDArray[np.float64]:
    """What each action of each type of `player` brings to player 0, times the type's probability."""
    weighted = form.weights[:, :, None, None] * form.payoffs
    path = "ijab,jb->ia" if player == 0 else "ijab,ia->jb"
    return np.asarray(np.einsum(path, weighted, other, optimize=True))


def _table(game: Game[Any], form: BayesianForm, behaviour: Mapping[int, Behaviour]) -> TablePolicy:
    table = {}
    for player, strategy in behaviour.items():
        spread = np.zeros((len(strategy), game.facts.num_actions))
        spread[:, list(form.actions[player])] = strategy
        table.update({seen.tobytes(): row for seen, row in zip(form.observations[player], spread, strict=True)})
    return TablePolicy(table)


def _solve_in_rationals(form: BayesianForm) -> tuple[Fraction, tuple[Behaviour, Behaviour]]:
    """The program with payoffs shifted to be positive, so that all unknowns are and 0 is feasible."""
    types_0, types_1, actions_0, actions_1 = form.payoffs.shape
    choices, replies = types_0 * actions_0, types_1 * actions_1
    shift, fractions = 1 - Fraction(float(form.payoffs.min())), np.frompyfunc(Fraction, 1, 1)
    worth = form.deals.astype(object)[:, :, None, None] * (fractions(form.payoffs) + shift)
    # Unknowns are the choices and what each type of player 1 concedes: no more than any of its replies does.
    conceded = [-worth.transpose(1, 3, 0, 2).reshape(replies, choices), np.repeat(np.eye(types_1), actions_1, axis=0)]
    played = [np.repeat(np.eye(types_0), actions_0, axis=1), np.zeros((types_0, types_1))]
    objective, bounds = np.repeat((0, 1), (choices, types_1)), np.repeat((0, 1), (replies, types_0))
    optimum = maximise(*(fractions(part).tolist() for part in (objective, np.block([conceded, played]), bounds)))
    first = np.array(optimum.primal[:choices], dtype=float).reshape(types_0, actions_0)
    second = np.array(optimum.dual[:replies], dtype=float).reshape(types_1, actions_1)
    return optimum.value / int(form.deals.sum()) - shift, (_distributions(first), _distributions(second))


def _solve_in_floats(form: BayesianForm) -> tuple[Behaviour, Behaviour]:
    program = _Program(form)
    outcome = program.solve(-program.guarantee)
    duals = -outcome.ineqlin.marginals.reshape(form.payoffs.shape[1], form.payoffs.shape[3])
    return program.strategy(outcome.x), _distributions(duals)


class _Program:
    """Player 0's program in floats: unknowns x[type, action], replies[type, action of 1], concessions[type of 1].

    Rows of the payoffs for neighbouring types of player 1 differ in few places in games with
    ordered types, so each reply is written as the one for the type before plus the difference;
    that keeps the program sparse, where it would have millions of entries for 1000 types.
    """

    def __init__(self, form: BayesianForm) -> None:
        self._shape = types_0, types_1, actions_0, actions_1 = form.payoffs.shape
        worth = (form.deals[:, :, None, None] * form.payoffs).transpose(3, 1, 0, 2)
        worth = worth.reshape(actions_1, types_1, types_0 * actions_0) / (np.abs(worth).max() or 1.0)
        steps = np.diff(worth, axis=1, prepend=0.0)
        choices, replies = types_0 * actions_0, types_1 * actions_1
        chains = sparse.kron(sparse.identity(actions_1), sparse.identity(types_1) - sparse.eye(types_1, k=-1))
        total = sparse.kron(sparse.identity(types_0), np.ones((1, actions_0)))
        # replies[b, j] - replies[b, j - 1] = steps . x, and each type of player 0 plays something
        moves = sparse.csr_matrix(-steps.reshape(replies, choices))
        nothing = sparse.csr_matrix((types_0, types_1))
        self._equalities = sparse.bmat([[moves, chains, None], [total, None, nothing]], format="csr")
        self._sums = np.append(np.zeros(replies), np.ones(types_0))
        # concessions[j] <= replies[b, j]; rows in the order [j, b]
        concede = sparse.kron(sparse.identity(types_1), np.ones((actions_1, 1)))
        ordered = sparse.identity(replies, format="csr")[np.arange(replies).reshape(actions_1, types_1).T.ravel()]
        self._inequalities = sparse.hstack([sparse.csr_matrix((replies, choices)), -ordered, concede], format="csr")
        self._bounds = [(0.0, None)] * choices + [(None, None)] * (replies + types_1)
        self.guarantee = np.concatenate([np.zeros(choices + replies), np.ones(types_1)])

    def solve(self, costs: NDArray[np.float64], at_least: float | None = None) -> Any:
        """Minimises `costs`, over strategies that guarantee at least so much if that is given."""
        matrix, limits = self._inequalities, np.zeros(self._inequalities.shape[0])
        if at_least is not None:
            matrix = sparse.vstack([matrix, sparse.csr_matrix(-self.guarantee)], format="csr")
            limits = np.append(limits, -at_least)
        outcome = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
            costs,
            A_ub=matrix,
            b_ub=limits,
            A_eq=self._equalities,
            b_eq=self._sums,
            bounds=self._bounds,
            method="highs",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
        )
        if outcome.status != 0:
            raise ArithmeticError(f"the linear program was not solved: {outcome.message}")
        return outcome

    def strategy(self, unknowns: NDArray[np.float64]) -> Behaviour:
        """Player 0's part of the unknowns."""
        types_0, _, actions_0, _ = self._shape
        return _distributions(unknowns[: types_0 * actions_0].reshape(types_0, actions_0))


def _distributions(rows: NDArray[np.float64]) -> Behaviour:
    """Rounding errors removed; a type that is never dealt, for which all is optimal, plays uniformly."""
    clipped = np.maximum(rows, 0.0)
    clipped[clipped.sum(axis=1) == 0.0] = 1.0
    clipped /= clipped.sum(axis=1, keepdims=True)
    return clipped


def optimal_range(game: Game[Any], player: int) -> tuple[Behaviour, Behaviour]:
    """The whole set of a player's optimal strategies, seen action by action.

    Args:
        game: A two-player zero-sum game with a `bayesian_form`.
        player: 0 or 1.

    Returns:
        `[types, own actions]` twice: the least and the greatest probability with which an
        optimal strategy plays each action, to about 1e-6.

    Raises:
        ValueError: If the game is of another kind or there is no such player.
    """
    player = whole_number("player", player, range(2))
    form = form_of(game)
    program = _Program(form if player == 0 else _mirrored(form))
    best = float(program.guarantee @ program.solve(-program.guarantee).x)
    shape = (len(form.types[player]), len(form.actions[player]))
    least, greatest = np.empty(shape), np.empty(shape)
    slack = SLACK * max(abs(best), 1.0)
    for place in np.ndindex(shape):
        costs = np.zeros(len(program.guarantee))
        costs[np.ravel_multi_index(place, shape)] = 1.0
        least[place] = program.strategy(program.solve(costs, best - slack).x)[place]
        greatest[place] = program.strategy(program.solve(-costs, best - slack).x)[place]
    return least, greatest


def _mirrored(form: BayesianForm) -> BayesianForm:
    """The same game with the seats exchanged."""
    return BayesianForm(
        deals=form.deals.T,
        payoffs=-form.payoffs.transpose(1, 0, 3, 2),
        observations=form.observations[::-1],
        actions=form.actions[::-1],
        types=form.types[::-1],
    )


def behaviour_of(game: Game[Any], policy: Policy, player: int) -> Behaviour:
    """`[types, own actions]`: what a policy does in that seat.

    Raises:
        ValueError: If its answer is not a behaviour strategy.
    """
    form = form_of(game)
    actions = list(form.actions[player])
    masks = np.zeros((len(form.types[player]), game.facts.num_actions), dtype=np.int8)
    masks[:, actions] = 1
    return checked_probabilities(policy, form.observations[player], masks)[:, actions]


def outcomes(game: Game[Any], policies: Sequence[Policy]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Every course that a game between two policies can take: payoffs to player 0 and probabilities, alike in shape."""
    form = form_of(game)
    first, second = (behaviour_of(game, policy, seat) for seat, policy in enumerate(policies))
    probabilities = np.einsum("ij,ia,jb->ijab", form.weights, first, second, optimize=True)
    return form.payoffs, probabilities
