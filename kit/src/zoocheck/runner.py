"""Lists and runs all checks."""

import math
import re
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
    order,
    report,
    seeds,
    stale,
    steady,
    verdicts,
)
from zoocheck.grounds import Ground, grounds
from zoocheck.kinds import spoken
from zoocheck.subject import FEW_ROUNDS, Finding, Subject
from zoocheck.verdicts import FAILED, Failed, NotApplicable, Result

Check = Callable[[Subject], None]
# Number of steps used to measure the speed of an environment.
PACED = 10
# The fraction of the time for more games of each kind, and the part of their usual time that `SEARCHES` get, the checks
# that start from situations rather than watch games.
RARE_SHARE, PART = 0.03, 0.2
SEARCHES = (
    observations.masks_allow_what_is_legal,
    observations.illegal_actions_are_refused,
    leaks.commitments_are_hidden,
    order.order_of_actions_does_not_matter,
    inputs.input_outside_the_space_is_refused,
)


def rare_situations_are_no_exception(subject: Subject) -> None:
    """What the other checks demand also holds in rare situations.

    After all other checks, the kit plays further games while they show anything new: actions that become legal for the
    first time, rare rewards, several events in one step, all agents doing the same. Checks that watch games watch
    these, too; checks that start from situations start from the new ones. The reason names the check that fails.

    Example: An observation leaves its space after a bonus that must be earned with five moves in a row.
    Fix: As for the check that is named; the script of `--reproduce` leads to the situation.
    """
    new = False
    for api in subject.apis():
        found = explore.explored(subject, api.kind)
        if explore.LEGAL_PLAY in found.failures:
            raise NotApplicable(explore.UNPLAYABLE)
        failed, found.routes = set(found.failures), []
        if not found.is_done():
            explore.explore(subject, api.kind, found, RARE_SHARE)
        for check in sorted(found.failures.keys() - failed - subject.failed):
            subject.fail(Finding(f"{check}: {found.failures[check].reason}", found.failures[check].games))
        new = new or bool(found.routes)
    searched = {(leaks.search, "told"), *(("odd input", api.kind) for api in subject.apis())}
    known = {name: each for name, each in subject.findings.items() if name not in searched}
    again = replace(subject, seconds=PART * subject.seconds, findings=known)
    for search in SEARCHES if new else ():
        if search.__name__ not in subject.failed:
            try:
                search(again)
            except tuple(verdicts.VERDICTS):
                pass
            except Failed as failure:
                raise Failed(f"{search.__name__}: {failure}") from failure


# The checks in the order in which they run. Closing comes late: it can break other environments' rendering.
_LISTED: tuple[Check, ...] = (
    declared.agents_are_a_list_of_their_own, explore.legal_play_goes_on, declared.metadata_say_what_is_offered,
    declared.render_modes_are_kept, ends.is_parallelizable_is_declared, order.environments_leave_nothing_behind,
    steady.infos_are_steady, seeds.same_seed_same_episode, order.hash_seed_does_not_matter,
    seeds.other_seed_other_episode, seeds.seeded_reset_starts_anew, seeds.earlier_games_do_not_matter,
    seeds.unseeded_reset_goes_on, seeds.options_do_no_harm, order.global_randomness_is_left_alone,
    order.environments_do_not_meet, aliases.looking_changes_nothing, aliases.rendering_changes_nothing,
    aliases.every_situation_can_be_drawn, seeds.sampling_leaves_the_game_alone, aliases.arrays_are_fresh,
    aliases.containers_are_not_shared, aliases.the_callers_actions_are_left_alone,
    observations.observations_fit_their_spaces, observations.spaces_stay_the_same,
    observations.spaces_of_seats_are_seeded_apart, ends.seats_are_asked_in_order, leaks.commitments_are_hidden,
    leaks.commitments_touch_nothing, leaks.commitments_are_kept_inside, leaks.pictures_hide_commitments,
    chance.chance_to_come_is_hidden, observations.masks_allow_what_is_legal, observations.illegal_actions_are_refused,
    inputs.input_outside_the_space_is_refused, inputs.refusals_change_nothing, inputs.equal_actions_play_alike,
    order.order_of_actions_does_not_matter, bookkeeping.last_tells_what_is_so, bookkeeping.rewards_are_counted_once,
    stale.observations_are_of_now, stale.infos_are_of_now, stale.observations_are_informative,
    bookkeeping.results_name_the_agents, ends.ends_are_final, ends.nobody_is_paid_after_the_end,
    ends.limit_of_rounds_is_kept, ends.calls_at_the_wrong_time_are_refused, bookkeeping.skins_are_one_game,
    aliases.deepcopy_goes_on, aliases.pickle_goes_on, declared.closing_does_no_harm, bookkeeping.zero_sum_holds,
    rare_situations_are_no_exception,
)  # fmt: skip
CHECKS = {check.__name__: check for check in _LISTED}
# Check -> later ones whose failure its own may explain; of several, the first listed counts.
EXPLAINS = {
    "agents_are_a_list_of_their_own":
        "legal_play_goes_on seeded_reset_starts_anew observations_fit_their_spaces spaces_stay_the_same "
        "seats_are_asked_in_order chance_to_come_is_hidden ends_are_final limit_of_rounds_is_kept "
        "skins_are_one_game",
    "metadata_say_what_is_offered": "render_modes_are_kept is_parallelizable_is_declared",
    "seeded_reset_starts_anew": "earlier_games_do_not_matter unseeded_reset_goes_on options_do_no_harm",
    "environments_do_not_meet": "looking_changes_nothing sampling_leaves_the_game_alone",
    "looking_changes_nothing": "rendering_changes_nothing",
    "render_modes_are_kept": "every_situation_can_be_drawn",
    "arrays_are_fresh": "containers_are_not_shared",
    "commitments_are_hidden": "commitments_touch_nothing commitments_are_kept_inside pictures_hide_commitments",
    "legal_play_goes_on": "masks_allow_what_is_legal",
    "deepcopy_goes_on": "pickle_goes_on",
    "same_seed_same_episode": "hash_seed_does_not_matter seeded_reset_starts_anew calls_at_the_wrong_time_are_refused",
    "results_name_the_agents": "ends_are_final nobody_is_paid_after_the_end",
    "rewards_are_counted_once": "skins_are_one_game zero_sum_holds",
    "commitments_touch_nothing": "commitments_are_kept_inside",
    "unseeded_reset_goes_on": "deepcopy_goes_on pickle_goes_on",
    "environments_leave_nothing_behind":
        "infos_are_steady same_seed_same_episode hash_seed_does_not_matter seeded_reset_starts_anew "
        "environments_do_not_meet",
    "observations_are_of_now": "infos_are_of_now observations_are_informative skins_are_one_game",
}  # fmt: skip
# In advice: words that mean nothing to the author of an environment of Gymnasium.
OF_PETTINGZOO = re.compile(r"PettingZoo|AEC|Parallel|\bagents?\b|self\.infos")
WATCHED = {name for name, *_ in explore.WATCHERS}


@verdicts.quiet()
def run(name: str, subject: Subject) -> Result:
    """Runs the check of this name. Any error in the environment is a failure; its warnings are suppressed."""
    if subject.budget.end == math.inf and subject.games is None:
        _pace(subject)
    subject.recent.clear()
    subject.cut.clear()
    subject.budget.start(subject.seconds, whole=subject.games is not None)
    status, reason = _judged(CHECKS[name], subject)
    result = Result(name, status, spoken(reason) if subject.gymnasium else reason)
    if status != FAILED:
        return result
    subject.failed.add(name)
    return replace(result, script=report.script_of(subject, result.reason))


def _pace(subject: Subject) -> None:
    """Measures the time of a step in a second game, because the first may load libraries."""
    with suppress(Exception):  # errors are left for the checks to find
        for api in subject.apis():
            api.game(0).run(PACED)
            play = api.game(0)
            began = verdicts.processor_seconds()
            play.run(PACED)
            subject.budget.pace((verdicts.processor_seconds() - began) / max(1, len(play.played)))


def _judged(check: Check, subject: Subject) -> tuple[str, str]:
    """Runs a check; returns the status and the reason. An unexpected error is a failure that names the call."""
    try:
        _run(check, subject)
    except (Failed, *verdicts.VERDICTS) as reason:
        return verdicts.VERDICTS.get(type(reason), FAILED), str(reason)
    except verdicts.OutOfTime:
        return verdicts.INCONCLUSIVE, "the time ran out; a larger --seconds lets the check finish"
    except Exception as error:
        words = verdicts.in_a_line(error)
        if subject.recent and (calls := subject.recent[-1][1].calls):
            name, given = calls[-1]
            called = f"seed={given.get('seed')!r}" if name == "reset" else repr(given)
            words = f"{subject.recent[-1][1].at}, in or after {name}({called}): {words}"
        return FAILED, words
    if (rounds := min(subject.cut, default=FEW_ROUNDS)) < FEW_ROUNDS:
        return verdicts.INCONCLUSIVE, f"too few rounds ({rounds}) before the time ran out; see --seconds and --games"
    return verdicts.PASSED, ""


def _run(check: Check, subject: Subject) -> None:
    """Runs a check; it does not apply if it stumbles over an error that `legal_play_goes_on` reports."""
    if subject.gymnasium and check.__name__ not in grounds(gymnasium=True):
        raise NotApplicable("about agents or masks, which Gymnasium's API does not have")
    if check.__name__ not in WATCHED:  # their results come from the explored games
        subject.budget.alarm()
    try:
        check(subject)
    except tuple(verdicts.VERDICTS):
        raise
    except Exception as error:
        if check.__name__ == explore.LEGAL_PLAY or not explore.is_explained(error, subject):
            raise
        raise NotApplicable(explore.UNPLAYABLE) from error


def selected(only: Collection[str] = (), skip: Collection[str] = ()) -> list[str]:
    """The names of the checks to run, in order: those in `only`, by default all, without those in `skip`.

    Raises a ValueError if there is no check of that name, or no check is left.
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


def with_causes(results: Iterable[Result], known: Collection[str] = (), mild: Collection[str] = ()) -> Iterator[Result]:
    """The results, each failure with the earlier check that explains it, and "known" or a "warning" if listed so."""
    failed: dict[str, Result] = {}
    for result in results:
        if result.status != FAILED:
            yield result
            continue
        found = failed[result.check] = replace(result, follows=_cause(result, failed))
        status = verdicts.KNOWN if result.check in known else verdicts.WARNED if result.check in mild else FAILED
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
    causes = (name for name, effects in EXPLAINS.items() if name in failed and result.check in effects.split())
    return next((failed[name].follows or name for name in causes), "")


def _error_of(result: Result) -> str:
    """The environment's error in a reason, if any."""
    _, found, error = result.reason.partition("Error: ")
    return error if found else ""


def advice(result: Result, ground: Ground | None) -> list[str]:
    """What must hold, why, and how to fix a violation; nothing for an effect of an earlier one."""
    if result.follows or ground is None:
        return []
    about = verdicts.explained(CHECKS[result.check])
    lines = [f"must hold: {about.demanded}", str(ground), f"to fix: {about.fix}"]
    return [line for line in lines if not (ground.gymnasium and OF_PETTINGZOO.search(line))]
