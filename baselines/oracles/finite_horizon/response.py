"""Best responses and head-to-head results in two-player games of many rounds, sweep by sweep.

All values are those of player 0, at every position and its mirror image. At the mirror image player 0 sees what player
1 sees at the position, so one sweep covers both seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Payoffs
from baselines.oracles.answers.results import BestResponse, HeadToHead
from baselines.oracles.finite_horizon.positions import (
    MAX_POSITIONS,
    Nodes,
    arrays_of,
    at_codes,
    check_rounds,
    choice_indices,
    choice_starts,
    form_of,
    in_threads,
    is_stationary,
    kernel,
    levels_of,
)
from cardwar_envs.core.forms import RoundsForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities

# Limit on the entries of masks and probabilities per query.
ENTRIES = 1 << 22


class ResponsePolicy:
    """A deterministic best response for either seat; ties go to the lowest action."""

    def __init__(self, form: RoundsForm[Any], best: Sequence[NDArray[np.int16]]) -> None:
        """Takes `best[r - 1]`, `[codes]` indices of player 0's choices with `r` rounds left; later ones repeat."""
        self._form, self._best = form, best

    def __repr__(self) -> str:
        return f"<ResponsePolicy: a best response in {len(self._form.lists):,} positions>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns `[batch, num_actions]`; uniform over legal actions at unreachable states."""
        probabilities: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        form = self._form
        codes, rounds_left = form.codes_seen(observations)
        for r in np.unique(rounds_left[(codes >= 0) & (rounds_left > 0)]):
            rows = np.flatnonzero((codes >= 0) & (rounds_left == r))
            chosen = self._best[min(r, len(self._best)) - 1][codes[rows]]
            begins = form.rows[form.lists[codes[rows] >> 1, codes[rows] & 1]]
            probabilities[rows] = 0.0
            probabilities[rows, form.actions[begins + chosen]] = 1.0
        return probabilities


class _Policies:
    """The policies' probabilities at every code; a stationary policy is queried only once."""

    def __init__(self, form: RoundsForm[Any], policies: Sequence[Policy]) -> None:
        self._form = form
        self._policies = {id(policy): policy for policy in policies}
        self._answers: dict[int, NDArray[np.float64]] = {}
        self.stationary = all(is_stationary(policy) for policy in policies)

    def ask(self, rounds_left: int) -> None:
        """Queries the policies at this number of rounds left."""
        for number, policy in self._policies.items():
            if number not in self._answers or not is_stationary(policy):
                self._answers[number] = choice_probabilities(self._form, policy, rounds_left)

    def __getitem__(self, policy: Policy) -> NDArray[np.float64]:
        return self._answers[id(policy)]


def choice_probabilities(form: RoundsForm[Any], policy: Policy, rounds_left: int) -> NDArray[np.float64]:
    """Returns a policy's probabilities of all choices in seat 0, concatenated over all codes.

    The policy is queried in batches at codes with more than one choice.
    """
    starts = choice_starts(form)
    probabilities = np.ones(starts[-1])
    codes = np.flatnonzero(np.diff(starts) > 1)
    batch = max(1, ENTRIES // (int(form.actions.max()) + 1))
    for begin in range(0, len(codes), batch):
        asked = codes[begin : begin + batch]
        observations, masks = form.seen(asked, rounds_left)
        answer = checked_probabilities(policy, observations, masks)
        probabilities[choice_indices(form, asked, starts[asked])] = answer[masks == 1]
    return probabilities


class _Sweep:
    """Values at every code; each step adds one round.

    Attributes:
        values: `[codes, ...]`, as defined by the subclass.
        settled: Whether the last step changed no value.
    """

    def __init__(self, form: RoundsForm[Any], values: NDArray[np.float64]) -> None:
        self.arrays, self.levels, self.starts = arrays_of(form), levels_of(form), choice_starts(form)
        self.values, self.settled = values, False

    def step(self, asked: _Policies) -> None:
        """Adds one round in which the policies play."""
        raise NotImplementedError

    def _advance(self, write: Callable[[int, int, NDArray[np.float64]], None]) -> None:
        """Updates all values; `write(start, stop, values)` computes those of a range of nodes."""

        def work(run: Nodes) -> NDArray[np.float64]:
            values = np.empty((2 * len(run), *self.values.shape[1:]))
            write(int(run[0]), int(run[0]) + len(run), values)
            return values

        before = self.values.copy()
        for nodes in self.levels:
            values = np.concatenate(in_threads(work, nodes))
            self.values[2 * nodes[0] : 2 * nodes[0] + len(values)] = values
        self.settled = np.array_equal(before, self.values)


class Response(_Sweep):
    """Player 0's best response to a policy of player 1; `values` are its payoffs by code, in payoff points.

    Attributes:
        best: The response's choices in the format of `ResponsePolicy`; empty unless `keep`.
    """

    def __init__(self, form: RoundsForm[Any], policy: Policy, *, keep: bool = False) -> None:
        super().__init__(form, at_codes(form, 0.0))
        self._policy, self._keep = policy, keep
        self.best: list[NDArray[np.int16]] = []

    def step(self, asked: _Policies) -> None:
        best = np.zeros(len(self.values), dtype=np.int16)

        def write(start: int, stop: int, worth: NDArray[np.float64]) -> None:
            chosen, probabilities = best[2 * start : 2 * stop], asked[self._policy]
            kernel(stop - start).respond_range(
                self.arrays, start, stop, self.values, probabilities, self.starts, worth, chosen
            )

        self._advance(write)
        if self._keep:
            alike = bool(self.best) and np.array_equal(self.best[-1], best)
            self.best.append(self.best[-1] if alike else best)


class Outcomes(_Sweep):
    """The outcome of two policies; `values`, `[codes, 3]`, are player 0's probabilities of win, loss and tie."""

    def __init__(self, form: RoundsForm[Any], policies: Sequence[Policy]) -> None:
        chances = np.tile((0.0, 0.0, 1.0), (2 * len(form.lists), 1))
        chances[:2] = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        super().__init__(form, chances)
        self._first, self._second = policies

    def step(self, asked: _Policies) -> None:
        play = asked[self._first], asked[self._second]
        self._advance(
            lambda start, stop, chances: kernel(stop - start).play_range(
                self.arrays, start, stop, self.values, *play, self.starts, chances
            )
        )


class RoundsOracle:
    """The `Oracle` for two-player games of many rounds over few positions."""

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        self._game, self._max_states = game, MAX_POSITIONS if max_states is None else max_states

    @property
    def _form(self) -> RoundsForm[Any]:
        return form_of(self._game, self._max_states)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        form, other = self._form, policies[1 - player]
        response = Response(form, other, keep=True)
        self._play([other], response)
        return BestResponse(self._at_start(response.values, player), ResponsePolicy(form, response.best))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        form, (first, second) = self._form, policies
        outcomes, to_second = Outcomes(form, policies), Response(form, second)
        to_first = to_second if first is second else Response(form, first)
        self._play(policies, *{outcomes, to_second, to_first})
        payoff = self._at_start(outcomes.values[:, 0] - outcomes.values[:, 1], 0)
        return (payoff, -payoff), (self._at_start(to_second.values, 0), self._at_start(to_first.values, 1))

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        outcomes = Outcomes(self._form, policies)
        self._play(policies, outcomes)
        win, loss, tie = (self._at_start(outcomes.values[:, k], 0) for k in range(3))
        return HeadToHead(win, loss, tie, win - loss)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        distinct = {id(each): each for each in policies if each is not None}
        return check_rounds(self._game, self._form, distinct.values())

    def _play(self, policies: Sequence[Policy], *sweeps: _Sweep) -> None:
        """Steps through all rounds; stops early if all sweeps have settled and the policies are stationary."""
        asked, rounds = _Policies(self._form, policies), self._game.facts.max_rounds
        assert rounds is not None  # see `counts_rounds`
        for r in range(1, rounds + 1):
            asked.ask(r)
            for sweep in sweeps:
                sweep.step(asked)
            if asked.stationary and all(sweep.settled for sweep in sweeps):
                return

    @cached_property
    def _starts(self) -> list[tuple[float, int]]:
        form = self._form
        return [(float(start.probability), form.code(start.state)) for start in self._game.initial()]

    def _at_start(self, of_codes: NDArray[np.float64], player: int) -> float:
        """Averages values by code over the starts, as `player` sees them."""
        return sum(chance * float(of_codes[code ^ player]) for chance, code in self._starts)
