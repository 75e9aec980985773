"""Every environment of the set as `broken.environments:NAME`, and which of them each check must catch.

An environment has `env` and `parallel_env`, as a module does.
"""

from types import SimpleNamespace

from broken.catalogue import all_broken, all_further, all_healthy
from broken.markdown import table
from zoocheck import CHECKS, load

EVERY, FURTHER = all_broken() | all_healthy(), all_further()
# Enough games to catch a defect; no test depends on how fast the machine is.
GAMES = 4
# What is rarer needs more, and so do checks that learn to guess.
MORE_GAMES = {
    "InfoNextPrize": 64,
    "PublicDeck": 64,
    "TenthGame": 8,
    "ComesBack": 8,
    "ShareOfNothing": 8,
    "LimitTerminates": 12,
    "LateForOne": 16,
}
# Check -> environments of the frozen set; the further ones name their checks themselves.
FROZEN = {
    "agents_are_a_list_of_their_own": ["SurvivorsOnly"],
    "legal_play_goes_on": ["NothingAllowed"],
    "metadata_say_what_is_offered": ["OldKeyForModes"],
    "render_modes_are_kept": ["AnsiPrints", "PictureOfFloats"],
    "is_parallelizable_is_declared": ["ParallelizableForgotten"],
    "environments_leave_nothing_behind": ["MemoryOfTheClass"],
    "same_seed_same_episode": ["SeedOfTheFirstRound"],
    "hash_seed_does_not_matter": ["DeckFromASet"],
    "other_seed_other_episode": ["SeedAsBool"],
    "seeded_reset_starts_anew": ["BidsOfAnAbandonedGame"],
    "earlier_games_do_not_matter": ["TenthGame"],
    "unseeded_reset_goes_on": ["SameGameAgain"],
    "options_do_no_harm": ["OptionsNotTaken"],
    "global_randomness_is_left_alone": ["NumpysGlobal"],
    "environments_do_not_meet": ["GeneratorOfTheClass"],
    "looking_changes_nothing": ["StateSortsTheDeck"],
    "rendering_changes_nothing": ["RenderingDraws"],
    "every_situation_can_be_drawn": ["DrawingAfterTheEnd"],
    "sampling_leaves_the_game_alone": ["SpacesDrawFromTheGame"],
    "arrays_are_fresh": ["ReusedBuffer", "MaskIsTheHand"],
    "containers_are_not_shared": ["OneInfoForAll"],
    "the_callers_actions_are_left_alone": ["ActionsArePopped"],
    "observations_fit_their_spaces": ["InfiniteRatio", "ShapeAtTheEnd", "SpaceOfTheFirst", "WrongDtype"],
    "spaces_stay_the_same": ["NewActionSpaces", "NewObservationSpaces"],
    "spaces_of_seats_are_seeded_apart": ["SpacesShareASeed"],
    "seats_are_asked_in_order": ["AskedTwice"],
    "commitments_are_hidden": ["HandSeenShrinking", "MaskLacksTheCard"],
    "commitments_touch_nothing": ["PublicGenerator"],
    "commitments_are_kept_inside": ["StateHandShrinks", "ErrorListsBids"],
    "pictures_hide_commitments": ["AnsiNamesTheCard", "OnePixel", "PrintedForHumans"],
    "chance_to_come_is_hidden": ["InfoNextPrize"],
    "masks_allow_what_is_legal": ["WideMask", "TwoMasks", "NothingAllowed"],
    "illegal_actions_are_refused": ["CardPlayedTwice"],
    "input_outside_the_space_is_refused": ["TooHighIsClipped"],
    "refusals_change_nothing": ["RefusalDrawsChance"],
    "order_of_actions_does_not_matter": ["FirstWinsTheTie"],
    "last_tells_what_is_so": ["LastSwapsFlags"],
    "rewards_are_counted_once": ["RewardsTwice", "RewardsStay"],
    "observations_are_of_now": ["StaleObservation"],
    "infos_are_of_now": ["StaleInfo"],
    "results_name_the_agents": ["AllKey"],
    "ends_are_final": ["AgentsLeaveUntold", "ComesBack"],
    "nobody_is_paid_after_the_end": ["TieOfNothing"],
    "calls_at_the_wrong_time_are_refused": ["TheDeadMayAct"],
    "skins_are_one_game": ["ScaledRewards"],
    "deepcopy_goes_on": ["CopyIsShallow"],
    "closing_does_no_harm": ["ClosingTwiceRaises"],
    "zero_sum_holds": ["BothGetTheHalf", "TieOfNothing"],
}
BY_CHECK = {
    check: FROZEN.get(check, [])
    + [name for name, each in FURTHER.items() if (each.check, each.status) == (check, "failed")]
    for check in CHECKS
}
# Environment -> the check that notes it: it harms no learner, and breaks no promise of PettingZoo's documentation.
NOTED = {
    "NoName": "metadata_say_what_is_offered",
    "PublicLastAction": "commitments_are_kept_inside",
    "NestedObject": "commitments_are_kept_inside",
    "PublicDeck": "chance_to_come_is_hidden",
    "NoneIsHeads": "input_outside_the_space_is_refused",
    "StringIsANumber": "input_outside_the_space_is_refused",
    "FloatScalar": "input_outside_the_space_is_refused",
    "StepAfterTheEnd": "calls_at_the_wrong_time_are_refused",
    "StepAfterTheEndIsIgnored": "calls_at_the_wrong_time_are_refused",
    "StartsByItself": "calls_at_the_wrong_time_are_refused",
    **{name: each.check for name, each in FURTHER.items() if each.status == "note"},
}


def __getattr__(name):
    each = EVERY.get(name) or FURTHER.get(name)
    if each is None:
        raise AttributeError(name)
    names = {"aec": "env", "parallel": "parallel_env"}
    return SimpleNamespace(**{names[skin]: make for skin, make in each.makers.items()})


def subject(name, **more):
    """An environment of the catalogue, as the kit takes it."""
    game = (EVERY | FURTHER)[name].game
    more = {
        "games": MORE_GAMES.get(name, GAMES),
        "seconds": 3600.0,
        "zero_sum": getattr(game, "zero_sum", None) or None,
        **more,
    }
    return load(f"broken.environments:{name}", **more)


def markdown():
    rows = [[f"`{check}`", ", ".join(f"`{name}`" for name in names)] for check, names in BY_CHECK.items()]
    return table(["check", "broken environments that it catches"], rows)
