"""A check that spends the time that is left on rare situations."""

from __future__ import annotations

from dataclasses import replace

from zoocheck import inputs, leaks, observations, order
from zoocheck.explore import LEGAL_PLAY, UNPLAYABLE, explore, explored
from zoocheck.subject import Finding, Subject
from zoocheck.verdicts import VERDICTS, Failed, NotApplicable

# The fraction of the time for more games of each kind, and the part of their usual time that `SEARCHES` get, the checks
# that start from situations rather than watch games.
SHARE, PART = 0.03, 0.2
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
        found = explored(subject, api.kind)
        if LEGAL_PLAY in found.failures:
            raise NotApplicable(UNPLAYABLE)
        failed, found.routes = set(found.failures), []
        if not found.is_done():
            explore(subject, api.kind, found, SHARE)
        for check in sorted(found.failures.keys() - failed - subject.failed):
            subject.fail(Finding(f"{check}: {found.failures[check].reason}", found.failures[check].games))
        new = new or bool(found.routes)
    searched = {("leaks", "told"), *(("odd input", api.kind) for api in subject.apis())}
    known = {name: each for name, each in subject.findings.items() if name not in searched}
    again = replace(subject, seconds=PART * subject.seconds, findings=known)
    for search in SEARCHES if new else ():
        if search.__name__ not in subject.failed:
            try:
                search(again)
            except tuple(VERDICTS):
                pass
            except Failed as failure:
                raise Failed(f"{search.__name__}: {failure}") from failure
