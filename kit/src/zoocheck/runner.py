"""Lists and runs all checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches

from zoocheck import (
    aliases,
    bookkeeping,
    chance,
    declared,
    ends,
    explore,
    inputs,
    leaks,
    observations,
    one_game,
    order,
    rare,
    report,
    seeds,
    stale,
    steady,
)
from zoocheck.grounds import grounds
from zoocheck.solo import spoken
from zoocheck.subject import FEW_ROUNDS, Subject
from zoocheck.verdicts import (
    FAILED,
    KNOWN,
    VERDICTS,
    WARNED,
    Failed,
    Inconclusive,
    NotApplicable,
    OutOfTime,
    Result,
    in_a_line,
    judged,
    processor_seconds,
    quiet,
)

Check = Callable[[Subject], None]
# Number of steps used to measure the speed of an environment.
PACED = 10
AGENTS, META, FRESH = (
    declared.agents_are_a_list_of_their_own,
    declared.metadata_say_what_is_offered,
    order.environments_leave_nothing_behind,
)
ANEW, REWARDS, NOW = (
    seeds.seeded_reset_starts_anew,
    bookkeeping.rewards_are_counted_once,
    stale.observations_are_of_now,
)
# Each check, followed by the earlier checks whose failure may explain its own.
_LISTED: tuple[tuple[Check, ...], ...] = (
    (AGENTS,),
    (explore.legal_play_goes_on, AGENTS),
    (META,),
    (declared.render_modes_are_kept, META),
    (ends.is_parallelizable_is_declared, META),
    (FRESH,),
    (steady.infos_are_steady, FRESH),
    (seeds.same_seed_same_episode, FRESH),
    (order.hash_seed_does_not_matter, seeds.same_seed_same_episode, FRESH),
    (seeds.other_seed_other_episode,),
    (ANEW, AGENTS, seeds.same_seed_same_episode, FRESH),
    (seeds.earlier_games_do_not_matter, ANEW),
    (seeds.unseeded_reset_goes_on, ANEW),
    (seeds.options_do_no_harm, ANEW),
    (order.global_randomness_is_left_alone,),
    (order.environments_do_not_meet, FRESH),
    (aliases.looking_changes_nothing, order.environments_do_not_meet),
    (aliases.rendering_changes_nothing, aliases.looking_changes_nothing),
    (aliases.every_situation_can_be_drawn, declared.render_modes_are_kept),
    (seeds.sampling_leaves_the_game_alone, order.environments_do_not_meet),
    (aliases.arrays_are_fresh,),
    (aliases.containers_are_not_shared, aliases.arrays_are_fresh),
    (aliases.the_callers_actions_are_left_alone,),
    (observations.observations_fit_their_spaces, AGENTS),
    (observations.spaces_stay_the_same, AGENTS),
    (observations.spaces_of_seats_are_seeded_apart,),
    (ends.seats_are_asked_in_order, AGENTS),
    (leaks.commitments_are_hidden,),
    (leaks.commitments_touch_nothing, leaks.commitments_are_hidden),
    (leaks.commitments_are_kept_inside, leaks.commitments_are_hidden, leaks.commitments_touch_nothing),
    (leaks.pictures_hide_commitments, leaks.commitments_are_hidden),
    (chance.chance_to_come_is_hidden, AGENTS),
    (observations.masks_allow_what_is_legal, explore.legal_play_goes_on),
    (observations.illegal_actions_are_refused,),
    (inputs.input_outside_the_space_is_refused,),
    (inputs.refusals_change_nothing,),
    (inputs.equal_actions_play_alike,),
    (order.order_of_actions_does_not_matter,),
    (bookkeeping.last_tells_what_is_so,),
    (REWARDS,),
    (NOW,),
    (stale.infos_are_of_now, NOW),
    (stale.observations_are_informative, NOW),
    (bookkeeping.results_name_the_agents,),
    (ends.ends_are_final, AGENTS, bookkeeping.results_name_the_agents),
    (ends.nobody_is_paid_after_the_end, bookkeeping.results_name_the_agents),
    (ends.limit_of_rounds_is_kept, AGENTS),
    (ends.calls_at_the_wrong_time_are_refused, seeds.same_seed_same_episode),
    (one_game.skins_are_one_game, AGENTS, REWARDS, NOW),
    (aliases.deepcopy_goes_on, seeds.unseeded_reset_goes_on),
    (aliases.pickle_goes_on, aliases.deepcopy_goes_on, seeds.unseeded_reset_goes_on),
    (declared.closing_does_no_harm,),  # near the end, because closing can break other environments' rendering
    (one_game.zero_sum_holds, REWARDS),
    (rare.rare_situations_are_no_exception,),
)
WATCHED = {name for name, *_ in explore.WATCHERS}
CHECKS = {check.__name__: check for check, *_ in _LISTED}
CAUSES = {check.__name__: [cause.__name__ for cause in causes] for check, *causes in _LISTED}


@quiet()
def run(name: str, subject: Subject) -> Result:
    """Runs one check. Any error in the environment is a failure; its warnings are suppressed.

    Args:
        name: A key of `CHECKS`.
        subject: The environment.
    """
    if subject.budget.end == math.inf and subject.games is None:
        _pace(subject)
    subject.recent.clear()
    subject.cut.clear()
    subject.budget.start(subject.seconds, whole=subject.games is not None)
    result = judged(name, lambda: _located(CHECKS[name], subject))
    if subject.gymnasium:
        result = replace(result, reason=spoken(result.reason))
    if result.status != FAILED:
        return result
    subject.failed.add(name)
    return replace(result, script=report.script_of(subject, result.reason))


def _pace(subject: Subject) -> None:
    """Measures the time of a step in a second game, because the first may load libraries."""
    with suppress(Exception):  # errors are left for the checks to find
        for api in subject.apis():
            api.game(0).run(PACED)
            play = api.game(0)
            began = processor_seconds()
            play.run(PACED)
            subject.budget.pace((processor_seconds() - began) / max(1, len(play.played)))


def _located(check: Check, subject: Subject) -> None:
    """Runs a check; an unexpected error becomes a failure that names the call."""
    try:
        _run(check, subject)
    except (Failed, *VERDICTS):
        raise
    except OutOfTime:
        raise Inconclusive("the time ran out; a larger --seconds lets the check finish") from None
    except Exception as error:
        if not subject.recent or not (calls := subject.recent[-1][1].calls):
            raise
        play, (name, given) = subject.recent[-1][1], calls[-1]
        words = f"seed={given.get('seed')!r}" if name == "reset" else repr(given)
        raise Failed(f"{play.at}, in or after {name}({words}): {in_a_line(error)}") from error
    if (rounds := min(subject.cut, default=FEW_ROUNDS)) < FEW_ROUNDS:
        raise Inconclusive(f"too few rounds ({rounds}) before the time ran out; see --seconds and --games")


def _run(check: Check, subject: Subject) -> None:
    """Runs a check; it does not apply if it stumbles over an error that `legal_play_goes_on` reports."""
    if subject.gymnasium and check.__name__ not in grounds(gymnasium=True):
        raise NotApplicable("about agents or masks, which Gymnasium's API does not have")
    if check.__name__ not in WATCHED:  # their results come from the explored games
        subject.budget.alarm()
    try:
        check(subject)
    except tuple(VERDICTS):
        raise
    except Exception as error:
        if check.__name__ == explore.LEGAL_PLAY or not explore.is_explained(error, subject):
            raise
        raise NotApplicable(explore.UNPLAYABLE) from error


def selected(only: Collection[str] = (), skip: Collection[str] = ()) -> list[str]:
    """The names of the checks to run, in order: those in `only`, by default all, without those in `skip`.

    Raises:
        ValueError: If there is no check of that name, or no check is left.
    """
    for name in (*only, *skip):
        if name not in CHECKS:
            near = [each for each in CHECKS if name and name in each] or get_close_matches(name, CHECKS, 3)
            meant = f" (did you mean {' or '.join(map(repr, near[:3]))}?)" if near else ""
            raise ValueError(f"there is no check {name!r}{meant}; `zoocheck ENVIRONMENT --all` lists all")
    names = [name for name in CHECKS if (not only or name in only) and name not in skip]
    if not names:
        raise ValueError("no check is left to run")
    return names


def with_causes(
    results: Iterable[Result], known: Collection[str] = (), milder: Collection[str] = ()
) -> Iterator[Result]:
    """The results, each failure with the earlier check that explains it.

    A failure becomes "known" if its check is in `known`, or else a "warning" if it is in `milder`.
    """
    failed: dict[str, Result] = {}
    for result in results:
        if result.status != FAILED:
            yield result
            continue
        found = failed[result.check] = replace(result, follows=_cause(result, failed))
        status = KNOWN if result.check in known else WARNED if result.check in milder else FAILED
        yield replace(found, status=status)


def run_all(subject: Subject, names: Collection[str] = tuple(CHECKS)) -> list[Result]:
    """The results of these checks, by default all, in order; `follows` names the check that explains a failure."""
    subject.budget.to_come = len(names)
    return list(with_causes(run(name, subject) for name in names))


def _cause(result: Result, failed: dict[str, Result]) -> str:
    """The first failed check with the same reason, or with one that explains this failure."""
    for earlier in failed.values():
        if result.reason == earlier.reason or (_error_of(result) and _error_of(result) == _error_of(earlier)):
            return earlier.follows or earlier.check
    for name in CAUSES[result.check]:
        if name in failed:
            return failed[name].follows or name
    return ""


def _error_of(result: Result) -> str:
    """The environment's error in a reason, if any."""
    _, found, error = result.reason.partition("Error: ")
    return error if found else ""
