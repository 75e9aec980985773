"""The oracle of games with hidden information whose histories can be listed.

A responder has perfect recall: it remembers all of its observations and actions. The measured policies see only the
present observation. If that does not hold everything that the player has seen, they forget, and results say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from baselines.oracles.answers.guards import exact_probabilities
from baselines.oracles.answers.protocol import BATCH, ExactPayoffs, Payoffs, lead
from baselines.oracles.answers.results import BestResponse, HeadToHead, Recall
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.sequence_form import Decisions, Floats, SequenceForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, checked_probabilities, observation_keys
from cardwar_envs.core.table_policy import TablePolicy


class TreeOracle:
    """The `Oracle` of games with hidden information over several moves, for any number of players."""

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        self._game, self._max_states = game, max_states

    @property
    def _exact_form(self) -> SequenceForm:
        from baselines.oracles.tree.rationals import exact_form

        return exact_form(self._game, self._max_states)

    @property
    def form(self) -> SequenceForm:
        """The game's arrays; raises a ValueError if it is too large."""
        return sequence_form(self._game, self._max_states)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        return self._response(self.form, policies, player, exact=False)

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        found: tuple[Payoffs, Payoffs] = _payoffs(self.form, policies, float)
        return found

    def exact_response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        return self._response(self._exact_form, policies, player, exact=True)

    def exact_payoffs(self, policies: Sequence[Policy]) -> tuple[ExactPayoffs, ExactPayoffs]:
        found: tuple[ExactPayoffs, ExactPayoffs] = _payoffs(self._exact_form, policies, Fraction)
        return found

    def _response(self, form: SequenceForm, policies: Sequence[Policy], player: int, exact: bool) -> BestResponse:
        plans = [
            np.empty(0) if seat == player else own.plan(behaviour_of(own, policies[seat], exact))
            for seat, own in enumerate(form.decisions)
        ]
        own = form.decisions[player]
        to_go = own.best(form.worth(player, plans))
        value = Fraction(to_go[0]) if exact else None
        return BestResponse(float(to_go[0]), _best_policy(self._game, own, to_go), exact=value, recall=recall_of(form))

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        form = self.form
        plans = [own.plan(behaviour_of(own, each)) for own, each in zip(form.decisions, policies, strict=True)]
        weights, ahead = form.weights(plans), lead(form.payoffs[:, 0], form.payoffs[:, 1])
        win, loss, tie = (float(weights[sign].sum()) for sign in (ahead > 0, ahead < 0, ahead == 0))
        return HeadToHead(win, loss, tie, float(weights @ form.payoffs[:, 0]))

    def recall(self) -> Recall:
        """Returns how much of what players have seen their observations hold."""
        return recall_of(self.form)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        return 0


def _payoffs(form: SequenceForm, policies: Sequence[Policy], number: Any) -> Any:
    exact = number is Fraction
    plans = [own.plan(behaviour_of(own, each, exact)) for own, each in zip(form.decisions, policies, strict=True)]
    worths = [form.worth(player, plans) for player in range(len(plans))]
    followed = tuple(number(worth @ plan) for worth, plan in zip(worths, plans, strict=True))
    return followed, tuple(number(own.best(worth)[0]) for own, worth in zip(form.decisions, worths, strict=True))


def recall_of(form: SequenceForm) -> Recall:
    """Counts the information states in which players act, and the observations in them."""
    return Recall(
        sum(len(each.parents) for each in form.decisions), sum(len(each.observations) for each in form.decisions)
    )


def behaviour_of(own: Decisions, policy: Policy, exact: bool = False) -> Floats:
    """Queries a policy once at each distinct observation; returns each sequence's last choice, `[sequences]`.

    With `exact`, these are fractions.
    """
    queried = exact_probabilities if exact else checked_probabilities
    probabilities = np.zeros(own.masks.shape, dtype=object if exact else np.float64)
    for start in range(0, len(own.observations), BATCH):
        rows = slice(start, start + BATCH)
        probabilities[rows] = queried(policy, own.observations[rows], own.masks[rows])
    return own.behaviour(probabilities)


def table_rows(own: Decisions, behaviour: Floats) -> dict[bytes, Any]:
    """Returns `[num_actions]` probabilities by observation, of a player whose observations hold everything."""
    rows = np.zeros(own.masks.shape, dtype=behaviour.dtype)
    rows[own.seen[own.owners], own.actions[1:]] = behaviour[1:]
    return dict(zip(observation_keys(own.observations), rows, strict=True))


def _best_policy(game: Game[Any], own: Decisions, to_go: Floats) -> Policy:
    if len(own.parents) > len(own.observations):
        return NeedsRecall(game)
    return TablePolicy(table_rows(own, best_behaviour(own, to_go)))


def best_behaviour(own: Decisions, to_go: Floats) -> Floats:
    """Returns the last choices, `[sequences]`, that play the first best sequence of each information state."""
    # An argmax in runs of different lengths.
    best = np.flatnonzero(to_go[1:] == np.maximum.reduceat(to_go[1:], own.first[:-1] - 1)[own.owners])
    _, first = np.unique(own.owners[best], return_index=True)
    behaviour = np.zeros(len(to_go))
    behaviour[1 + best[first]] = 1.0
    return behaviour


class NeedsRecall:
    """Stands for a best response that no policy can play, because observations do not hold all that a player has seen.

    Raises a ValueError when it is queried.
    """

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}: needs earlier observations>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> NoReturn:
        raise ValueError(
            f"{self._game.facts.name}: this best response depends on earlier observations, and a policy sees only the "
            "present one; let `observation` show everything that the player has seen"
        )
