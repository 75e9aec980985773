import importlib.util
from collections import Counter, defaultdict
from math import sqrt
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from numba import config
from scipy.stats import chisquare
from thinning import each_row

from baselines import make_policy
from baselines.matches import war_simulator_kernel as simulator_kernel
from baselines.matches.war_simulator import COMPILED, NOBODY, STOPPED, UNFINISHED, simulate, takes
from cardwar_envs import make_game
from cardwar_envs.games.war import War
from cardwar_envs.games.war.actions import WarChoice
from lab.benchmarks.war_direct import play_game

LINE_UPS = (
    *[("dummie", name) for name in COMPILED],
    *[(name, "dummie") for name in COMPILED[1:]],
    ("max", "simple_minded_1"),
    ("simple_minded_1", "dummie", "dummie"),
    ("dummie", "simple_minded_2", "min", "max"),
    ("simple_minded_1", "simple_minded_2", "dummie", "simple_minded_1", "max"),
    ("simple_minded_2", *["dummie"] * 12, "simple_minded_1"),
    *[("simple_minded_2", "dummie", "dummie")] * 30,  # its care in a war seldom shows
)
SMALL_DECKS = ((12, 3), (2, 0), (3, 0), (3, 1), (5, 1), (6, 2), (9, 4), (4, 5))


@pytest.fixture(scope="module")
def plain_kernel():
    """The kernel once more, as plain Python, in which functions can be watched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "DISABLE_JIT", True)
        spec = importlib.util.spec_from_file_location("plain_simulator_kernel", simulator_kernel.__file__)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def trace(plain_kernel, monkeypatch):
    """Plays a game in plain Python; returns what each seat puts down in each step, the winner and the rounds."""
    steps, clash = [], plain_kernel._clash

    def step(seats, counts, piles, pot, size, players, count, tied, in_game, discards, at_war, state):
        entering = [(int(seat), int(seats[seat].hand_size)) for seat in players[:count]]
        result = clash(seats, counts, piles, pot, size, players, count, tied, in_game, discards, at_war, state)
        moves = {}
        for seat, held in entering:
            unable = at_war and held <= discards  # its whole hand goes into the pot, which is no move
            put = held if unable else discards * at_war + 1
            if not unable:
                *aside, battle = (pot[size : size + put] + 2).tolist()
                moves[seat] = SimpleNamespace(battle=battle, discards=tuple(aside))
            size += put
        if moves:
            steps.append(moves)
        return result

    monkeypatch.setattr(plain_kernel, "_clash", step)

    def play(line_up, seed, *, ranks=12, discards=3, max_rounds=-1, game=0):
        steps.clear()
        codes, winners, rounds = [COMPILED.index(name) for name in line_up], np.empty(1, int), np.empty(1, int)
        plain_kernel.play(np.array(codes), ranks, discards, max_rounds, -1, seed, game, winners, rounds)
        return SimpleNamespace(steps=tuple(steps), winner=winners[0], rounds=rounds[0])

    return play


def play_through_the_rules(line_up, played, ranks, discards, max_rounds):
    """Plays what was put down in a compiled game as the strategies and the rules play; returns winner and rounds."""
    game = War(num_players=len(line_up), ranks=ranks, discards=discards, max_rounds=max_rounds)
    choosing = {seat: make_policy(name, game) for seat, name in enumerate(line_up) if name != "dummie"}
    state, asked = game.initial()[0].state, defaultdict(list)
    for step in played.steps:
        assert set(step) == set(game.acting_players(state))
        actions = {
            seat: game.actions.encode(
                WarChoice(tuple(sorted(play.discards)), play.battle) if state.tied else play.battle
            )
            for seat, play in step.items()
        }
        assert all(action in game.legal_actions(state, seat) for seat, action in actions.items())
        for seat in choosing.keys() & actions.keys():
            asked[seat].append((game.observation(state, seat), game.action_mask(state, seat), actions[seat]))
        (outcome,) = game.transitions(state, actions)
        state = outcome.state
        cards = Counter(card for pile in (*state.hands, *state.wins, state.pot) for card in pile)
        assert cards == Counter(dict.fromkeys(range(2, ranks + 2), len(line_up)))
    assert game.acting_players(state) == ()
    for seat, rows in asked.items():
        seen, masks, chosen = map(np.array, zip(*rows, strict=True))
        assert (choosing[seat].action_probabilities(seen, masks)[np.arange(len(rows)), chosen] == 1.0).all()
    rounds = max_rounds - state.rounds_left
    if len(state.live) > 1:
        return UNFINISHED, rounds
    return (state.live[0] if state.live else NOBODY), rounds


@each_row("ranks_discards", SMALL_DECKS)
def test_compiled_games_are_games_of_the_rules_and_the_strategies(trace, ranks_discards):
    ranks, discards = ranks_discards
    settings = {"ranks": ranks, "discards": discards, "max_rounds": 30}
    for game, line_up in enumerate(LINE_UPS):
        played = trace(line_up, 5, game=game, **settings)
        assert play_through_the_rules(line_up, played, ranks, discards, 30) == (played.winner, played.rounds)
        alone = simulate(line_up, 1, 5, first_game=game, threads=1, **settings)
        assert (alone.winners[0], alone.rounds[0]) == (played.winner, played.rounds)


@each_row("ranks_discards", SMALL_DECKS)
def test_the_choosing_strategies_play_as_the_direct_program(ranks_discards):
    ranks, discards = ranks_discards
    random = Random(3)
    for players in (2, 2, 2, 3, 3, 4, 5, 7):
        for _ in range(8):
            line_up = random.choices(COMPILED[1:], k=players)
            direct = play_game(line_up, Random(0), ranks, discards, max_rounds=200)
            ours = simulate(line_up, 1, 0, ranks=ranks, discards=discards, max_rounds=200, threads=1)
            assert (ours.winners[0], ours.rounds[0]) == direct, line_up


def test_results_depend_on_neither_threads_nor_division():
    line_up = ("simple_minded_1", *["dummie"] * 5)
    whole = simulate(line_up, 500, 7, threads=1)
    parts = [simulate(line_up, size, 7, first_game=start, threads=2) for start, size in ((0, 1), (1, 300), (301, 199))]
    assert whole.winners.tolist() == [winner for part in parts for winner in part.winners.tolist()]
    assert whole.rounds.tolist() == [rounds for part in parts for rounds in part.rounds.tolist()]
    assert simulate(line_up, 500, 8).rounds.tolist() != whole.rounds.tolist()


@pytest.mark.plain_kernels
def test_even_seeds_differ_too():
    first, second = (simulate(("dummie", "dummie"), 20, seed, max_rounds=100, threads=1) for seed in (2, 4))
    assert first.rounds.tolist() != second.rounds.tolist()


@pytest.mark.parametrize("focus", [0, 2])
def test_stopping_when_the_focus_seat_is_out_leaves_its_games_as_they_were(focus):
    line_up = ("dummie", "dummie", "simple_minded_2", "max")
    whole, stopped = (simulate(line_up, 400, 1, max_rounds=400, focus=seat) for seat in (None, focus))
    differ = whole.winners != stopped.winners
    assert set(stopped.winners[differ]) == {STOPPED}
    assert focus not in whole.winners[differ]
    assert (stopped.rounds[differ] < whole.rounds[differ]).all()
    assert (stopped.rounds[~differ] == whole.rounds[~differ]).all()
    assert differ.any()


@pytest.mark.plain_kernels
def test_games_end_in_every_way():
    winners = simulate(("dummie",) * 3, 400, 2, ranks=4, discards=1, max_rounds=20, focus=1).winners
    assert set(winners) == {0, 1, 2, NOBODY, UNFINISHED, STOPPED}


def test_random_players_draw_every_card_alike(trace):
    """Seat 0's first card, and its first war's cards, over many games."""
    first, battles, discards = (np.zeros(12) for _ in range(3))
    for game in range(3000):
        played = trace(("dummie", "dummie"), 11, max_rounds=1, game=game)
        first[played.steps[0][0].battle - 2] += 1
        if len(played.steps) > 1:
            # Relative to the card already played, the eleven left are alike.
            rank = played.steps[0][0].battle - 2
            battles[(played.steps[1][0].battle - 2 - rank) % 12] += 1
            for card in played.steps[1][0].discards:
                discards[(card - 2 - rank) % 12] += 1
    assert battles[0] == discards[0] == 0
    assert min(chisquare(first).pvalue, chisquare(battles[1:]).pvalue, chisquare(discards[1:]).pvalue) > 0.01


def win_ratio_and_error(wins, games):
    ratio = wins / games
    return ratio, sqrt(ratio * (1 - ratio) / games)


# The paper ("WAR with Auction Rounds", figures 2 and 5) shows its ratios in plots; these are read off roughly.
@pytest.mark.parametrize(
    ("name", "opponents", "published", "direct_games"),
    [
        ("simple_minded_1", 1, 0.92, 600),
        pytest.param("simple_minded_1", 5, 0.60, 300, marks=pytest.mark.slow),
        pytest.param("simple_minded_1", 20, 0.70, 300, marks=pytest.mark.slow),
        pytest.param("simple_minded_1", 100, None, 300, marks=pytest.mark.slow),
        pytest.param("simple_minded_2", 1, 0.93, 600, marks=pytest.mark.slow),
        ("simple_minded_2", 5, 0.78, 300),
        pytest.param("simple_minded_2", 20, 0.82, 300, marks=pytest.mark.slow),
        pytest.param("simple_minded_2", 100, None, 300, marks=pytest.mark.slow),
    ],
)
def test_win_ratios_against_random_players_agree_with_the_direct_program(name, opponents, published, direct_games):
    line_up = (name, *["dummie"] * opponents)
    compiled = simulate(line_up, 9030, 1, focus=0)
    random = Random(1)
    direct = [play_game(line_up, random, focus=0) for _ in range(direct_games)]
    ours, our_error = win_ratio_and_error(int((compiled.winners == 0).sum()), 9030)
    theirs, their_error = win_ratio_and_error(sum(winner == 0 for winner, _ in direct), direct_games)
    assert abs(ours - theirs) < 4 * sqrt(our_error**2 + their_error**2)
    won = [rounds for winner, rounds in direct if winner == 0]
    error = np.std(won) / sqrt(len(won))
    assert abs(compiled.rounds[compiled.winners == 0].mean() - np.mean(won)) < 4 * error
    if published is not None:
        assert ours == pytest.approx(published, abs=0.04)


@each_row(
    ("changes", "message"),
    [
        ({"line_up": ("min",)}, r"2\.\.101 names"),
        ({"line_up": ("min",) * 102}, r"2\.\.101 names"),
        ({"line_up": "min"}, r"2\.\.101 names"),
        ({"line_up": ("min", "clever")}, r"'clever'.*simple_minded_1"),
        ({"games": 0}, r"games \(0\) must be in 1"),
        ({"games": 1.5}, r"games \(1\.5\) must be an integer"),
        ({"seed": -1}, r"seed \(-1\) must be in 0"),
        ({"ranks": 1}, r"ranks \(1\) must be in 2\.\.62"),
        ({"ranks": 63}, r"ranks \(63\) must be in 2\.\.62"),
        ({"discards": -1}, r"discards \(-1\) must be in 0"),
        ({"max_rounds": 0}, r"max_rounds \(0\) must be in 1"),
        ({"focus": 2}, r"focus \(2\) must be in 0\.\.1"),
        ({"focus": -1}, r"focus \(-1\) must be in 0\.\.1"),
        ({"threads": 0}, r"threads \(0\) must be in 1"),
        ({"threads": True}, r"threads \(True\) must be an integer"),
        ({"first_game": -1}, r"first_game \(-1\) must be in 0"),
    ],
)
def test_bad_settings_are_refused_by_name(changes, message):
    settings = {"line_up": ("min", "max"), "games": 1, "seed": 0, "max_rounds": 5} | changes
    with pytest.raises(ValueError, match=message):
        simulate(settings.pop("line_up"), settings.pop("games"), settings.pop("seed"), **settings)


class LowestWins(War):
    def transitions(self, state, actions):
        return super().transitions(state, {player: -action for player, action in actions.items()})


class OtherTexts(War):
    def describe(self, state):
        return "a state"


def test_it_takes_games_for_their_rules():
    assert takes(War(num_players=3))
    assert takes(OtherTexts())
    assert not takes(LowestWins())
    assert not takes(War(ranks=63, discards=0))
    assert not takes(make_game("jujitsu"))


@pytest.mark.parametrize("players", [2, 101])
def test_the_widest_decks_can_be_played(players):
    result = simulate(("simple_minded_1", *["dummie"] * (players - 2), "max"), 4, 0, ranks=62, max_rounds=50)
    assert ((result.rounds > 0) & (result.rounds <= 50)).all()
