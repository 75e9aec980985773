"""Checks that a game's rules keep what `Game` promises to environments and solvers.

`check_game` runs every check and returns a report. `CHECKS` maps the name of each check to a function of a `Case` that
raises `Failed` with a state as a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from cardwar_envs.contract import declarations, forms, games, moves, states, views
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import FAILED, UNEVENTFUL, Result, counted, judged, quiet, short
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number

__all__ = ["CHECKS", "Case", "Report", "Result", "check_game"]

MAX_STATES = 2000

_LISTED: tuple[Callable[[Case], None], ...] = (
    games.game_is_a_frozen_dataclass,
    games.unlike_games_differ,
    games.parameters_make_the_game_again,
    games.other_sizes_are_the_same_game,
    games.facts_are_well_formed,
    moves.rules_answer,
    moves.players_are_seats,
    moves.legal_actions_are_in_order,
    moves.masks_are_legal_actions,
    moves.probabilities_are_exact,
    moves.chance_is_as_declared,
    moves.starts_begin_a_game,
    moves.seats_and_actions_are_used,
    states.states_are_values,
    states.answers_repeat,
    moves.payments_are_numbers,
    moves.players_who_left_are_not_paid,
    moves.payoffs_keep_their_bounds,
    moves.zero_sum_holds,
    moves.games_end_in_time,
    moves.settled_is_what_play_pays,
    views.observations_fit_their_bounds,
    views.arrays_are_fresh,
    views.observations_tell_states_apart,
    views.observations_show_what_is_legal,
    views.observations_hold_what_was_seen,
    views.entries_vary,
    views.state_of_reads_observations,
    views.seats_are_alike,
    views.opponent_masks_fit,
    declarations.canonical_is_its_own,
    declarations.action_images_fit,
    declarations.canonical_keeps_what_follows,
    declarations.action_counts_fit,
    declarations.moves_left_fall,
    declarations.there_are_as_many_states_as_counted,
    declarations.action_parts_tell_actions_apart,
    declarations.uniform_is_optimal_where_claimed,
    states.check_takes_states,
    states.check_refuses_junk,
    views.states_and_actions_have_words,
    views.states_read_differently,
    views.pictures_keep_secrets,
    forms.compiled_rules_are_the_rules,
    forms.rounds_form_is_the_rules,
    forms.bayesian_form_is_the_rules,
)
CHECKS = {check.__name__: check for check in _LISTED}
HIDDEN = "declare public_state=False if a player must not see it"
# Check -> what to declare instead of a false declaration.
INSTEAD = {
    "chance_is_as_declared": 'declare chance="moves"',
    "zero_sum_holds": "declare zero_sum=False",
    "players_who_left_are_not_paid": "keep the player in live_players until its last payment",
    "settled_is_what_play_pays": "drop `settled`",
    "observations_tell_states_apart": HIDDEN,
    "state_of_reads_observations": HIDDEN,
    "seats_are_alike": "declare seat_symmetric=False",
    "opponent_masks_fit": "drop `opponent_masks`",
    "canonical_is_its_own": "drop `canonical`",
    "action_images_fit": "drop `canonical_actions`",
    "canonical_keeps_what_follows": "drop `canonical`",
    "action_counts_fit": "drop `action_counts`",
    "moves_left_fall": "drop `moves_left`",
    "there_are_as_many_states_as_counted": "drop `count_states`",
    "action_parts_tell_actions_apart": "drop `action_parts`",
    "uniform_is_optimal_where_claimed": "drop `uniform_is_optimal`",
    "compiled_rules_are_the_rules": "drop `compiled_rules`",
    "rounds_form_is_the_rules": "drop `rounds_form`",
    "bayesian_form_is_the_rules": "drop `bayesian_form`",
}


@dataclass(frozen=True)
class Report:
    """The result of `check_game`; iterates over the results.

    Attributes:
        game: The rules.
        complete: Whether all states were examined, not only a sample.
        states: Number of states examined.
        extent: The same as text: "all 57 states", or "a sample of 2,000 states, seed 0".
        results: The result of each check, in the order of `CHECKS`.
    """

    game: Game[Any]
    complete: bool
    states: int
    extent: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(result.status != FAILED for result in self.results)

    @property
    def failed(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(result for result in self.results if result.status == FAILED)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __str__(self) -> str:
        return self.text()

    def text(self, everything: bool = False) -> str:
        """Formats the report: the game, the notes, the failures with advice, and the counts.

        Args:
            everything: Whether to list checks that passed or are not applicable as well.
        """
        shown = [each for each in self.results if each.status != FAILED]
        lines = [str(each) for each in shown if everything or each.status not in UNEVENTFUL]
        lines += [each.advised(CHECKS[each.check], INSTEAD.get(each.check, "")) for each in self.failed]
        return "\n".join([short(self.game), *lines, f"{self.extent}: {counted(self.results)}"])


@quiet()
def check_game(game: Game[Any], *, max_states: int = MAX_STATES, seed: int = 0) -> Report:
    """Checks a game's facts and declarations against its rules.

    Solvers trust a game's declarations: its facts, that representatives have the same value, that an observation
    determines the state. Their certificates are valid only if these declarations are true. A game with at most
    `max_states` states is examined completely. For a larger game only a sample of states is examined, which can
    reveal faults but cannot rule them out.

    Args:
        game: The rules.
        max_states: Maximum number of states to examine; may be exceeded slightly to finish a random game.
        seed: Seed for the sample.

    Returns:
        A report with a result for each check of `cardwar_envs.contract.CHECKS`. A rule that raises counts as a failure.

    Raises:
        ValueError: If `game` is not a `Game`, or another argument is invalid.
    """
    require_game(game)
    max_states = whole_number("max_states", max_states, range(1, 10**9))
    seed = whole_number("seed", seed, range(2**63))
    case = Case(game, max_states, seed)
    results = tuple(judged(name, partial(check, case)) for name, check in CHECKS.items())
    return Report(game, case.complete, case.size, case.extent, results)
