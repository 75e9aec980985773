"""Pairs of a healthy environment and one with a defect: a check must tell them apart, in both skins and all spaces."""

import copy
import datetime
import functools
import time
from datetime import date

import numpy as np
import pytest
from gymnasium import spaces

from broken.bases import Base, Lowest, Pennies, skinned
from broken.unusual.spaces_of_all_kinds import DictActions, MultiDiscreteActions
from zoocheck import CHECKS, Subject, run, run_all

ONE = 1  # the number as Python has it


def verdict(check, game, *skins, games=24, **more):
    makers = {skin: skinned(game, skin) for skin in skins or ("aec", "parallel")}
    return run(check, Subject(game.__name__, **makers, games=games, **more))


healthy_verdict = functools.cache(verdict)  # one for all defects of a game


def require_caught(check, healthy, broken, words="", status="failed", skins=(), **more):
    """The check says nothing against the one, and this against the other."""
    good, bad = healthy_verdict(check, healthy, *skins, **more), verdict(check, broken, *skins, **more)
    assert good.status == "passed", good
    assert (bad.status, words in bad.reason) == (status, True), bad
    return bad


class Forage(Base):
    """Three walk on a line of nine fields and eat what lies there. Who is full leaves; cut after `rounds`."""

    players, render_modes = ("ann", "bob", "cy"), ("rgb_array",)
    size, rounds, full, zero_sum = 9, 40, 5, False

    def new_observation_space(self, agent):
        parts = {"line": spaces.Box(0, 9, (self.size,), np.float32), "round": spaces.Discrete(self.rounds + 1)}
        parts |= {"place": spaces.Box(0, 9, (3,), np.float32), "eaten": spaces.Box(0, 99, (1,), np.float32)}
        return spaces.Dict(parts | {"action_mask": spaces.Box(0, 1, (4,), np.int8)})

    def new_action_space(self, agent):
        return spaces.Discrete(4)  # left, right, eat, jump

    def deal(self):
        self._round = 0
        self._line = self._rng.integers(0, 4, self.size)
        self._place = {agent: 2 + 2 * i for i, agent in enumerate(self.players)}
        self._eaten = dict.fromkeys(self.players, 0.0)
        self._shown = dict(self._eaten)

    def mask(self, agent):
        place = self._place[agent]
        return np.array([place > 0, place < self.size - 1, 1, self._eaten[agent] >= 3], np.int8)

    def check(self, agent, action):
        super().check(agent, action)
        if not self.mask(agent)[action]:
            raise ValueError(f"{agent} cannot play {action} now")

    def play(self, actions):
        self._shown, paid = dict(self._eaten), dict.fromkeys(actions, 0.0)
        for agent in sorted(actions):
            self._place[agent] = int(np.clip(self._place[agent] + {0: -1, 1: 1, 3: 4}.get(actions[agent], 0), 0, 8))
        for place in range(self.size):
            eaters = [agent for agent in actions if actions[agent] == 2 and self._place[agent] == place]
            for agent in eaters:
                paid[agent] = 1.0 / len(eaters) if self._line[place] else 0.0
            self._line[place] -= bool(eaters) and self._line[place] > 0
        self._line[self._rng.integers(self.size)] += self._round % 3 == 0
        self._line = np.minimum(self._line, 9)
        for agent, reward in paid.items():
            self._eaten[agent] += reward
        self._round += 1
        return paid

    def out(self):
        return {agent for agent in self.players if self._eaten[agent] >= self.full}

    def cut(self):
        return set(self.players) - self.out() if self._round >= self.rounds else set()

    def observe(self, agent):
        seats = [agent, *self.others(agent)]
        return {
            "line": self._line.astype(np.float32),
            "round": self._round,
            "place": np.array([self._place[each] for each in seats], np.float32),
            "eaten": np.array([self._eaten[agent]], np.float32),
            "action_mask": self.mask(agent),
        }

    def info(self, agent):
        return {"eaten": self._eaten[agent]}

    def state(self):
        return np.array([*self._line, *self._place.values(), *self._eaten.values()], np.float32)

    def render(self):
        picture = np.zeros((8, 4 * self.size, 3), np.uint8)
        picture[:4, ::4, 0] = 20 * self._line
        for seat, place in enumerate(self._place.values()):
            picture[4:, 4 * place, seat] = 255
        return picture


# -- what is rare ---------------------------------------------------------------------------------


class JumpsTogether(Forage):
    """When two jump in one step, the picture of the line becomes float64."""

    jumped = 0

    def play(self, actions):
        self.jumped = sum(action == 3 for action in actions.values())
        return super().play(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "line": seen["line"].astype(np.float64)} if self.jumped >= 2 else seen


class WideMaskOnceEarned(Forage):
    """The mask becomes int64 once the fourth action is legal."""

    def observe(self, agent):
        seen = super().observe(agent)
        wide = seen["action_mask"][3]
        return {**seen, "action_mask": seen["action_mask"].astype(np.int64 if wide else np.int8)}


class Lively(Lowest):
    lives, highest = 9, 9


class SameThrice(Lively):
    """Six rounds in which all name the same number are too much for the space."""

    row = 0

    def deal(self):
        super().deal()
        self.row = 0

    def play(self, actions):
        self.row = self.row + 1 if set(actions.values()) == {2} else 0
        return super().play(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        return seen + np.float32(9) * (self.row == 3)


class Longish(Lively):
    rounds, highest, lives = 320, 400, 400


class LateType(Longish):
    """Observations are float64 from step 300."""

    def observe(self, agent):
        seen = super().observe(agent)
        return seen.astype(np.float64) if self._round >= 300 else seen


@pytest.mark.parametrize(
    ("check", "healthy", "broken"),
    [
        pytest.param("observations_fit_their_spaces", Forage, JumpsTogether, marks=pytest.mark.slow),
        pytest.param("masks_allow_what_is_legal", Forage, WideMaskOnceEarned, marks=pytest.mark.slow),
        ("observations_fit_their_spaces", Lively, SameThrice),
        pytest.param("observations_fit_their_spaces", Longish, LateType, marks=pytest.mark.slow),
    ],
)
def test_what_is_rare_is_reached(check, healthy, broken):
    good, bad = verdict(check, healthy, games=90), verdict(check, broken, games=90)
    assert good.status == "passed", good
    assert bad.status == "failed", bad


class LateAndRare(Longish):
    """In some games observations have no number from step 250; not in the one after seed 1."""

    def deal(self):
        super().deal()
        self._luck = self._rng.random()

    def observe(self, agent):
        return super().observe(agent) * np.float32(np.nan if self._luck < 0.5 and self._round >= 250 else 1)


def test_several_games_are_played_to_their_end():
    result = verdict("observations_fit_their_spaces", LateAndRare, "parallel", games=30, seconds=3600.0)
    assert (result.status, "not a finite number" in result.reason) == ("failed", True), result


@pytest.mark.slow
def test_what_the_last_games_show_is_told_by_the_name_of_its_check():
    result = verdict("rare_situations_are_no_exception", WideMaskOnceEarned, games=20)
    assert result.status == "failed"
    assert result.reason.startswith("masks_allow_what_is_legal: ")
    assert verdict("rare_situations_are_no_exception", Forage, games=20).status == "passed"


# -- the order of actions, options, generators and clocks -----------------------------------------


class Shares(Forage):
    """Who eats shares thirds and sevenths with all others."""

    def play(self, actions):
        paid = super().play({agent: actions[agent] for agent in self.order(actions)})
        parts = [paid[agent] * weight for agent, weight in zip(self.order(actions), (0.1, 0.7, 1 / 3), strict=False)]
        bonus = 0.0
        for part in parts:
            bonus += part
        return {agent: paid[agent] + bonus / 7 for agent in self.agents}

    def order(self, actions):
        return sorted(actions)


class SharesInOrder(Shares):
    """The sum is added up in the order of the actions, so that its last digit depends on it."""

    def play(self, actions):
        paid = super().play(actions)
        weights = dict(zip(self.players, (0.1, 0.7, 1 / 3), strict=True))
        bonus = 0.0
        for agent in actions:
            bonus += weights[agent] * (1 + actions[agent])
        return {agent: paid[agent] + bonus for agent in paid}


class ResolvedAsGiven(skinned(SharesInOrder, "parallel")):
    def step(self, actions):
        for agent in self.agents:
            self.check(agent, actions[agent])
        return self.resolve({agent: actions[agent] for agent in actions if agent in self.agents})


def test_the_last_digit_of_a_sum_depends_on_no_order():
    for make, status in ((skinned(Shares, "parallel"), "passed"), (ResolvedAsGiven, "failed")):
        assert run("order_of_actions_does_not_matter", Subject("x", parallel=make, games=4)).status == status


class OneStart(Forage):
    """An option sets what is eaten at the start."""

    def begin(self, seed, options):
        super().begin(seed, options)
        options = options or {}
        if "line" in options:
            self._line[:] = int(options["line"]) % 9
        self._eaten["ann"] = float(options.get("eaten", 0.0)) % 3


class KeptStart(OneStart):
    """The option is kept as an attribute."""

    start = 0.0

    def begin(self, seed, options):
        self.start = (options or {}).get("eaten", self.start)
        super().begin(seed, options)
        self._eaten["ann"] = float(self.start) % 3


class KeptRounds(OneStart):
    """The option to end earlier is kept."""

    def begin(self, seed, options):
        super().begin(seed, options)
        if options is not None and "rounds" in options:
            self.rounds = max(1, int(options["rounds"]))


@pytest.mark.parametrize("broken", [KeptStart, KeptRounds])
def test_options_are_for_one_game(broken):
    require_caught("options_do_no_harm", OneStart, broken, "which is no longer given", games=4)


class OwnDice(Pennies):
    pass


class DiceOfTheClass(Pennies):
    """A generator of the class is drawn from in every tenth round, to no effect that two short games show."""

    dice = np.random.default_rng(3)

    def play(self, actions):
        self.dice.random()
        return super().play(actions)


DICE = np.random.default_rng(4)


class DiceOfTheModule(Pennies):
    def prepare(self):
        self._dice = DICE

    def play(self, actions):
        self._dice.random()
        return super().play(actions)


@pytest.mark.parametrize("broken", [DiceOfTheClass, DiceOfTheModule])
def test_generators_belong_to_one_environment(broken):
    require_caught("environments_do_not_meet", OwnDice, broken, "share the random generator", games=4)


class Timed(Forage):
    """Infos have the seconds since the start."""

    def begin(self, seed, options):
        self._began = time.monotonic()
        super().begin(seed, options)

    def info(self, agent):
        return {"seconds": time.monotonic() - self._began}


class EndsOnTime(Timed):
    """A game ends after five minutes."""

    def cut(self):
        return set(self.players) if time.monotonic() - self._began > 300 else super().cut()


class BonusOfTheHour(Timed):
    def play(self, actions):
        return {agent: paid + (time.localtime().tm_hour % 2) for agent, paid in super().play(actions).items()}


class BonusOfTheDay(Timed):
    def play(self, actions):
        return {agent: paid + date.today().day % 2 for agent, paid in super().play(actions).items()}


class BonusOfTheHourNow(Timed):
    def play(self, actions):
        late = datetime.datetime.now().hour % 2
        return {agent: paid + late for agent, paid in super().play(actions).items()}


@pytest.mark.parametrize("broken", [EndsOnTime, BonusOfTheHour, BonusOfTheDay, BonusOfTheHourNow])
def test_the_clock_decides_nothing(broken):
    require_caught("same_seed_same_episode", Timed, broken, games=4)


# -- one turn late --------------------------------------------------------------------------------


class Late(Forage):
    """Keeps what was true before the last step, and shows all as it is."""

    def deal(self):
        super().deal()
        self._before = self.kept()

    def kept(self):
        return {agent: super(Late, self).observe(agent) for agent in self.players}

    def play(self, actions):
        self._before = self.kept()
        return super().play(actions)

    def now(self, agent, *entries):
        """The observation, with some entries of one turn ago."""
        seen = super().observe(agent)
        return {name: self._before[agent][name] if name in entries else each for name, each in seen.items()}


class LateScore(Late):
    def observe(self, agent):
        return self.now(agent, "eaten")

    def info(self, agent):
        return {}

    def state(self):
        raise NotImplementedError


class LateScoreOfOne(Late):
    def observe(self, agent):
        return self.now(agent, "eaten") if agent == "bob" else self.now(agent)


class LateLineOfOne(Late):
    def observe(self, agent):
        return self.now(agent, "line") if agent == "cy" else self.now(agent)


class LateInfo(Late):
    def info(self, agent):
        return {"eaten": self._shown[agent]}


class LateState(Late):
    def state(self):
        return self._before["ann"]["line"]


class LatePicture(Late):
    frame = None

    def deal(self):
        super().deal()
        self.frame = super().render()

    def play(self, actions):
        self.frame = super().render()
        return super().play(actions)

    def render(self):
        return self.frame.copy()


class AllLate(Late):
    def observe(self, agent):
        return {**self.now(agent, "line", "place", "eaten", "round"), "action_mask": self.mask(agent)}

    def state(self):
        raise NotImplementedError


@pytest.mark.parametrize("skin", ["aec", "parallel"])
@pytest.mark.parametrize(
    ("check", "broken"),
    [
        ("infos_are_of_now", LateScore),
        ("infos_are_of_now", LateScoreOfOne),
        ("infos_are_of_now", LateLineOfOne),
        ("infos_are_of_now", LateInfo),
        ("infos_are_of_now", LateState),
        ("observations_are_of_now", LatePicture),
        ("infos_are_of_now", AllLate),
    ],
)
def test_what_is_one_turn_late_is_found(check, broken, skin):
    require_caught(check, Late, broken, skins=(skin,), games=4)


class Knockout(Lowest):
    """Five play for long, and infos say in each way who is still there."""

    players, numbers, rounds, highest = ("ann", "bob", "cy", "dan", "eve"), 3, 12, 12

    def deal(self):
        super().deal()
        self._before = self.players

    def play(self, actions):
        self._before = self.there()
        return super().play(actions)

    def there(self):
        return tuple(agent for agent in self.players if self._lives[agent] > 0)

    def info(self, agent):
        names = self.there()
        return {"alive": list(names), "left": len(names), "dead": {each: each not in names for each in self.players}}


class CountsLate(Knockout):
    def info(self, agent):
        return {"left": len(self._before)}


class ListsLate(Knockout):
    def info(self, agent):
        return {"alive": list(self._before)}


class FlagsLate(Knockout):
    def info(self, agent):
        return {"dead": {each: each not in self._before for each in self.players}}


class FlagOfItsOwnLate(Knockout):
    def info(self, agent):
        return {"terminated": agent not in self._before}


class LateAfterALoss(Knockout):
    """When an agent goes out, the one after it gets what it has seen a turn ago."""

    def play(self, actions):
        views, before = {agent: super(LateAfterALoss, self).observe(agent) for agent in self.players}, self.there()
        paid = super().play(actions)
        lost = [before.index(agent) for agent in before if agent not in self.there()]
        after = {before[(place + 1) % len(before)] for place in lost}
        self._late = {agent: views[agent] for agent in after}
        return paid

    def deal(self):
        self._late = {}
        super().deal()

    def observe(self, agent):
        return self._late[agent].copy() if agent in self._late else super().observe(agent)


def test_an_observation_that_is_late_when_an_agent_leaves_is_found():
    words = "another agent leaves"
    require_caught("infos_are_of_now", Knockout, LateAfterALoss, words, skins=["parallel"], games=24)


@pytest.mark.parametrize("skin", ["aec", "parallel"])
def test_infos_are_not_behind_the_flags(skin):
    for broken in (CountsLate, ListsLate, FlagsLate):
        require_caught("infos_are_of_now", Knockout, broken, "repeats", skins=[skin], games=6)
    require_caught("ends_are_final", Knockout, FlagOfItsOwnLate, "its flag is True", skins=[skin], games=6)


# -- chance, views, limits and the order of agents ------------------------------------------------


class Rain(Late):
    """A rich observation, of which one entry is drawn anew in each turn."""

    def deal(self):
        self._next = self._rng.integers(0, 6)
        self.draw()
        super().deal()

    def draw(self):
        self._rain, self._next = self._next, self._rng.integers(0, 6)

    def play(self, actions):
        self.draw()
        return super().play(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "eaten": np.array([self._rain], np.float32)}

    def info(self, agent):
        return {"rain": int(self._rain)}

    def state(self):
        return np.array([*self._line, self._rain], np.float32)


class RainForecast(Rain):
    def info(self, agent):
        return {"rain": int(self._next)}


class RainInState(Rain):
    def state(self):
        return np.array([*self._line, self._next], np.float32)


class RainRenamed(Rain):
    """What comes next is told in other words."""

    def info(self, agent):
        return {"omen": ["crow", "owl", "hare", "cat", "fox", "toad"][self._next]}


@pytest.mark.parametrize(
    "broken", [RainForecast, *(pytest.param(each, marks=pytest.mark.slow) for each in (RainRenamed, RainInState))]
)
def test_an_entry_of_the_next_turn_is_found_in_rich_observations(broken):
    require_caught("chance_to_come_is_hidden", Rain, broken, "in the next turn", games=16)


class Board(Base):
    """Both know if their card of forty is odd, and name a number; five turns turn over a card of the board each."""

    players, zero_sum, cards, turns = ("ann", "bob"), False, 40, 5

    def new_observation_space(self, agent):
        parts = {"own": spaces.Discrete(2), "board": spaces.Box(-1, self.cards, (self.turns,), np.int64)}
        return spaces.Dict(parts)

    def new_action_space(self, agent):
        return spaces.Discrete(3)

    def deal(self):
        self._deck = self._rng.permutation(self.cards).tolist()
        self._turned = 0

    def play(self, actions):
        self._turned += 1
        return {agent: float(action) for agent, action in actions.items()}

    def out(self):
        return set(self.players) if self._turned == self.turns else set()

    def board(self, turned):
        return self._deck[2 : 2 + turned]

    def observe(self, agent):
        board = [*self.board(self._turned), *[-1] * self.turns]
        return {"own": self._deck[self.players.index(agent)] % 2, "board": np.array(board[: self.turns], np.int64)}

    def info(self, agent):
        return {"board": [self.name(card) for card in self.board(self._turned)]}

    def name(self, card):
        return f"{'A23456789T'[card % 10]}{'cdhs'[card // 10]}"

    def render(self):
        return str(self.board(self._turned))


class BoardEarly(Board):
    """The list in infos has the card that is turned over next."""

    def info(self, agent):
        return {"board": [self.name(card) for card in self.board(self._turned + 1)]}


class LastCardEarly(Board):
    """So has a single entry."""

    def info(self, agent):
        return {"shown": self.board(self._turned + 1)[-1]}


class DeckWithinInfo(Board):
    """All cards of the deck are told, in an order of which nobody sees the key."""

    cards, key = 9, (4, 0, 3, 1, 2)

    def info(self, agent):
        return {"deck": [self.board(self.turns)[place] for place in self.key]}


class PlacesWithinInfo(DeckWithinInfo):
    """For each card its place in the deck is told."""

    def info(self, agent):
        return {"places": [self._deck.index(card) for card in range(self.cards)]}


@pytest.mark.parametrize(
    ("broken", "games"),
    [
        (BoardEarly, 16),
        (LastCardEarly, 16),
        (DeckWithinInfo, 200),
        pytest.param(PlacesWithinInfo, 200, marks=pytest.mark.slow),
    ],
)
def test_cards_to_come_are_found_in_any_form(broken, games):
    require_caught("chance_to_come_is_hidden", Board, broken, skins=["parallel"], games=games)


class ViewOfTheFirst(Forage):
    def observe(self, agent):
        return super().observe(self.agents[0] if self.agents else agent)

    def check(self, agent, action):
        Base.check(self, agent, action)


class NeverFilledIn(Forage):
    def observe(self, agent):
        return {**super().observe(agent), "eaten": np.zeros(1, np.float32)}


@pytest.mark.parametrize(("broken", "words"), [(ViewOfTheFirst, "always observe the same"), (NeverFilledIn, "eaten")])
def test_observations_that_say_nothing_are_noted(broken, words):
    require_caught("observations_are_informative", Forage, broken, words, status="note", games=4)


class AllTerminated(Longish):
    rounds = 40

    def out(self):
        return set(self.players) if self._round >= self.rounds else set()

    def cut(self):
        return set()


class AllTruncated(AllTerminated):
    def out(self):
        return set()

    def cut(self):
        return super().out()


class LongTerminated(AllTerminated):
    rounds = 210


class LongTruncated(AllTruncated):
    rounds = 210


class LongUnlike(LongTerminated):
    def out(self):
        return set(self.players) if self._round >= self.rounds - self._points["ann"] else set()


@pytest.mark.slow
def test_a_limit_that_terminates_is_noted():
    require_caught("ends_are_final", AllTruncated, AllTerminated, "truncate", status="note")
    for healthy in (LongTruncated, LongUnlike):
        require_caught(
            "ends_are_final", healthy, LongTerminated, "after 210 turns", "note", ["parallel"], seconds=3600.0
        )


class Undeclared(Lively):
    def prepare(self):
        del self.metadata["is_parallelizable"]


class RunningPrice(Undeclared):
    """A price rises at once with each number."""

    def commit(self, agent, action):
        super().commit(agent, action)
        for info in self.infos.values():
            info["price"] = sum(self._committed.values())


class OrderTells(Undeclared):
    def waiting(self):
        left = super().waiting()
        return left[::-1] if self._committed.get("ann", 0) > 1 else left


@pytest.mark.parametrize(
    ("game", "words"), [(Undeclared, ""), (RunningPrice, "info of bob, key 'price'"), (OrderTells, "agent_selection")]
)
def test_where_moves_that_need_not_be_hidden_show_is_noted(game, words):
    result = verdict("is_parallelizable_is_declared", game, "aec", games=8)
    assert (result.status, words in result.reason) == ("note", True), result
    assert ("if moves are simultaneous" in result.reason) == bool(words)


class TurnsTell(Lively):
    """Who is asked after ann depends on what she has named."""

    def waiting(self):
        left = super().waiting()
        return left[::-1] if self._committed.get("ann", 0) > 1 else left


def test_the_order_in_which_agents_are_asked_tells_nothing():
    good, bad = (verdict("commitments_are_hidden", game, "aec", games=8) for game in (Lively, TurnsTell))
    assert good.status == "passed", good
    assert bad.status == "failed", bad
    assert "agent_selection" in bad.reason


# -- forms of input -------------------------------------------------------------------------------


class AnyJoker(DictActions):
    """Only the number in an action is checked, and any joker but 0 is one."""

    def check(self, agent, action):
        if action["number"] not in range(4):
            raise ValueError(f"{action} is not in the space")


class AnyLast(MultiDiscreteActions):
    """The second part of an action counts modulo 2."""

    def check(self, agent, action):
        if action[0] not in (0, 1) or len(action) != 2:
            raise ValueError(f"{action} is not in the space")

    def number_of(self, action):
        return int(action[0] * 2 + action[1] % 2)


@pytest.mark.parametrize(("healthy", "broken"), [(DictActions, AnyJoker), (MultiDiscreteActions, AnyLast)])
def test_each_entry_of_an_action_is_checked(healthy, broken):
    require_caught("input_outside_the_space_is_refused", healthy, broken, "no error is raised", games=4)


class Bids(Lowest):
    """An action is a sequence of pairs, whose numbers are added up."""

    def new_action_space(self, agent):
        return spaces.Sequence(spaces.Tuple([spaces.Discrete(4), spaces.Discrete(2)]))

    def play(self, actions):
        return super().play({agent: sum(pair[0] for pair in bids) % 4 for agent, bids in actions.items()})


class FirstBid(Bids):
    """Only the first pair is checked."""

    def check(self, agent, action):
        super().check(agent, action[:1] if isinstance(action, tuple) else action)


class Lots(Bids):
    """An action is a sequence of numbers in one array."""

    def new_action_space(self, agent):
        return spaces.Sequence(spaces.Box(0, 1, (2,), np.float32), stack=True)

    def play(self, actions):
        return Lowest.play(self, {agent: int(np.sum(lots)) % 4 for agent, lots in actions.items()})


class FirstLot(Lots):
    """Only the first row is checked."""

    def check(self, agent, action):
        super().check(agent, action[:1] if isinstance(action, np.ndarray) else action)

    def play(self, actions):
        return super().play({agent: np.nan_to_num(lots, nan=2.0) for agent, lots in actions.items()})


@pytest.mark.parametrize(("healthy", "broken"), [(Bids, FirstBid), (Lots, FirstLot)])
def test_each_place_of_a_sequence_is_checked(healthy, broken):
    require_caught("input_outside_the_space_is_refused", healthy, broken, "no error is raised", games=4)


class ListsAreLonger(MultiDiscreteActions):
    """Twice a list is a longer list."""

    def number_of(self, action):
        return int(action[0] * 2 + (action * 2)[1] // 2)


class NumpyIsHigher(DictActions):
    """A number counts as the highest unless it is a Python integer."""

    def number_of(self, action):
        return 0 if action["joker"] else int(action["number"]) if type(action["number"]) is np.int64 else 3


@pytest.mark.parametrize(("healthy", "broken"), [(MultiDiscreteActions, ListsAreLonger), (DictActions, NumpyIsHigher)])
def test_equal_forms_of_an_action_play_alike(healthy, broken):
    require_caught("equal_actions_play_alike", healthy, broken, games=4)


class FirstValue(DictActions):
    """An action is read by the order of its keys."""

    def number_of(self, action):
        joker, number = action.values()
        return 0 if joker else int(number) % 4


class JokerByIdentity(DictActions):
    """A joker is the number 1 only as Python has it."""

    def number_of(self, action):
        return 0 if action["joker"] is ONE else int(action["number"])


class Mixed(Lowest):
    """An action is a number beside a place on a line."""

    def new_action_space(self, agent):
        return spaces.Tuple([spaces.Dict({"number": spaces.Discrete(4)}), spaces.Box(0, 1, (1,), np.float32)])

    def commit(self, agent, action):
        super().commit(agent, copy.deepcopy(action))

    def number_of(self, action):
        return int(action[0]["number"])

    def play(self, actions):
        return super().play({agent: self.number_of(action) for agent, action in actions.items()})


class MixedByType(Mixed):
    """A NumPy integer of 32 bits counts as the highest number."""

    def number_of(self, action):
        return 3 if type(action[0]["number"]) is np.int32 else super().number_of(action)


class Words(Lively):
    """Each says a word. Who says the same word `often` in a row gets `bonus`."""

    bonus, often, lives, highest = 0.0, 3, 99, 99

    def new_action_space(self, agent):
        return spaces.Text(5, min_length=2, charset="abcdefgh")

    def deal(self):
        super().deal()
        self._said, self._row = {}, dict.fromkeys(self.players, 0)

    def same(self, agent, word):
        return self._said.get(agent) == word

    def play(self, actions):
        self._row = {agent: self._row[agent] * self.same(agent, word) + 1 for agent, word in actions.items()}
        self._said = dict(actions)
        return super().play({agent: len(word) % 4 for agent, word in actions.items()})

    def share(self, winner, agents):
        paid = super().share(winner, agents)
        return {agent: reward + self.bonus * (self._row[agent] >= self.often) for agent, reward in paid.items()}


class WordsWithBonus(Words):
    bonus = 1.0


class TwoWordsWithBonus(WordsWithBonus):
    often = 2


class WordsByIdentity(TwoWordsWithBonus):
    """The same word is the same object."""

    def same(self, agent, word):
        return self._said.get(agent) is word


@pytest.mark.parametrize(
    ("healthy", "broken"),
    [
        (DictActions, FirstValue),
        (DictActions, JokerByIdentity),
        (Mixed, MixedByType),
        (TwoWordsWithBonus, WordsByIdentity),
    ],
)
def test_equal_forms_within_an_action_and_of_words_play_alike(healthy, broken):
    require_caught("equal_actions_play_alike", healthy, broken, "as they are sampled", games=4)


def test_words_are_said_again():
    makers = {"aec": skinned(Words, "aec"), "parallel": skinned(WordsWithBonus, "parallel")}
    result = run("skins_are_one_game", Subject("words", **makers, games=24))
    assert (result.status, "reward of" in result.reason) == ("failed", True), result
    assert verdict("skins_are_one_game", Words).status == "passed"


class UnequalSpaces(Words):
    """One says a word, one names a pair of bits and one a number, and nobody understands another."""

    rounds, kinds = 30, (spaces.Discrete(5), spaces.MultiDiscrete([2, 2]), spaces.Text(3, charset="ab"))

    def new_action_space(self, agent):
        return copy.deepcopy(self.kinds[self.players.index(agent)])

    def commit(self, agent, action):
        super().commit(agent, copy.copy(action))

    def play(self, actions):
        return super().play({agent: str(action) for agent, action in actions.items()})


@pytest.mark.parametrize("skin", ["aec", "parallel"])
def test_nobody_plays_an_action_of_another_space(skin):
    assert verdict("legal_play_goes_on", UnequalSpaces, skin).status == "passed"


class CommonInfo(skinned(Lively, "parallel")):
    """Infos have an entry for all."""

    key = "common"

    def views(self, agents):
        observations, infos = super().views(agents)
        return observations, {**infos, self.key: {"round": self._round}}


class InfoOfTheGone(CommonInfo):
    """Infos have an entry for an agent that is out."""

    key, lives, rounds, highest = "bob", 4, 40, 99


def test_infos_may_have_an_entry_for_all_but_none_for_who_is_out():
    good, bad = (
        run("results_name_the_agents", Subject("infos", parallel=made, games=24))
        for made in (CommonInfo, InfoOfTheGone)
    )
    assert good.status == "passed", good
    assert (bad.status, "infos have an entry for 'bob', who did not take part" in bad.reason) == ("failed", True), bad


# -- healthy environments of all kinds --------------------------------------------------------------


class Comers(Forage):
    """Agents join during the game, and each sees how long it has been there."""

    def deal(self):
        super().deal()
        self._joins = {"ann": 0, "bob": 0, "cy": int(self._rng.integers(2, 6))}
        self._age = dict.fromkeys(self.players, 0)

    def play(self, actions):
        self._age = {agent: self._age[agent] + (agent in actions) for agent in self.players}
        return super().play(actions)

    def observe(self, agent):
        return {**super().observe(agent), "eaten": np.array([self._age[agent]], np.float32)}


class ComersInParallel(skinned(Comers, "parallel")):
    def reset(self, seed=None, options=None):
        self.begin(seed, options)
        self.agents = [agent for agent in self.possible_agents if not self._joins[agent]]
        return self.views(self.agents)

    def resolve(self, actions):
        results = super().resolve(actions)
        new = [agent for agent in self.possible_agents if self._joins[agent] == self._round]
        self.agents += new if self.agents else []
        for part, views in zip((results[0], results[4]), self.views(new if self.agents else []), strict=True):
            part.update(views)
        return results


class Parley(Pennies):
    """Each says a word and a number, and hears in the next turn what the other has said; a history of two turns."""

    words, render_modes = ("yes", "no", "maybe"), ("ansi",)

    def new_action_space(self, agent):
        return spaces.Tuple([spaces.Discrete(3), spaces.MultiDiscrete([4, 3])])

    def new_observation_space(self, agent):
        letters = "abcdefghijklmnopqrstuvwxyz"
        parts = [spaces.Text(8, min_length=0, charset=letters), spaces.MultiDiscrete([4, 3, 4, 3]), spaces.Discrete(13)]
        return spaces.Tuple(parts)

    def deal(self):
        super().deal()
        self._heard = dict.fromkeys(self.players, ("", [0, 0], [0, 0]))

    def commit(self, agent, action):
        super().commit(agent, (action[0], np.copy(action[1])))

    def play(self, actions):
        for agent in self.players:
            (other,) = self.others(agent)
            word, numbers = actions[other]
            self._heard[agent] = self.words[word], [int(number) for number in numbers], self._heard[agent][1]
        return super().play({agent: int(action[0]) % 2 for agent, action in actions.items()})

    def observe(self, agent):
        word, now, before = self._heard[agent]
        return word, np.array([*now, *before], np.int64), self._round

    def text(self):
        return f"round {self._round}: {self._heard}"


class Tanks(Forage):
    """Pictures as observations, moves of two floats, and 500 steps."""

    rounds, full = 500, 10**6

    def new_observation_space(self, agent):
        return spaces.Box(0, 255, (8, 4 * self.size, 3), np.uint8)

    def new_action_space(self, agent):
        return spaces.Box(-1, 1, (2,), np.float32)

    def check(self, agent, action):
        Base.check(self, agent, action)

    def commit(self, agent, action):
        super().commit(agent, np.copy(action))

    def play(self, actions):
        return super().play({agent: int(action[0] > 0) + 2 * int(action[1] > 0.8) for agent, action in actions.items()})

    def observe(self, agent):
        picture = self.render()
        picture[5, :, 0] = 20 * self.players.index(agent)
        return picture

    def state(self):
        return np.array([*np.minimum(self._line, 99), *self._place.values()], np.float32)


HEALTHY = {
    "forage": {"aec": skinned(Forage, "aec"), "parallel": skinned(Forage, "parallel")},
    "comers": {"parallel": ComersInParallel},
    "parley": {"aec": skinned(Parley, "aec"), "parallel": skinned(Parley, "parallel")},
    "tanks": {"parallel": skinned(Tanks, "parallel")},
    "mixed": {"aec": skinned(Mixed, "aec"), "parallel": skinned(Mixed, "parallel")},
    "words": {"aec": skinned(Words, "aec"), "parallel": skinned(Words, "parallel")},
    "unequal": {"aec": skinned(UnequalSpaces, "aec"), "parallel": skinned(UnequalSpaces, "parallel")},
    "common": {"parallel": CommonInfo},
    "rain": {"aec": skinned(Rain, "aec")},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_said_against_what_is_healthy(name):
    names = [
        check for check in CHECKS if check not in ("hash_seed_does_not_matter", "environments_leave_nothing_behind")
    ]
    results = run_all(Subject(name, **HEALTHY[name], games=8), names)
    assert [str(result) for result in results if result.status == "failed"] == []
