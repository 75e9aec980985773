"""Checks of a game's array forms (compiled rules, rounds, private information) against its rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable, short, where
from cardwar_envs.contract.walk import Node
from cardwar_envs.core.forms import BayesianForm, RoundsForm
from cardwar_envs.core.game import IllegalActionError
from cardwar_envs.envs.engines.engine import Outcomes, Views
from cardwar_envs.envs.game_batch import GameBatch

GAMES, STEPS, STATES = 24, 40, 240
DEALS = 100_000


def compiled_rules_are_the_rules(case: Case) -> None:
    """With equal random streams, batches stepped by `compiled_rules` and by the rules play the same games.

    Compares observations, legal actions, payments, ends, listed outcomes and next states, from the start and from other
    states.
    """
    if case.game.compiled_rules() is None:
        raise NotApplicable("there are no compiled rules")
    _require_same_play(case, None)
    states = [node.state for node in case.some(STATES) if node.acting]
    for first in range(0, len(states), GAMES):
        _require_same_play(case, states[first : first + GAMES])


def _require_same_play(case: Case, states: list[Any] | None) -> None:
    count, steps = (GAMES, STEPS) if states is None else (len(states), 1)
    try:
        ruled = GameBatch(case.game, count, case.seed, engine="rules")
    except ValueError as error:
        raise NotApplicable(str(error)) from None
    compiled = GameBatch(case.game, count, case.seed, engine="compiled")
    rng = np.random.default_rng(case.seed)
    try:
        shown, expected = compiled.reset(states), ruled.reset(states)
    except ValueError as error:  # `check` rejects the states
        raise NotApplicable(str(error)) from None
    for step in range(steps + 1):
        now = ruled.states()
        if compiled.states() != now:
            found = f"compiled rules are in {short(compiled.states())}, the rules in {short(now)}"
            raise Failed(f"after {step} steps {found}")
        for what, game, _, _ in _differences(shown, expected, ("observations", "masks")):
            raise Failed(f"{where(now[game])}: compiled rules and the rules have different {what}")
        if step == steps:
            _require_same_outcomes(compiled, ruled, _drawn(expected.masks, rng), now)
            break
        _require_legal_uniform(compiled, expected.masks)
        ruled.streams = compiled.streams
        actions = _drawn(expected.masks, rng)
        _require_refusal(compiled, expected.masks, actions, now)
        after, after_rules = compiled.step(actions), ruled.step(actions)
        for what, game, said, right in _differences(after, after_rules, ("rewards", "done")):
            found = f"compiled rules say {what} {said}, the rules {right}"
            raise Failed(f"{where(now[game])}, actions {actions[game].tolist()}: {found}")
        shown, expected = Views(*after[:2]), Views(*after_rules[:2])


def _require_same_outcomes(compiled: GameBatch[Any], ruled: GameBatch[Any], actions: Any, now: list[Any]) -> None:
    """Raises Failed unless both engines list the same outcomes, in any order, where compiled rules list them."""
    found = compiled.outcomes(actions)
    if found is None:
        return
    one, other = _outcome_rows(found), _outcome_rows(ruled.outcomes(actions))
    for game, state in enumerate(now):
        listed, expected = (rows[rows[:, 0] == game] for rows in (one, other))
        if listed.shape != expected.shape or not np.allclose(listed, expected, rtol=0.0, atol=1e-12):
            at = f"{where(state)}, actions {actions[game].tolist()}"
            raise Failed(
                f"{at}: compiled rules list {len(listed)} outcomes, which are not the {len(expected)} of the rules"
            )


def _outcome_rows(found: Outcomes | None) -> NDArray[np.float64]:
    """A sorted row for each outcome: game, end, payments, what players see unless the game is over, probability."""
    assert found is not None
    goes_on = ~found.done[:, None]
    views = [each.reshape(len(found.done), -1) * goes_on for each in found.views]
    rows = np.column_stack((found.games, found.done, found.rewards, *views, found.probabilities)).astype(np.float64)
    order: NDArray[np.intp] = np.lexsort(rows.T[::-1])
    return rows[order]


def _differences(one: Any, other: Any, names: tuple[str, ...]) -> Iterator[tuple[str, int, Any, Any]]:
    """Yields the name of each unequal array, the first game in which it differs, and both values."""
    for what in names:
        first, second = getattr(one, what), getattr(other, what)
        if not np.array_equal(first, second):
            game = int(np.argwhere(first != second)[0][0])
            yield what, game, first[game], second[game]


def _drawn(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Random legal actions, `[games, players]`."""
    chosen: NDArray[np.int64] = (rng.random(masks.shape) * masks).argmax(axis=-1)
    return chosen


def _require_legal_uniform(compiled: GameBatch[Any], masks: NDArray[np.int8]) -> None:
    drawn = compiled.uniform_actions()
    for game, player in np.argwhere(np.take_along_axis(masks, drawn[..., None], axis=-1)[..., 0] == 0).tolist():
        if masks[game, player].any():
            at = where(compiled.states()[game], player)
            raise Failed(f"{at}: uniform play by compiled rules draws {drawn[game, player]}, which is not legal")


def _require_refusal(compiled: GameBatch[Any], masks: NDArray[np.int8], actions: NDArray[np.int64], now: Any) -> None:
    """Raises Failed unless the compiled rules reject an illegal action of an acting player."""
    for game, state in enumerate(now):
        for player in compiled.game.acting_players(state):
            forbidden = np.flatnonzero(masks[game, player] == 0)
            if len(forbidden):
                tried = actions.copy()
                tried[game, player] = forbidden[-1]
                try:
                    compiled.step(tried)
                except IllegalActionError:
                    return
                raise Failed(f"{where(state, player)}: compiled rules play {forbidden[-1]}, which is not legal")


def rounds_form_is_the_rules(case: Case) -> None:
    """`rounds_form` has the legal actions, observations and transitions of the rules."""
    starts = [start.state for start in case.starts]
    try:
        form = case.game.rounds_form(starts, 20 * case.max_states)
    except ValueError as error:
        raise NotApplicable(str(error)) from None
    for start in starts:
        if form.rounds_left(start) != case.facts.max_rounds:
            left = f"{form.rounds_left(start)} rounds are left at the start"
            raise Failed(f"{where(start)}: {left}; max_rounds is {case.facts.max_rounds}")
    for node in case.nodes:
        if node.acting:
            _require_node(case, form, node)


def _require_node(case: Case, form: RoundsForm[Any], node: Node) -> None:
    code, left = form.code(node.state), form.rounds_left(node.state)
    if code < 0:
        raise Failed(f"{where(node.state)}: rounds_form lacks this state")
    for player in (0, 1):
        legal = _choices(form, code, player)
        if legal != list(node.legal[player]):
            at = where(node.state, player)
            raise Failed(f"{at}: rounds_form has the choices {legal}, but legal_actions are {node.legal[player]}")
        seen, masks = form.seen(np.array([code ^ player]), left)
        if not (
            np.array_equal(seen[0], case.game.observation(node.state, player))
            and np.array_equal(masks[0], case.game.action_mask(node.state, player))
        ):
            raise Failed(f"{where(node.state, player)}: rounds_form and the rules differ in observation or mask")
    if left < 2:
        return  # the last round always ends the game
    for actions, outcomes in node.moves.items():
        chosen = node.chosen(actions)
        places = [_choices(form, code, p).index(chosen[p]) if p in chosen else 0 for p in (0, 1)]
        expected = {_code_after(case, form, outcome) for outcome in outcomes}
        if {_normal(form, _child(form, code, places))} != expected:
            raise Failed(f"{node.at(actions)}: rounds_form and the rules lead to different positions")


def _choices(form: RoundsForm[Any], code: int, player: int) -> list[int]:
    row = int(form.lists[code >> 1, (code & 1) ^ player])
    return [int(action) for action in form.actions[form.rows[row] : form.rows[row + 1]]]


def _child(form: RoundsForm[Any], code: int, places: list[int]) -> int:
    """The code that both players' choices at `code` lead to."""
    node, swapped = divmod(code, 2)
    rows = [int(form.rows[form.lists[node, seat]]) + places[seat ^ swapped] for seat in (0, 1)]
    entry = int(form.options[rows[0]] * form.option_counts[form.lists[node, 1]] + form.options[rows[1]])
    if node < form.levels[-2]:
        stronger, weaker = (int(form.strengths[row]) for row in rows)
        entry = 3 * entry + (0 if stronger > weaker else 1 if stronger < weaker else 2)
    return int(form.children[form.first[node] + entry]) ^ swapped


def _code_after(case: Case, form: RoundsForm[Any], outcome: Any) -> int:
    if case.game.acting_players(outcome.state):
        return _normal(form, form.code(outcome.state))
    return {1.0: 0, -1.0: 1}.get(outcome.rewards[0], 2)


def _normal(form: RoundsForm[Any], code: int) -> int:
    """A code that is the same for both orientations of a symmetric position or a drawn game."""
    return code if code < 2 else 2 if code < 4 else form.code(form.state(code, 1))


def bayesian_form_is_the_rules(case: Case) -> None:
    """`bayesian_form` has the probabilities, observations, actions and mean payoffs of the rules for each deal."""
    if len(case.starts) > DEALS:
        raise NotApplicable(f"there are {len(case.starts):,} starts, more than {DEALS:,}; check a smaller game")
    try:
        form = case.game.bayesian_form()
    except ValueError as error:
        raise NotApplicable(str(error)) from None
    weights: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    payoffs: dict[tuple[int, int], NDArray[np.float64]] = {}
    for start in case.starts:
        deal = _types(case, form, start.state)
        node = case.node(start.state)
        if node.acting != (0, 1) or tuple(node.legal[p] for p in (0, 1)) != form.actions:
            legal = dict(node.legal)
            raise Failed(f"{where(start.state)}: bayesian_form has actions {form.actions}, the rules {legal}")
        weights[deal] += start.probability
        mean = np.array([[_mean(case, node, (a, b)) for b in form.actions[1]] for a in form.actions[0]])
        payoffs[deal] = payoffs.get(deal, 0.0) + float(start.probability) * mean
    total = int(form.deals.sum())
    for deal in np.ndindex(*form.deals.shape):
        probability, of_rules = Fraction(int(form.deals[deal]), total), weights.get(deal, Fraction(0))
        if probability != of_rules:
            found = f"bayesian_form has probability {probability}, the rules {of_rules}"
            raise Failed(f"deal {_named(form, deal)}: {found}")
        declared = np.asarray(form.payoffs[deal], dtype=np.float64)
        if deal in payoffs and not np.allclose(payoffs[deal] / float(probability), declared, atol=1e-9):
            found = f"{declared.tolist()}, the rules {(payoffs[deal] / float(probability)).tolist()}"
            raise Failed(f"deal {_named(form, deal)}: bayesian_form has payoffs {found}")


def _types(case: Case, form: BayesianForm, state: Any) -> tuple[int, int]:
    found = []
    for player in (0, 1):
        rows = (form.observations[player] == case.game.observation(state, player)).all(axis=1).nonzero()[0]
        if len(rows) != 1:
            raise Failed(f"{where(state, player)}: {len(rows)} types of bayesian_form, not 1, have this observation")
        found.append(int(rows[0]))
    return found[0], found[1]


def _mean(case: Case, node: Node, actions: tuple[int, int]) -> float:
    for outcome in node.moves[actions]:
        if case.game.acting_players(outcome.state):
            raise Failed(f"{where(node.state)}: bayesian_form is for one move, but the game continues after {actions}")
    return float(sum(outcome.probability * Fraction(outcome.rewards[0]) for outcome in node.moves[actions]))


def _named(form: BayesianForm, deal: tuple[int, ...]) -> str:
    return f"({form.types[0][deal[0]]}, {form.types[1][deal[1]]})"
