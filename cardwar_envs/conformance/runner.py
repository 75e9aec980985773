"""The list of all checks, and running them."""

from __future__ import annotations

from collections.abc import Callable

from cardwar_envs.conformance import copies, ends, masks, observations, payoffs, secrecy, seeds, skins
from cardwar_envs.conformance.subject import Subject, quiet
from cardwar_envs.conformance.verdicts import Result, judged

_LISTED: tuple[Callable[[Subject], None], ...] = (
    secrecy.commitments_are_hidden,
    secrecy.pictures_hide_commitments,
    secrecy.seats_are_asked_in_order,
    masks.masks_allow_what_is_legal,
    masks.illegal_actions_are_refused,
    observations.observations_fit_their_spaces,
    observations.arrays_are_fresh,
    observations.rendering_changes_nothing,
    skins.skins_are_one_game,
    seeds.same_seed_same_episode,
    seeds.other_seed_other_episode,
    seeds.seeded_reset_starts_anew,
    seeds.unseeded_reset_goes_on,
    copies.deepcopy_goes_on,
    copies.pickle_goes_on,
    copies.environments_do_not_meet,
    copies.global_randomness_is_left_alone,
    ends.ends_are_final,
    ends.nobody_is_paid_after_the_end,
    ends.limit_of_rounds_is_kept,
    payoffs.zero_sum_holds,
    payoffs.equilibrium_earns_its_value,
)
CHECKS = {check.__name__: check for check in _LISTED}


def run(name: str, subject: Subject) -> Result:
    """Runs one check. Any error that the environment raises is a failure; its warnings are not shown.

    Args:
        name: A key of `CHECKS`.
        subject: The environment.
    """
    with quiet():
        return judged(name, lambda: CHECKS[name](subject))


def run_all(subject: Subject) -> list[Result]:
    """Runs every check."""
    return [run(name, subject) for name in CHECKS]
