"""Every check catches its broken environments, and says nothing against a healthy one."""

import ast
import re
import subprocess
import sys
import time
import uuid
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo.utils import aec_to_parallel

import zoocheck
from broken.bases import Bidding, Lowest, Pennies, skinned
from broken.defects.told import HandSeenShrinking
from broken.environments import BY_CHECK, GAMES, NOTED, markdown, subject
from broken.unusual.spaces_of_all_kinds import ContinuousActions, DictActions, MaskInInfos
from zoocheck import CHECKS, Failed, NotApplicable, Subject, load, play, run, run_all
from zoocheck.guard import Guard
from zoocheck.look import Index, difference, in_words
from zoocheck.observations import require_fit

ROOT = Path(__file__).parents[1]
# What cannot be played to its end, or shares its chance with every other, fails most of what plays it.
SPREADING = {
    "BreaksInTheSecondGame",
    "GeneratorOfTheClass",
    "NothingAllowed",
    "NumpysGlobal",
    "OneListOfAgents",
    "RenderingDraws",
    "SurvivorsOnly",
}
# What a failure must say, of some environments.
WORDS = {
    "HandSeenShrinking": "whether player_0 plays 0 or 1: observation of player_1, key 'observation', entry ",
    "OnePixel": "whether ann plays 2 or 0: the picture of render(), entry [7, 11, 2]: 253 and 255",
    "AskedBackwards": "in no turn are the agents selected in the order of `agents`",
    "WideMask": "the mask of player_0 is int64[5], not int8[5]",
    "CardPlayedTwice": "which its mask forbids; no error is raised and the game continues",
    "SpaceOfTheFirst": "is not in its space",
    "RewardsStay": "last() gives player_1 a reward of 3, but its `rewards` sum to 6",
    "SeedAsBool": "all lead to the same game, although consecutive games differ",
    "SameGameAgain": "24 consecutive games after one seed are the same",
    "CopyIsShallow": "playing the copy disturbs the original",
    "ComesBack": "cy is back in `agents`",
    "LimitIgnored": "with max_rounds=1 the game continues after 1 joint actions",
    "BothGetTheHalf": "sum to 5, not to 0",
    "TieOfNothing": "the reward of player_0 is nan, not a finite number",
    "InfinitiesCancel": "inf, not a finite number",
    "InfiniteRatio": "has an entry that is not a finite number",
    "MemoryAsADefaultArgument": "they share the list MemoryAsADefaultArgumentInAec._memory, which games change",
    "OneListOfAgents": "`possible_agents`, the same list object as `agents`, changes from",
    "SeatedAsBefore": "after a reset `agents` is the list object of the previous game",
}


known = cache(subject)  # what was found once serves all checks, as in `run_all`


def of_status(subject, status):
    return {result.check for result in run_all(subject) if result.status == status}


def in_this_process(subject):
    """The results of all checks but those that start other processes, which takes a second each."""
    elsewhere = {"hash_seed_does_not_matter", "environments_leave_nothing_behind"}
    return {result.check: result for result in run_all(subject, [name for name in CHECKS if name not in elsewhere])}


def environment(game, *skins, **more):
    """A game of these tests in its skins, AEC alone if none is named, as the kit takes it."""
    makers = {skin: skinned(game, skin) for skin in skins or ["aec"]}
    return Subject(game.__name__, **makers, **{"games": GAMES, **more})


class LimitedPennies(Pennies):
    def __init__(self, max_rounds=12, **parameters):
        self.longest = max_rounds
        super().__init__(**parameters)


def test_every_check_passes_a_healthy_environment():
    others = {result.check for result in run_all(known("Bidding")) if result.status != "passed"}
    assert others == {"limit_of_rounds_is_kept"}
    limited = environment(LimitedPennies, "aec", "parallel")
    assert run("limit_of_rounds_is_kept", limited).status == "passed"


def test_every_check_has_a_broken_environment():
    assert all(BY_CHECK[check] or check in NOTED.values() for check in CHECKS)
    assert markdown() in (ROOT / "docs" / "checks.md").read_text()


@pytest.mark.parametrize("more", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_each_check_catches_its_broken_environments(more):
    """The first of each check; `more` takes the others."""
    for check, names in BY_CHECK.items():
        for name in names:
            if (name != names[0]) == more:
                result = run(check, known(name))
                assert result.status == "failed", (name, result)
                assert WORDS.get(name, result.reason or None) in result.reason


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_no_learner_meets_is_noted(slow):
    for name, check in NOTED.items():
        if slow == (check == "chance_to_come_is_hidden"):
            result = run(check, subject(name))
            assert (result.status, bool(result.reason)) == ("note", True), (name, result)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for names in BY_CHECK.values() for name in names} - SPREADING))
def test_other_checks_mostly_pass_broken_environments(name):
    failed = of_status(subject(name), "failed")
    assert failed >= {check for check, names in BY_CHECK.items() if name in names}
    assert len(failed) <= 5


class EachActionCosts(Pennies):
    """Each agent pays for tails when it commits."""

    def commit(self, agent, action):
        super().commit(agent, action)
        self.rewards[agent] = -0.25 * (action + 1)
        if self.waiting():
            self._accumulate_rewards()


def test_rewards_for_each_action_are_no_rewards_left_from_before():
    assert run("rewards_are_counted_once", environment(EachActionCosts)).status == "passed"
    result = run("rewards_are_counted_once", subject("RewardsStayAndCount"))
    assert result.status == "failed"
    assert "`rewards` still has {'player_0': -3.0, 'player_1': 3.0}, as before the step" in result.reason


def test_what_an_illegal_action_leaves_behind_is_found():
    result = run("seeded_reset_starts_anew", subject("RefusalReversesTheDeck"))
    assert result.status == "failed"
    assert "fresh, and reset after an illegal action in another game" in result.reason


def test_checks_can_be_called_from_any_test():
    CHECKS["ends_are_final"](subject("Pennies"))
    with pytest.raises(NotApplicable, match="there is no AEC version"):
        CHECKS["commitments_are_hidden"](subject("PenniesInParallelAlone"))


# -- what environments may lack -------------------------------------------------------------------


# What looks at a Parallel environment, or compares it.
OF_BOTH_KINDS = {
    "is_parallelizable_is_declared",
    "order_of_actions_does_not_matter",
    "results_name_the_agents",
    "skins_are_one_game",
    "the_callers_actions_are_left_alone",
}


@pytest.mark.slow
def test_without_masks():
    unmasked = environment(Pennies, zero_sum=True)
    assert of_status(unmasked, "failed") == set()
    lacking = {"masks_allow_what_is_legal", "illegal_actions_are_refused", "limit_of_rounds_is_kept"}
    assert of_status(unmasked, "not applicable") == lacking | OF_BOTH_KINDS


def test_masks_may_stand_in_infos_only():
    assert run("masks_allow_what_is_legal", environment(MaskInInfos)).status == "passed"
    assert run("masks_allow_what_is_legal", subject("BadlyMaskedInInfos")).status == "failed"


class MaskOfADict(DictActions):
    def info(self, agent):
        return {"action_mask": np.ones((4, 2), bool)}


@pytest.mark.parametrize(
    "check", ["seeded_reset_starts_anew", "commitments_are_kept_inside", "seats_are_asked_in_order"]
)
def test_a_mask_for_other_spaces_than_discrete_is_data_like_any_other(check):
    assert run(check, environment(MaskOfADict)).status == "passed"


def test_moves_in_turn_need_not_be_hidden():
    result = run("commitments_are_hidden", subject("OneAfterTheOther"))
    assert (result.status, "is_parallelizable" in result.reason) == ("not applicable", True)


# What looks at pictures.
OF_PICTURES = (
    "legal_play_goes_on",
    "render_modes_are_kept",
    "rendering_changes_nothing",
    "every_situation_can_be_drawn",
    "pictures_hide_commitments",
)


class NoSuchDisplayException(Exception):  # noqa: N818
    """As pyglet calls it."""


def drawing(error):
    """The statuses of checks of an environment that raises this as soon as a game to be drawn begins."""

    class CannotDraw(skinned(Pennies, "aec")):
        def deal(self):
            super().deal()
            if self.render_mode is not None:
                raise error

    shown = Subject("cannot draw", CannotDraw, games=GAMES)
    return {check: run(check, shown) for check in OF_PICTURES}


@pytest.mark.parametrize(
    "error",
    [
        ImportError("pip install a-drawing-library"),
        ModuleNotFoundError("No module named 'pyglet'", name="pyglet"),
        ImportError("libGL.so.1: cannot open shared object file: No such file or directory"),
        NoSuchDisplayException('Cannot connect to "None"'),
        RuntimeError("No available video device"),
        RuntimeError("no display name and no $DISPLAY environment variable"),
        RuntimeError("OpenGL support is either not configured in SDL or not available in current SDL video driver"),
        AttributeError("'NoneType' object has no attribute 'glGetError'"),
    ],
)
def test_pictures_that_need_what_is_not_here_are_skipped(error):
    found = drawing(error)
    assert found.pop("legal_play_goes_on").status == "passed"
    for check, result in found.items():
        assert (result.status, str(error) in result.reason) == ("skipped", True), (check, result)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("the display shows no cards"),
        ModuleNotFoundError("No module named 'broken.pictures'", name="broken.pictures"),
        ImportError("cannot import name 'Surfaces' from 'pygame'", name="pygame"),
        AttributeError("'NoneType' object has no attribute 'blit'"),
        ValueError("OpenGL texture 7 has the wrong size"),
    ],
)
def test_what_goes_wrong_in_drawing_for_another_reason_is_a_failure(error):
    found = drawing(error)
    assert found["render_modes_are_kept"].status == "failed"
    assert {found[check].status for check in OF_PICTURES[2:]} == {"not applicable"}


@pytest.mark.parametrize(
    ("maker", "status", "words"),
    [
        ("without_modes", "note", "takes no render_mode; it sets None"),
        ("in_one_mode", "note", "takes no render_mode; it sets 'ansi'"),
        ("printing_in_one_mode", "failed", "render() in mode 'ansi' returns NoneType, not a string"),
        ("NoModes", "failed", "the constructor takes no render_mode"),
        ("Offers", "failed", "the constructor takes no render_mode"),
    ],
)
def test_a_function_need_not_take_a_render_mode_but_a_class_must(maker, status, words):
    result = run("render_modes_are_kept", load(f"broken.factories:{maker}", games=1))
    assert (result.status, words in result.reason) == (status, True), result


class TwoObjectives(ContinuousActions):
    """Actions are arrays, and rewards are vectors."""

    def share(self, winner, agents):
        return {agent: np.array([reward, 1.0]) for agent, reward in super().share(winner, agents).items()}

    def play(self, actions):
        paid = super().play(actions)
        self._points = dict.fromkeys(self.players, 0.0)
        return paid


def test_actions_and_rewards_of_several_numbers_go_through():
    results = in_this_process(environment(TwoObjectives, "aec", "parallel", zero_sum=True, games=1))
    assert results.pop("observations_are_informative").status == "note", "no points are kept"
    assert [(check, result.reason) for check, result in results.items() if result.status in ("failed", "note")] == [
        ("nobody_is_paid_after_the_end", "rewards are vectors of length 2, not numbers")
    ]
    assert "rewards are vectors" in results["zero_sum_holds"].reason


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        pytest.param("MemoryAsADefaultArgument", "environments_leave_nothing_behind", marks=pytest.mark.slow),
        ("OneListOfAgents", "agents_are_a_list_of_their_own"),
    ],
)
def test_a_cause_is_named_before_what_follows_from_it(name, cause):
    failed = [result for result in run_all(known(name)) if result.status == "failed"]
    assert failed[0].check == cause
    assert {result.follows for result in failed[1:]} <= {cause}, failed


def test_zero_sum_is_asked_of_who_declares_it_or_is_told():
    assert run("zero_sum_holds", subject("BothGetTheHalf", zero_sum=None)).status == "not applicable"


def test_rewards_must_be_finite_whatever_is_declared():
    silent = subject("TieOfNothing", zero_sum=None)
    result = run("nobody_is_paid_after_the_end", silent)
    assert (result.status, "is nan, not a finite number" in result.reason) == ("failed", True)
    assert run("skins_are_one_game", silent).status == "failed"


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_rewards_of_nan_after_the_end_are_seen(kind):
    both = subject("TieOfNothing")
    alone = Subject(both.name, **{kind: getattr(both, kind)}, zero_sum=True, games=GAMES)
    assert run("zero_sum_holds", alone).status == "failed"


def test_the_kit_imports_what_it_declares_and_nothing_else():
    """In particular no other part of the repository that it lies in."""
    declared = {"gymnasium", "numpy", "pettingzoo", "pytest", "rich", "typer", "zoocheck"}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert {name.split(".")[0] for name in names} <= declared | sys.stdlib_module_names, path


def test_whatever_is_raised_is_a_failure():
    class Crashes(skinned(Pennies, "aec")):
        def step(self, action):
            raise ZeroDivisionError("cards / 0")

    crashing = Subject("crashes", Crashes, games=GAMES)
    results = [result for result in run_all(crashing) if result.status == "failed"]
    assert results[0].check == "legal_play_goes_on", "not the one before it, which plays too"
    assert "ZeroDivisionError: cards / 0" in results[0].reason
    assert "env.step(" in results[0].script
    assert not results[1:], "one cause is found once"
    assert run("ends_are_final", crashing).status == "not applicable"


@pytest.mark.parametrize("before_infos", [False, True])
def test_a_reset_without_infos_was_right_before_pettingzoo_1_23(monkeypatch, before_infos):
    class Alone(skinned(Pennies, "parallel")):
        def reset(self, seed=None, options=None):
            return super().reset(seed, options)[0]

    monkeypatch.setattr(play, "BEFORE_INFOS", before_infos)
    result = run("legal_play_goes_on", Subject("alone", parallel=Alone, games=GAMES))
    wrong = "Parallel, after step 0: reset() must return observations and infos, not dict"
    assert (result.status, result.reason) == (("passed", "") if before_infos else ("failed", wrong))


class Clock(Bidding):
    """Infos have an identifier, counts, sums over all games, and clocks, of which some go on by seconds."""

    games, wins, began = 0, 0, 0.0

    def deal(self):
        super().deal()
        self.games += 1
        self.name, self.began = str(uuid.uuid4()), time.perf_counter()

    def play(self, actions):
        paid = super().play(actions)
        self.wins += paid["player_0"] > 0
        return paid

    def info(self, agent):
        now = time.perf_counter()
        info = {"at": time.strftime("%H:%M:%S"), "now": int(time.time()), "won": self.wins, "took": now - self.began}
        return info | {"name": self.name, "games": self.games, "stats": {"time": now, "round": self._round}}


class LuckBesideAClock(Clock):
    def info(self, agent):
        return {"stats": {"time": time.perf_counter(), "luck": np.random.default_rng().random()}}


class LeakyClock(Clock, HandSeenShrinking):
    pass


# What is said of each of its infos.
CLOCK = {
    **dict.fromkeys(["at", "now", "took", "stats.time"], "depends on the time"),
    **dict.fromkeys(["won", "games"], "increases from game to game"),
    "name": "is a different string",
}


def test_what_differs_each_time_is_noted_and_switches_nothing_off():
    results = in_this_process(environment(Clock, zero_sum=True, games=2))
    assert results["infos_are_steady"].status == "note"
    for name, words in CLOCK.items():
        assert f"{name!r} {words}" in results["infos_are_steady"].reason
    missing = {check for check, result in results.items() if result.status == "not applicable"}
    assert missing == OF_BOTH_KINDS | {"limit_of_rounds_is_kept"}
    assert not [result for result in results.values() if result.status == "failed"]
    assert run("commitments_are_hidden", environment(LeakyClock)).status == "failed"
    luck = run("infos_are_steady", environment(LuckBesideAClock))
    assert (luck.status, luck.reason) == ("failed", "AEC: the info 'stats.luck': seed and actions do not determine it")


def test_looking_is_not_blamed_for_games_that_no_seed_decides():
    unseeded = subject("NewGeneratorEachTime")
    for check in ("looking_changes_nothing", "rendering_changes_nothing", "sampling_leaves_the_game_alone"):
        assert run(check, unseeded).status == "passed"


def test_secrecy_is_checked_wherever_there_is_a_parallel_version():
    class Denies(skinned(HandSeenShrinking, "aec")):
        def __init__(self, **parameters):
            super().__init__(**parameters)
            del self.metadata["is_parallelizable"]

    check = CHECKS["commitments_are_hidden"]
    with pytest.raises(NotApplicable):
        check(Subject("in turn", Denies, games=GAMES))
    with pytest.raises(Failed):
        check(Subject("at once", Denies, skinned(Bidding, "parallel"), games=GAMES))


class RareLuck(Pennies):
    """One round; in one game of twenty the points count double."""

    shortest = longest = 1

    def begin(self, seed, options):
        # With these seeds, both checks fail if they compare only a few games.
        super().begin(None if seed is None else 18_000 + seed, options)

    def deal(self):
        super().deal()
        self._factor = 2.0 if self._rng.random() < 0.05 else 1.0

    def payoffs(self, side_0, side_1):
        return tuple(self._factor * paid for paid in super().payoffs(side_0, side_1))


@pytest.mark.parametrize("check", ["other_seed_other_episode", "unseeded_reset_goes_on"])
def test_rare_chance_is_not_taken_for_a_seed_that_is_ignored(check):
    assert run(check, environment(RareLuck)).status != "failed"


class Animated(Bidding):
    """Each picture is brighter than the one before, as in an animation."""

    render_modes = ("rgb_array",)
    drawn = 0

    def render(self):
        self.drawn += 1
        return np.full((4, 4, 3), self.drawn, np.uint8)


def test_pictures_may_depend_on_the_number_of_pictures():
    assert run("arrays_are_fresh", environment(Animated)).status == "passed"


class Rare(Bidding):
    """In one of several hundred games an observation is out of bounds: four ties came before it."""

    def observe(self, agent):
        seen = super().observe(agent)
        same = np.array_equal(*self._hands.values()) and self._score == 0.0
        seen["observation"][0] += 99.0 * (same and self._round == 4)
        return seen


def test_what_is_rare_is_found():
    rare = environment(Rare, "parallel", games=100)
    assert run("observations_fit_their_spaces", rare).status == "failed"
    assert zoocheck.coverage(rare)["Parallel"]["games"] > 20


def test_a_script_does_it_again():
    script = run("observations_are_of_now", subject("StaleObservation")).script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "env.reset(seed=" in script


def test_the_script_of_a_failure_found_by_an_earlier_check_repeats_its_games():
    unseeded = subject("SeedOfTheFirstRound", games=1)
    scripts = [run(check, unseeded).script for check in ("infos_are_steady", "same_seed_same_episode")]
    assert scripts[1].count("env.reset(seed=") == 2


def test_a_script_hands_in_what_should_have_been_refused():
    result = run("input_outside_the_space_is_refused", subject("TooHighIsClipped"))
    done = subprocess.run([sys.executable, "-c", result.script], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    odd = result.reason.partition(" plays ")[2].partition(", which")[0]
    assert f"env.step({odd})" in result.script


# -- tools ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, "a, entry 1: 2 and 3"),
        ({"a": 1}, {"b": 1}, "keys: ['a'] and ['b']"),
        ([1], [1, 2], "1 and 2 entries"),
        (np.zeros(2), np.array([0.0, 1.0]), "entry 1: 0.0 and 1.0"),
        (np.zeros(2), np.zeros(3), "float64[2] and float64[3]"),
        (np.zeros(2), np.zeros(2, np.float32), "float64[2] and float32[2]"),
        (np.array([np.nan]), np.array([np.nan]), None),
        (float("nan"), float("nan"), None),
        (object(), object(), None),
        ({"a": (np.ones(3), "x")}, {"a": (np.ones(3), "x")}, None),
    ],
)
def test_difference_names_the_place(first, second, found):
    assert difference(first, second) == found


def test_require_fit_asks_for_the_very_type():
    box = spaces.Box(0.0, 1.0, (2,), dtype=np.float64)
    assert box.contains(np.zeros(2, dtype=np.float32)), "which is why the check does not rely on it"
    with pytest.raises(Failed, match="x is float32, the space is float64"):
        require_fit(box, np.zeros(2, dtype=np.float32), "x")
    with pytest.raises(Failed, match="x, hand is not in its space"):
        require_fit(spaces.Dict({"hand": box}), {"hand": np.full(2, 1.5)}, "x")
    with pytest.raises(Failed, match="x, hand has an entry that is not a finite number"):
        require_fit(spaces.Dict({"hand": box}), {"hand": np.full(2, np.nan)}, "x")
    with pytest.raises(Failed, match="x is not in its space"):
        require_fit(spaces.Dict({"hand": box}), {}, "x")


class Bare(skinned(Bidding, "aec"), EzPickle):
    """Its copies are made by the constructor's arguments alone, as PettingZoo's own environments do it."""

    def __init__(self, **parameters):
        EzPickle.__init__(self, **parameters)
        super().__init__(**parameters)


def test_a_copy_that_begins_anew_by_declaration_is_noted():
    bare = Subject("bare", Bare, games=GAMES)
    assert [run(check, bare).status for check in ("deepcopy_goes_on", "pickle_goes_on")] == ["note", "note"]


def converted(**parameters):
    return aec_to_parallel(subject("RewardsStay").aec(**parameters))


def test_what_a_converter_has_made_is_checked_beneath():
    found = load(f"{__name__}:converted", games=GAMES)
    assert [api.kind for api in found.apis()] == ["AEC", "Parallel"]
    assert run("rewards_are_counted_once", found).status == "failed"
    assert run("refusals_change_nothing", found).status == "note"


def test_an_environment_that_never_returns_is_ended_in_time():
    began = time.monotonic()
    with Guard(load("broken.factories:NeverReturns", seconds=0.1)) as guard:
        guard._limit = 1.0  # CPU seconds of a run; the usual ones are more
        results = [guard.run(name) for name in CHECKS]
    assert {result.status for result in results} == {"skipped"}
    assert time.monotonic() - began < 30


def test_an_environment_that_kills_its_process_fails_the_check_that_made_the_call():
    names = ["chance_to_come_is_hidden", "input_outside_the_space_is_refused", "ends_are_final"]
    with Guard(load("broken.factories:KillsItsProcess", games=1)) as guard:
        before, failure, after = map(guard.run, names)
    assert (before.status, failure.status, after.status) == ("not applicable", "failed", "passed")
    call = r"Parallel, seed \d+, after step \d+, in or after step\({'player_0': 1000000, .*"
    assert re.fullmatch(f"{call}: the environment killed its process with SIGSEGV", failure.reason)
    assert "Run the check again" in failure.script
    assert guard.seen["Parallel"]["games"] == 1


# -- environments that can hardly be played ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ResetRaises", "AEC, after step 0: RuntimeError: no deck"),
        (
            "UnseededResetRaises",
            "in a later game of the same environment, after reset(seed=None): TypeError",
        ),
        ("ObservationWithALock", "AEC, seed 0, after step 0: observations cannot be copied: TypeError: cannot pickle"),
    ],
)
def test_what_cannot_be_played_is_one_failure_named_after_its_cause(name, words):
    results = in_this_process(subject(name, games=1))
    (failure,) = [result for result in results.values() if result.status == "failed"]
    assert (failure.check, words in failure.reason) == ("legal_play_goes_on", True), failure
    assert failure.script.count("env.reset(seed=") == 1 + (name == "UnseededResetRaises")
    if name == "ResetRaises":
        passed = {check for check, result in results.items() if result.status != "not applicable"}
        assert passed == {"legal_play_goes_on", "metadata_say_what_is_offered", "is_parallelizable_is_declared"}


class LateComer(Lowest):
    """An agent joins after the first round."""

    late = "cy"

    def reset(self, seed=None, options=None):
        views = super().reset(seed, options)
        self.agents = ["ann", "bob"]
        return tuple({agent: part[agent] for agent in self.agents} for part in views)

    def views(self, agents):
        joining = [self.late] * (self._round == 1)
        self.agents = self.agents + joining
        return super().views(agents + joining)


class Uninvited(LateComer):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.possible_agents = ["ann", "bob"]

    def others(self, agent):
        return [other for other in self.players if other != agent]


def test_an_agent_may_join_for_the_first_time_in_mid_game():
    results = in_this_process(environment(LateComer, "parallel"))
    assert not [result for result in results.values() if result.status == "failed"]
    result = run("ends_are_final", environment(Uninvited, "parallel"))
    assert (result.status, "cy is in `agents`, but not in `possible_agents`" in result.reason) == ("failed", True)


class ManyActions(Pennies):
    """As many actions as no list can hold; even and odd ones are the two sides."""

    def new_action_space(self, agent):
        return spaces.Discrete(2**40, start=7)

    def payoffs(self, side_0, side_1):
        return super().payoffs(side_0 % 2, side_1 % 2)

    def seen(self, agent):
        return [side if side == 2 else side % 2 for side in super().seen(agent)[:4]] + [self._round]


def test_no_space_is_listed():
    results = in_this_process(environment(ManyActions, "aec", "parallel", games=1))
    assert {result.status for result in results.values()} == {"passed", "not applicable"}


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("observations", "a", 0), "observation of a, entry 0"),
        (("infos", "player 1", "hand", Index([2, 3])), "info of player 1, key 'hand', entry [2, 3]"),
        (("told", "last", 0, "observation", 3), "observation of last(), key 'observation', entry 3"),
        (("render()", 1), "what render() prints"),
        (("agent_selection",), "agent_selection"),
        ((4,), "entry 4"),
    ],
)
def test_reasons_name_places_in_words(place, words):
    assert in_words(place) == words
