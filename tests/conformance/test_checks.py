"""Every check catches its toys, and says nothing against a good one."""

import ast
import subprocess
import sys
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
import toy_envs
from gymnasium import spaces
from gymnasium.utils import EzPickle
from thinning import each_row
from toy_envs import BROKEN, GAMES, GOOD

from cardwar_envs import conformance
from cardwar_envs.conformance import CHECKS, Failed, NotApplicable, Subject, load, run, run_all
from cardwar_envs.conformance.compare import difference
from cardwar_envs.conformance.observations import require_fit

# Who cannot be played to its end, or shares its chance with every other, fails most of what plays it.
SPREADING = {
    "breaks in the last round",
    "breaks in a second game",
    "Until somebody commits, agents see the round before",
    "masks allow cards that are gone",
    "masks of nothing in the last round",
    "one generator for all tables",
    "Who is out is taken out of the list of possible agents",
    "A game begins with the list of agents of the game before",
}


# Four checks see these; three at most see any other toy.
SEEN_BY_FOUR = {
    "masks show commitments",
    "commitments use the generator",
    "seed ignored",
    "pays NaN",
    "pays infinities that cancel out",
    "cannot draw the end",
}

DUEL = ("cardwar/dinosaur-war-v0", ["num_cards=3"])


def of_status(subject, status):
    return {result.check for result in run_all(subject) if result.status == status}


def test_a_good_toy_passes_everything():
    others = {result.check: result.status for result in run_all(GOOD) if result.status != "passed"}
    assert others == {"equilibrium_earns_its_value": "not applicable"}, "it has no rules to solve"


def test_every_check_has_a_toy():
    assert {check for check, _ in BROKEN.values()} == set(CHECKS)


@each_row("name", BROKEN)
def test_toys_are_caught(name):
    check, toy = BROKEN[name]
    result = run(check, toy)
    assert result.status == "failed", result
    assert result.reason


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BROKEN if name not in SPREADING])
def test_other_checks_mostly_pass_toys(name):
    check, toy = BROKEN[name]
    failed = of_status(toy, "failed")
    assert check in failed
    assert len(failed) <= (4 if name in SEEN_BY_FOUR else 3)


@each_row(
    ("name", "words"),
    [
        ("observations show commitments", "whether player_0 plays 0 or 1: told.observations.player_1.observation[4]"),
        ("pixels show commitments", "whether player_0 plays 0 or 1: render()[0][0, 0, 0]: 10 and 11"),
        ("seats asked backwards", "in no turn are the agents asked in the order of `agents`"),
        ("masks of bool", "the mask of player_0 is bool[3], not int8[3]"),
        ("illegal cards are replaced", "which its mask forbids; nothing is raised and play goes on"),
        ("observations out of bounds at the end", "observation is not in its space"),
        ("rewards of AEC not cleared", "by rewards in AEC"),
        ("seed ignored", "all lead to the same game, though games in a row differ"),
        ("reset starts the seed again", "12 games in a row after one seed are the same"),
        ("copies share the cards", "playing the copy disturbs the original"),
        ("back from the dead", "is back in `agents`"),
        ("max_rounds ignored", "with max_rounds=1 the game goes on after 1 joint actions"),
        ("prize paid to everyone", "sum to 3, not to 0"),
        ("pays NaN", "the reward of player_0 is nan, not a finite number"),
        ("pays infinities that cancel out", "inf, not a finite number"),
        ("infinite observations in an unbounded space", "observation has an entry that is not a finite number"),
    ],
)
def test_failures_say_what_and_where(name, words):
    check, toy = BROKEN[name]
    with pytest.raises(Failed) as failure:
        CHECKS[check](toy)
    assert words in str(failure.value)


def test_checks_can_be_called_from_any_test():
    CHECKS["ends_are_final"](GOOD)
    with pytest.raises(NotApplicable, match="there is no AEC version"):
        CHECKS["commitments_are_hidden"](Subject("parallel only", None, toy_envs.Parallel))


# -- what environments may lack -------------------------------------------------------------------


class Unmasked(toy_envs.AEC):
    """Cards come back at once, so there is nothing to mask."""

    def new_observation_space(self, agent):
        return spaces.Box(0.0, 3.0, (5,), dtype=np.float32)

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def info(self, agent):
        return {}

    def play(self, actions):
        paid = super().play(actions)
        for cards in self.held.values():
            cards[:] = 1
        return paid


class MaskedInInfos(toy_envs.AEC):
    def new_observation_space(self, agent):
        return spaces.Box(0.0, 3.0, (5,), dtype=np.float32)

    def observe(self, agent):
        return super().observe(agent)["observation"]


class BadlyMaskedInInfos(MaskedInInfos):
    def info(self, agent):
        return {"action_mask": super().info(agent)["action_mask"].astype(np.int64)}


class InTurn(Unmasked):
    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.metadata["is_parallelizable"] = False

    def state(self):
        return np.array(list(self._pending.values()))


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
    subject = Subject("unmasked", Unmasked, None, games=GAMES)
    assert of_status(subject, "failed") == set()
    assert (
        of_status(subject, "not applicable")
        == {
            "masks_allow_what_is_legal",
            "illegal_actions_are_refused",
            "equilibrium_earns_its_value",
        }
        | OF_BOTH_KINDS
    )


@pytest.mark.slow
def test_with_masks_in_infos_only():
    subject = Subject("masked in infos", MaskedInInfos, None, games=GAMES)
    assert of_status(subject, "failed") == set()
    assert run("masks_allow_what_is_legal", subject).status == "passed"
    assert run("masks_allow_what_is_legal", Subject("int64", BadlyMaskedInInfos, None, games=GAMES)).status == "failed"


def test_moves_in_turn_need_not_be_hidden():
    result = run("commitments_are_hidden", Subject("in turn", InTurn, None, games=GAMES))
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

    class CannotDraw(toy_envs.AEC):
        def deal(self, seed):
            super().deal(seed)
            if self.render_mode is not None:
                raise error

    subject = Subject("toy", CannotDraw, None, games=GAMES)
    return {check: run(check, subject) for check in OF_PICTURES}


@each_row(
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
def test_pictures_that_need_what_is_not_here_are_not_tried(error):
    found = drawing(error)
    assert found.pop("legal_play_goes_on").status == "passed"
    for check, result in found.items():
        assert (result.status, str(error) in result.reason) == ("not tried", True), (check, result)


@each_row(
    "error",
    [
        RuntimeError("the display shows no cards"),
        ModuleNotFoundError("No module named 'toy_envs.pictures'", name="toy_envs.pictures"),
        ImportError("cannot import name 'Surfaces' from 'pygame'", name="pygame"),
        AttributeError("'NoneType' object has no attribute 'blit'"),
        ValueError("OpenGL texture 7 has the wrong size"),
    ],
)
def test_what_goes_wrong_in_drawing_for_another_reason_is_a_failure(error):
    found = drawing(error)
    assert found["render_modes_are_kept"].status == "failed"
    assert {found[check].status for check in OF_PICTURES[2:]} == {"not applicable"}


def test_rewards_of_several_objectives_are_noted_once():
    subject = Subject("two", toy_envs.TwoObjectivesAEC, toy_envs.TwoObjectivesParallel, zero_sum=True, games=GAMES)
    results = {result.check: result for result in run_all(subject)}
    assert [(check, result.reason) for check, result in results.items() if result.status in ("failed", "note")] == [
        ("nobody_is_paid_after_the_end", "rewards are vectors of length 2, not numbers")
    ]
    assert "rewards are vectors" in results["zero_sum_holds"].reason


@each_row("skin", ["aec", "parallel"])
def test_actions_of_several_numbers_go_through(skin):
    kinds = {"aec": toy_envs.SharesAEC, "parallel": toy_envs.SharesParallel}
    assert of_status(Subject("shares", **{skin: kinds[skin]}, games=GAMES), "failed") == set()


@each_row(
    ("name", "cause", "words"),
    [
        (
            "a memory as a default argument",
            "environments_leave_nothing_behind",
            "they share the list AMemoryAsADefaultArgumentAEC._memory, which games change",
        ),
        (
            "Who is out is taken out of the list of possible agents",
            "agents_are_a_list_of_their_own",
            "`possible_agents`, which is the very list `agents`",
        ),
        (
            "A game begins with the list of agents of the game before",
            "agents_are_a_list_of_their_own",
            "a game begins with the very list `agents` of the game before",
        ),
    ],
)
def test_a_cause_is_named_before_what_follows_from_it(name, cause, words):
    failed = [result for result in run_all(BROKEN[name][1]) if result.status == "failed"]
    assert failed[0].check == cause
    assert words in failed[0].reason
    assert {result.follows for result in failed[1:]} <= {cause}, failed


class NotZeroSum(toy_envs.AEC):
    def __init__(self, **parameters):
        super().__init__(**parameters)
        del self.metadata["zero_sum"]

    payments = toy_envs.everyone_wins_the_prize


def test_zero_sum_is_asked_of_who_declares_it_or_is_told():
    assert run("zero_sum_holds", Subject("silent", NotZeroSum, games=GAMES)).status == "not applicable"
    assert run("zero_sum_holds", Subject("told", NotZeroSum, zero_sum=True, games=GAMES)).status == "failed"


class PaysNaN(NotZeroSum):
    payments = toy_envs.pays_nan


def test_rewards_must_be_finite_whatever_is_declared():
    result = run("nobody_is_paid_after_the_end", Subject("silent", PaysNaN, games=GAMES))
    assert (result.status, "is nan, not a finite number" in result.reason) == ("failed", True)
    both = BROKEN["pays NaN"][1]
    assert run("skins_are_one_game", Subject("silent", PaysNaN, both.parallel, games=GAMES)).status == "failed"


def test_a_value_must_be_a_number():
    good = load("cardwar/dinosaur-war-v0", ["num_cards=3"])
    result = run("equilibrium_earns_its_value", Subject(good.name, good.aec, None, good.parameters, value=float("nan")))
    assert (result.status, result.reason) == ("failed", "the value of the game is nan, not a finite number")


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_rewards_of_nan_after_the_end_are_seen(kind):
    subject = BROKEN["pays NaN"][1]
    alone = Subject(subject.name, **{kind: getattr(subject, kind)}, zero_sum=True, games=GAMES)
    assert run("zero_sum_holds", alone).status == "failed"


def test_the_kit_looks_from_outside():
    """It imports nothing else of the project; rules are found by what they offer."""
    code = "import sys, cardwar_envs.conformance as kit; print(kit.load('cardwar/war-v0').game().facts.name)"
    for path in Path(conformance.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                inside = node.module.startswith("cardwar_envs.conformance")
                assert inside or node.module.split(".")[0] not in ("cardwar_envs", "baselines", "train"), path
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "war\n"


def test_a_wrong_value_is_noticed():
    good = load("cardwar/dinosaur-war-v0", ["num_cards=3"])
    wrong = Subject(good.name, good.aec, good.parallel, good.parameters, value=0.5)
    result = run("equilibrium_earns_its_value", wrong)
    assert (result.status, "the value is 0.5000" in result.reason) == ("failed", True)


def test_whatever_is_raised_is_a_failure():
    class Crashes(toy_envs.AEC):
        def step(self, action):
            raise ZeroDivisionError("cards / 0")

    subject = Subject("crashes", Crashes, games=GAMES)
    results = [result for result in run_all(subject) if result.status == "failed"]
    assert results[0].check == "legal_play_goes_on", "not the one before it, which plays too"
    assert "ZeroDivisionError: cards / 0" in results[0].reason
    assert "env.step(" in results[0].script
    assert {result.follows for result in results[1:]} == {"legal_play_goes_on"}, "one cause is found once"
    assert run("ends_are_final", subject).status == "not applicable"


class Clock(toy_envs.AEC):
    games = 0

    def deal(self, seed):
        super().deal(seed)
        self.games += 1
        self.name = str(uuid.uuid4())

    def info(self, agent):
        return {"name": self.name, "games": self.games, "stats": {"time": time.perf_counter(), "round": self.round}}


class RareClock(toy_envs.AEC):
    """Infos have the time to the second, and sums over all games."""

    wins, began = 0, 0.0

    def deal(self, seed):
        super().deal(seed)
        self.began = time.perf_counter()

    def play(self, actions):
        paid = super().play(actions)
        self.wins += paid["player_0"] > 0 if "player_0" in paid else 0
        return paid

    def info(self, agent):
        clock = time.strftime("%H:%M:%S")
        return {"at": clock, "now": int(time.time()), "won": self.wins, "took": time.perf_counter() - self.began}


class LuckBesideAClock(Clock):
    def info(self, agent):
        return {"stats": {"time": time.perf_counter(), "luck": np.random.default_rng().random()}}


def test_clocks_and_counts_of_all_kinds_are_noted():
    result = run("infos_are_steady", Subject("rare clock", RareClock, games=GAMES))
    assert result.status == "note"
    for what in (
        "'at' is the time of day",
        "'now' is the time of day",
        "'won' goes up",
        "'took' is a number of seconds",
    ):
        assert what in result.reason
    luck = run("infos_are_steady", Subject("luck", LuckBesideAClock, games=GAMES))
    assert (luck.status, luck.reason) == ("failed", "AEC: the info 'stats.luck': seed and actions do not determine it")


class LeakyClock(Clock):
    observe = toy_envs.shows_commitments


def test_what_differs_each_time_is_noted_and_switches_nothing_off():
    results = {result.check: result for result in run_all(Subject("clock", Clock, games=GAMES))}
    assert results["infos_are_steady"].status == "note"
    for what in ("'stats.time' goes up all the time", "'name' is another text", "'games' goes up from game to game"):
        assert what in results["infos_are_steady"].reason
    missing = {check for check, result in results.items() if result.status == "not applicable"}
    assert missing == OF_BOTH_KINDS | {"equilibrium_earns_its_value"}
    assert not [result for result in results.values() if result.status == "failed"]
    assert run("commitments_are_hidden", Subject("leaks", LeakyClock, games=GAMES)).status == "failed"


class NewGeneratorEachTime(toy_envs.AEC):
    def generator(self, seed):
        return np.random.default_rng(seed)


def test_looking_is_not_blamed_for_games_that_no_seed_decides():
    subject = Subject("no seed, no luck", NewGeneratorEachTime, games=GAMES)
    assert run("unseeded_reset_goes_on", subject).status == "failed"
    for check in ("looking_changes_nothing", "rendering_changes_nothing", "sampling_leaves_the_game_alone"):
        assert run(check, subject).status == "passed"


def test_secrecy_is_checked_wherever_there_is_a_parallel_version():
    class Denies(toy_envs.AEC):
        observe = toy_envs.shows_commitments
        __init__ = toy_envs.without("is_parallelizable")

    check = CHECKS["commitments_are_hidden"]
    with pytest.raises(NotApplicable):
        check(Subject("in turn", Denies, games=GAMES))
    with pytest.raises(Failed):
        check(Subject("at once", Denies, toy_envs.Parallel, games=GAMES))


class Rare(toy_envs.Parallel):
    """In one of several hundred games of chance, all cards of one agent are the highest, in falling order."""

    def play(self, actions):
        self._marks = (getattr(self, "_marks", 0) if self.round else 0) + (
            max(actions.values()) == min(actions.values())
        )
        return super().play(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][0] += 9.0 * (getattr(self, "_marks", 0) == 2 and self.round == 2)
        return seen


def test_what_is_rare_is_found():
    subject = Subject("rare", None, Rare, games=100)
    assert run("observations_fit_their_spaces", subject).status == "failed"
    assert conformance.coverage(subject)["Parallel"]["games"] > 20


def test_a_script_does_it_again():
    subject = load("toy_envs:Late", games=GAMES)
    script = run("observations_are_of_now", subject).script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    assert "env.reset(seed=" in script


# -- tools ------------------------------------------------------------------------------------------


@each_row(
    ("first", "second", "found"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, "a[1]: 2 and 3"),
        ({"a": 1}, {"b": 1}, "keys: ['a'] and ['b']"),
        ([1], [1, 2], ": 1 and 2 entries"),
        (np.zeros(2), np.array([0.0, 1.0]), "[1]: 0.0 and 1.0"),
        (np.zeros(2), np.zeros(3), ": float64[2] and float64[3]"),
        (np.zeros(2), np.zeros(2, np.float32), ": float64[2] and float32[2]"),
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


class Bare(toy_envs.AEC, EzPickle):
    """Its copies are made by the constructor's arguments alone, as PettingZoo's own environments do it."""

    def __init__(self, **parameters):
        EzPickle.__init__(self, **parameters)
        super().__init__(**parameters)


def test_a_copy_that_begins_anew_by_declaration_is_noted():
    subject = Subject("bare", Bare, games=GAMES)
    assert [run(check, subject).status for check in ("deepcopy_goes_on", "pickle_goes_on")] == ["note", "note"]


def test_what_a_converter_has_made_is_checked_beneath():
    found = load("toy_envs:converted", games=GAMES)
    assert [skin.kind for skin in found.skins()] == ["AEC", "Parallel"]
    assert run("rewards_are_counted_once", found).status == "failed"
    assert run("refusals_change_nothing", found).status == "note"
