"""Self-play batches at full speed, held to the rules on random play."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from by_rules import assert_shows, step_by_the_rules
from knock_out import KnockOut
from thinning import each_row
from tiny_games import EVERY_GAME
from toys import one_step

from cardwar_envs import DuelState, IllegalActionError, WarState, make_game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.core.streams import new_streams
from cardwar_envs.envs.engines.compiled import CompiledEngine
from cardwar_envs.envs.engines.memory import LEAST_BYTES
from cardwar_envs.envs.engines.rules import RulesEngine
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.jujitsu import Jujitsu

DUELS = [
    make_game("jujitsu"),
    make_game("jujitsu", num_cards=1),
    *(
        make_game("dinosaur_war", hand_0=hand_0, hand_1=hand_1, ties=ties, payoff=payoff)
        for hand_0, hand_1 in [((2, 3, 3, 6), (1, 3, 5, 5)), ((1, 2, 2, 2), (1, 1, 2, 4)), ((-5, 0, 7), (0, 0, 7))]
        for ties in ("discard", "carry")
        for payoff in ("margin", "win")
    ),
    make_game("dice_wars"),
    make_game("dice_wars", hand_0=(1, 2, 40), hand_1=(1, 3, 3), sides=2, ties="carry", payoff="win"),
    make_game("dice_wars", num_cards=3, sides=1, ties="carry"),
    make_game("jujitsu", view="word"),
    make_game("dinosaur_war", hand_0=(2, 3, 3, 6), hand_1=(1, 3, 5, 5), ties="carry", view="word"),
]
PRIZES = [
    make_game("goofspiel", num_cards=cards, prizes=prizes, ties=ties, payoff=payoff, view=view)
    for cards, prizes, ties, payoff, view in [
        *((5, "random", "discard", "margin", "cards"), (5, "random", "carry", "win", "word")),
        *((4, "random", "carry", "margin", "word"), (5, "descending", "discard", "win", "word")),
        *((5, "ascending", "carry", "win", "cards"), (1, "random", "discard", "margin", "cards")),
    ]
]
SUMO = [
    make_game("oshi_zumo", coins=9, size=1, min_bid=2),
    make_game("oshi_zumo", coins=4, size=2, min_bid=0, horizon=7, alesia=True),
]
POKER = [make_game("dice_poker"), make_game("dice_poker", sides=3, ante=0.0, raise_size=2.5)]
WARS = [
    make_game("war", num_players=players, ranks=ranks, discards=discards, max_rounds=max_rounds)
    for players, ranks, discards, max_rounds in [
        *((2, 3, 0, 4), (2, 3, 1, 30), (2, 2, 2, 5), (2, 4, 3, 30), (2, 5, 2, 30), (2, 6, 1, 3), (2, 8, 3, 30)),
        *((2, 10, 0, 40), (2, 12, 3, 40), (3, 3, 1, 30), (3, 6, 4, 30), (4, 4, 2, 20), (5, 5, 0, 40), (11, 3, 3, 30)),
    ]
]


def named(game):
    return "-".join([game.name, *(str(value) for value in game.parameters().values())]).replace(" ", "")


# A new game joins by having compiled rules.
OTHERS = [game for game in EVERY_GAME if game.compiled_rules() is not None]
compiled_games = pytest.mark.parametrize("game", [*DUELS, *PRIZES, *SUMO, *POKER, *WARS, *OTHERS], ids=named)
both_engines = pytest.mark.parametrize("engine", ["compiled", "rules"])
BOTH = ("compiled", "rules")
SMALL = [
    *(make_game("jujitsu", num_cards=4), make_game("dice_wars", num_cards=3), make_game("dice_poker"), WARS[1]),
    make_game("war", num_players=4, ranks=4, discards=2, max_rounds=20),
]
small_games = pytest.mark.parametrize("game", SMALL, ids=named)


def legal_actions(masks, rng):
    """Any legal action for every seat, `[num_games, num_players]`."""
    return sample_actions(masks.reshape(-1, masks.shape[-1]).astype(float), rng).reshape(masks.shape[:2])


def play(batch, steps, seed=0):
    """Everything that a batch shows in so many random joint actions, as a list of arrays."""
    rng = np.random.default_rng(seed)
    observations, masks = batch.reset()
    shown = [observations.copy(), masks.copy()]
    for _ in range(steps):
        step = batch.step(legal_actions(masks, rng))
        masks = step.masks
        shown += [array.copy() for array in step]
    return shown


def equal(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


# -- the rules ------------------------------------------------------------------------------


@pytest.mark.plain_kernels
@pytest.mark.thin
@both_engines
@compiled_games
def test_every_step_is_one_that_the_rules_allow(game, engine):
    """States, observations, masks, rewards and ends, on play from start to end."""
    rng, batch = np.random.default_rng(1), GameBatch(game, 4, seed=2, engine=engine)
    assert type(batch._engine) is {"compiled": CompiledEngine, "rules": RulesEngine}[engine]
    starts = {deal.state for deal in game.initial()}
    views, ended = batch.reset(), 0
    assert set(batch.states()) <= starts
    assert_shows(batch, views)
    for _ in range(game.facts.max_length if game.facts.max_length < 50 else 120):
        views = step_by_the_rules(batch, legal_actions(views.masks, rng))
        assert {state for state, done in zip(batch.states(), views.done, strict=True) if done} <= starts
        ended += views.done.sum()
    assert ended > 0


# WAR's random play draws in another order: see the tests of its odds.
FROM_START = [(game, "initial") for game in [*DUELS, *PRIZES, *SUMO, *POKER, *WARS]]
FROM_ANYWHERE = [(game, "random") for game in [*DUELS, *PRIZES, *SUMO, *POKER]]


@each_row(("game", "start"), [*FROM_START, *FROM_ANYWHERE])
def test_both_engines_go_the_same_way(game, start):
    first, second = (play(GameBatch(game, 5, 3, start, engine), 30) for engine in BOTH)
    assert equal(first, second)


@pytest.mark.plain_kernels
@each_row("game", [*DUELS, *PRIZES, *SUMO, *POKER])
def test_both_engines_draw_the_same_uniform_actions(game):
    first, second = (GameBatch(game, 6, 3, engine=engine) for engine in BOTH)
    first.reset(), second.reset()
    for _ in range(12):
        actions = first.uniform_actions()
        assert np.array_equal(actions, second.uniform_actions())
        assert equal(first.step(actions), second.step(actions))


# -- chance ---------------------------------------------------------------------------------


def assert_drawn_from(counts, odds, draws):
    """Chi-square, the seed fixed: outcomes expected less than five times are taken together."""
    assert set(counts) <= {outcome for outcome, probability in odds.items() if probability}
    cells, rare = [], [0.0, 0.0]
    for outcome, probability in odds.items():
        cell = (counts[outcome], float(probability) * draws)
        if cell[1] < 5:
            rare = [rare[0] + cell[0], rare[1] + cell[1]]
        else:
            cells.append(cell)
    if rare[1] >= 5:
        cells.append(tuple(rare))
    distance = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    # Four standard deviations of a chi-square distribution.
    freedom = len(cells) - 1
    assert distance <= freedom + 4 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("sides", [2, 6])
def test_dice_fall_with_the_odds_of_the_rules(sides):
    game, draws = make_game("dice_wars", hand_0=(1, 2, 4), hand_1=(1, 3, 4), sides=sides), 4000
    for actions in [(a, b) for a in (0, 1, 3) for b in (0, 2, 3)]:
        batch = GameBatch(game, draws, seed=sum(actions))
        batch.reset()
        step = batch.step(np.tile(actions, (draws, 1)))
        outcomes = game.transitions(game.initial()[0].state, dict(enumerate(actions)))
        odds = {(outcome.state, outcome.rewards[0]): outcome.probability for outcome in outcomes}
        assert_drawn_from(Counter(zip(batch.states(), step.rewards[:, 0].tolist(), strict=True)), odds, draws)


def test_rolls_are_dealt_alike():
    game, draws = make_game("dice_poker", sides=5), 10_000
    batch = GameBatch(game, draws, seed=4)
    batch.reset()
    batch.step(np.zeros((draws, 2), dtype=int))
    odds = {deal.state: deal.probability for deal in game.initial()}
    assert_drawn_from(Counter(batch.states()), odds, draws)


def random_start_odds(game):
    """The distribution of random starts, by going through all courses of uniform play."""
    facts, odds = game.facts, Counter()

    @cache
    def mixes(state):
        joint = {(): 1.0}
        for player in game.acting_players(state):
            seen = game.observation(state, player)[None], game.action_mask(state, player)[None]
            ways = game.action_counts(*seen)[0]
            share = dict(enumerate(ways / ways.sum()))
            joint = {(*a, b): p * share[b] for a, p in joint.items() for b in share if share[b]}
        moves = Counter()
        for actions, probability in joint.items():
            for outcome in game.transitions(state, dict(zip(game.acting_players(state), actions, strict=True))):
                moves[outcome.state] += probability * float(outcome.probability)
        return moves

    def walk(passed, probability, depth):
        # Depths are alike; the walk ends here, goes on, or is called off at the end of the game.
        odds[passed[-1]] += probability / facts.max_length
        deeper = facts.max_length - depth - 1
        for after, p in mixes(passed[-1]).items() if deeper else ():
            if game.acting_players(after):
                walk((*passed, after), probability * p, depth + 1)
            else:
                for state in passed:
                    odds[state] += probability * p * deeper / facts.max_length / len(passed)

    for deal in game.initial():
        walk((deal.state,), float(deal.probability), 0)
    return odds


@both_engines
@pytest.mark.parametrize(
    "game",
    [
        make_game("dinosaur_war", hand_0=(1, 1, 2), hand_1=(1, 2, 2), ties="carry"),
        make_game("war", ranks=2, discards=0, max_rounds=2),
        make_game("war", ranks=3, discards=1, max_rounds=2),
        make_game("war", ranks=4, discards=2, max_rounds=1),
        make_game("war", num_players=3, ranks=2, discards=0, max_rounds=2),
        make_game("war", num_players=3, ranks=3, discards=1, max_rounds=1),
    ],
    ids=named,
)
def test_random_starts_have_the_odds_of_uniform_play(game, engine):
    odds, draws = random_start_odds(game), 4000
    assert sum(odds.values()) == pytest.approx(1.0)
    batch = GameBatch(game, draws, seed=5, start="random", engine=engine)
    batch.reset()
    assert_drawn_from(Counter(batch.states()), odds, draws)


@both_engines
def test_uniform_actions_of_a_war_have_the_odds_of_its_cards(engine):
    game, draws = make_game("war", ranks=4, discards=2), 4000
    state = WarState(hands=((2, 2, 3, 5), (3, 4, 5)), wins=((), ()), pot=(4,), tied=(), rounds_left=9)
    at_war = WarState(hands=((2, 2, 3, 5), (3, 5)), wins=((), ()), pot=(4, 4), tied=(0, 1), rounds_left=9)
    for where in (state, at_war):
        game.check(where)
        batch = GameBatch(game, draws, seed=6, engine=engine)
        observations, masks = batch.reset([where] * draws)
        actions = batch.uniform_actions()
        for player in range(2):
            ways = game.action_counts(observations[:1, player], masks[:1, player])[0]
            odds = {action: count / ways.sum() for action, count in enumerate(ways) if count}
            assert_drawn_from(Counter(actions[:, player].tolist()), odds, draws)


# -- seeds ----------------------------------------------------------------------------------


@pytest.mark.plain_kernels
@pytest.mark.thin
@both_engines
@pytest.mark.parametrize("start", ["initial", "random"])
@small_games
def test_a_seed_repeats_everything(game, start, engine):
    first, second, other = (play(GameBatch(game, 7, seed, start, engine), 20) for seed in (3, 3, 4))
    assert equal(first, second)
    assert equal(first, other) != (start == "random" or game.name.startswith("dice"))


@small_games
def test_a_game_does_not_depend_on_those_beside_it(game):
    few, many = GameBatch(game, 3, 8, "random"), GameBatch(game, 9, 8, "random")
    few.reset(), many.reset()
    for _ in range(20):
        actions = many.uniform_actions()
        assert np.array_equal(few.uniform_actions(), actions[:3])
        assert equal(few.step(actions[:3]), [array[:3] for array in many.step(actions)])


@each_row("engine", BOTH)
@small_games
def test_games_that_are_kept_go_on_as_they_would_have(game, engine):
    all_games, some = (GameBatch(game, 9, 8, "random", engine) for _ in range(2))
    all_games.reset(), some.reset()
    kept = np.arange(9)
    for dropped in (4, 1, 0):
        for _ in range(5):
            actions = all_games.uniform_actions()
            assert np.array_equal(some.uniform_actions(), actions[kept])
            assert equal(some.step(actions[kept]), [array[kept] for array in all_games.step(actions)])
        staying = np.arange(len(kept)) != dropped
        kept = kept[staying]
        views = some.keep(staying)
        assert (some.num_games, some.states()) == (len(kept), [all_games.states()[place] for place in kept])
    assert np.array_equal(some.streams, all_games.streams[kept])
    assert len(some.keep(np.zeros(len(kept), dtype=np.bool_)).masks) == 0
    assert views.masks.shape == (len(kept), game.facts.num_players, game.facts.num_actions)


@small_games
def test_threads_change_nothing(game):
    """Compiled bodies run side by side without the interpreter's lock."""
    alone = [play(GameBatch(game, 200, seed, "random"), 30) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        together = [*threads.map(lambda seed: play(GameBatch(game, 200, seed, "random"), 30), range(4))]
    assert all(equal(a, b) for a, b in zip(alone, together, strict=True))


@small_games
def test_streams_that_are_put_back_repeat_what_followed(game):
    batch = GameBatch(game, 7, seed=5, start="random")
    play(batch, 10)
    streams = batch.streams
    first = play(batch, 10)
    other = GameBatch(game, 7, seed=6, start="random")
    other.streams = streams
    assert equal(first, play(other, 10))


def test_without_a_seed_games_differ():
    game = make_game("jujitsu", num_cards=6)
    assert not np.array_equal(*(GameBatch(game, 20, start="random").reset().observations for _ in range(2)))


# -- arrays, states, errors ---------------------------------------------------------------------


@each_row("engine", BOTH)
@small_games
def test_arrays_are_fresh_and_of_the_stated_kinds(game, engine):
    facts, batch = game.facts, GameBatch(game, 7, seed=0, engine=engine)
    players = facts.num_players
    observations, masks = batch.reset()
    states, legal = batch.states(), legal_actions(masks, np.random.default_rng(0))
    observations[:], masks[:] = 9, 9
    assert batch.states() == states
    step = batch.step(legal)
    assert [array.dtype for array in step] == [np.float32, np.int8, np.float64, np.bool_]
    assert [array.shape for array in step] == [
        (7, players, facts.observation_size), (7, players, facts.num_actions), (7, players), (7,)
    ]  # fmt: skip
    kept = [array.copy() for array in step]
    batch.step(legal_actions(step.masks, np.random.default_rng(1)))
    assert equal(step, kept)


def test_memory_is_used_again_once_nothing_refers_to_it():
    batch = GameBatch(make_game("war"), 200, seed=3)
    masks = batch.reset().masks
    assert masks.nbytes > LEAST_BYTES
    kept, copy, first = masks[:, 1, ::3], masks[:, 1, ::3].copy(), masks.ctypes.data
    del masks
    for _ in range(5):
        assert batch.step(batch.uniform_actions()).masks.ctypes.data != first
    assert np.array_equal(kept, copy)
    kept = copy
    assert first in {batch.step(batch.uniform_actions()).masks.ctypes.data for _ in range(2)}


def test_games_start_from_states_that_are_given():
    game = make_game("jujitsu", num_cards=3)
    states = [DuelState(((1, 2), (2, 3)), score=1), DuelState(((1,), (3,)), score=0)]
    batch = GameBatch(game, 2, seed=0)
    observations, _ = batch.reset(states)
    assert batch.states() == states
    assert np.array_equal(observations[1, 0], game.observation(states[1], 0))
    assert batch.step(np.array([[0, 1], [0, 2]])).done.tolist() == [False, True]
    assert batch.states()[1] == game.initial()[0].state


PUBLIC = [game for game in (*DUELS, *WARS) if game.facts.public_state]


@pytest.mark.thin
@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("game", PUBLIC, ids=named)
@pytest.mark.parametrize("seat", [0, 1])
def test_games_start_from_what_any_player_sees(game, seat, engine):
    batch = GameBatch(game, 12, seed=3, start="random", engine=engine)
    seen, masks = batch.reset()
    batch = GameBatch(game, 12, seed=4, engine=engine)
    views = batch.reset_to(seen[:, seat])
    assert batch.states() == [game.state_of(each)[0] for each in seen[:, seat]]
    order = [*range(seat, game.facts.num_players), *range(seat)]
    assert np.array_equal(views.observations, seen[:, order])
    assert np.array_equal(views.masks, masks[:, order])
    step_by_the_rules(batch, legal_actions(views.masks, np.random.default_rng(6)))


@both_engines
def test_what_cannot_be_seen_is_refused(engine):
    batch = GameBatch(make_game("jujitsu", num_cards=3), 2, seed=0, engine=engine)
    seen = batch.reset().observations[:, 0].copy()
    with pytest.raises(ValueError, match=r"observations of shape \(2, 2, 8\) must have shape \(2, 8\)"):
        batch.reset_to(batch.reset().observations)
    for wrong in (2.0, -1.0, np.nan):
        seen[1, 4] = wrong
        with pytest.raises(ValueError, match=rf"entry 4 of row 1 \({wrong:g}\) must be in 0..1"):
            batch.reset_to(seen)
    assert batch.states() == [DuelState(batch.game.hands)] * 2
    with pytest.raises(ValueError, match="dice_poker: an observation does not show the whole state"):
        GameBatch(make_game("dice_poker"), 2, engine=engine).reset_to(np.zeros((2, 9), dtype=np.float32))


@pytest.mark.plain_kernels
@both_engines
def test_an_illegal_action_is_named_and_nothing_moves(engine):
    batch = GameBatch(make_game("dice_wars", num_cards=2), 3, seed=0, engine=engine)
    batch.reset()
    batch.step(np.array([[0, 0], [0, 1], [1, 1]]))
    states, streams = batch.states(), batch.streams
    for action in (1, -1, 2, 10**12):
        with pytest.raises(IllegalActionError, match=rf"game 1: player_1 cannot play action {action}; legal .* are 0$"):
            batch.step(np.array([[1, 1], [1, action], [0, 0]]))
        assert batch.states() == states
        assert np.array_equal(batch.streams, streams)
    assert batch.step(np.array([[1, 1], [1, 0], [0, 0]])).done.all()


def test_bad_arguments_are_refused():
    game = make_game("jujitsu", num_cards=3)
    for arguments, message in [
        ({"num_games": 0}, r"num_games \(0\) must be in 1..10000000"),
        ({"num_games": 10**12}, r"num_games \(1000000000000\) must be in"),
        ({"num_games": 1, "seed": 1.5}, r"seed \(1.5\) must be an integer"),
        ({"num_games": 1, "start": "middle"}, r"start \('middle'\) must be one of 'initial', 'random'"),
        ({"num_games": 1, "engine": "steam"}, r"engine \('steam'\) must be one of 'auto', 'compiled', 'rules'"),
    ]:
        with pytest.raises(ValueError, match=message):
            GameBatch(game, **arguments)
    batch = GameBatch(game, 2, seed=0)
    for too_early in (batch.states, batch.uniform_actions, lambda: batch.step(np.zeros((2, 2), dtype=int))):
        with pytest.raises(ValueError, match="reset must be called"):
            too_early()
    with pytest.raises(ValueError, match="1 states given for 2 games"):
        batch.reset([game.initial()[0].state])
    with pytest.raises(ValueError, match="cards that it cannot hold"):
        batch.reset([DuelState(((9,), (1,)))] * 2)
    with pytest.raises(ValueError, match="must not be one in which the game is over"):
        batch.reset([DuelState(((), ()), score=1)] * 2)
    batch.reset()
    before = batch.states(), batch.streams
    for actions in (np.zeros((2, 1), dtype=int), np.zeros((2, 2)), [[0], [0, 1]], None):
        with pytest.raises(ValueError, match=r"actions \(.*\) must be integers of shape \(2, 2\)"):
            batch.step(actions)
    # NumPy would read integers as indices, and a longer mask would be cut off.
    for mask in (
        np.array([0, 2], dtype=np.int8),
        np.array([0, 1]),
        np.ones(9, dtype=bool),
        np.ones((2, 1), dtype=bool),
        [True, False],
    ):
        for change in (batch.keep, batch.restart):
            with pytest.raises(ValueError, match=r"where \(.*\) must be a NumPy array of bools, .* of shape \(2,\)"):
                change(mask)
    assert batch.states() == before[0]
    assert np.array_equal(batch.streams, before[1])
    batch.keep(np.array([0, 1], dtype=np.int8))  # the type of action masks
    assert batch.states() == before[0][1:]


def test_games_without_compiled_rules_go_by_the_rules():
    for game in (make_game("lowest_unique", num_players=3), make_game("dinosaur_war", num_cards=300)):
        assert game.compiled_rules() is None
        batch = GameBatch(game, 2, seed=0)
        assert type(batch._engine) is RulesEngine
        masks = batch.reset().masks
        assert batch.step(legal_actions(masks, np.random.default_rng(0))).rewards.shape == (2, game.facts.num_players)
        with pytest.raises(ValueError, match="has no compiled rules with these parameters"):
            GameBatch(game, 2, seed=0, engine="compiled")


def test_deals_that_pay_or_end_the_game_are_refused():
    with pytest.raises(ValueError, match="knock_out: games whose deal pays a reward"):
        GameBatch(KnockOut(), 2)
    over = one_step(starts=((1, 99, 0.0),))
    with pytest.raises(ValueError, match="toy: games that can be over when they start"):
        GameBatch(over, 2)


def test_an_error_of_the_rules_leaves_nothing_half_remembered():
    interrupted = []

    class Interrupted(Jujitsu):
        def observation(self, state, player):
            if player == 1 and len(state.hands[0]) < 3 and not interrupted:
                interrupted.append(state)
                raise KeyboardInterrupt
            return super().observation(state, player)

    game = Interrupted(num_cards=3)
    batch = GameBatch(game, 5, seed=1, engine="rules")
    batch.reset()
    with pytest.raises(KeyboardInterrupt):
        batch.step(batch.uniform_actions())
    batch.reset()
    for _ in range(6):
        step_by_the_rules(batch, batch.uniform_actions())


def course(batch, steps):
    """Uniform play for some steps, drawn from the games' own streams: observations, rewards and ends."""
    return [[array.copy() for array in batch.step(batch.uniform_actions())] for _ in range(steps)]


@pytest.mark.parametrize("engine", ["auto", "rules"])
@pytest.mark.parametrize("start", ["initial", "random"])
@each_row("game", EVERY_GAME)
def test_games_go_on_from_a_snapshot(game, start, engine):
    first, second = GameBatch(game, 5, 1, start, engine), GameBatch(game, 5, 2, start, engine)
    with pytest.raises(ValueError, match="reset must be called"):
        first.snapshot()
    first.reset()
    course(first, 7)
    arrays = first.snapshot()
    expected = [*first.views()], course(first, 12)
    second.restore(arrays)
    found = [*second.views()], course(second, 12)
    assert all(map(np.array_equal, expected[0], found[0]))
    for one, other in zip(expected[1], found[1], strict=True):
        assert all(map(np.array_equal, one, other))
    second.keep(np.array([True, False, True, True, False]))
    assert all(len(array) == 3 for name, array in second.snapshot().items() if name != "course")


def test_a_snapshot_may_have_been_stored_in_narrower_integers():
    game = make_game("jujitsu", num_cards=4)
    first, second = GameBatch(game, 5, 1, engine="rules"), GameBatch(game, 5, 2, engine="rules")
    first.reset()
    course(first, 2)
    arrays = first.snapshot()
    second.restore(arrays | {name: arrays[name].astype(np.int16) for name in ("course", "length")})
    assert second.states() == first.states()


def test_a_snapshot_that_does_not_fit_is_refused():
    game = make_game("jujitsu", num_cards=3)
    for engine, wrong in (
        ("compiled", {"rows": -1.0}),
        ("compiled", {"rows": np.inf}),
        ("rules", {"course": 7}),
        ("rules", {"length": 0}),
    ):
        batch = GameBatch(game, 4, 0, engine=engine)
        batch.reset()
        batch.step(batch.uniform_actions())
        arrays = batch.snapshot()
        with pytest.raises(ValueError, match=r"jujitsu|hand|card|rank|state|games"):
            batch.restore(arrays | {name: np.full_like(arrays[name], value) for name, value in wrong.items()})
        with pytest.raises(ValueError, match=r"shape|games"):
            GameBatch(game, 3, 0, engine=engine).restore(arrays)
    batch.reset([game.initial()[0].state] * 4)
    with pytest.raises(ValueError, match="jujitsu: a game that was placed in a state has no course"):
        batch.snapshot()


def test_an_engine_without_records_plays_the_same_and_makes_no_snapshot():
    game, where = make_game("dice_wars", num_cards=3), np.ones(5, dtype=np.bool_)
    engines = [RulesEngine(game, new_streams(0, 5), records) for records in (True, False)]
    played = []
    for engine in engines:
        for random in (True, False):
            engine.deal(where, random)
            actions = np.stack([engine.uniform(player, where) for player in (0, 1)], axis=1)
            engine.play(actions, where)
            played.append(engine.states())
    assert played[:2] == played[2:]
    assert engines[0].snapshot()["length"].tolist() == [2] * 5
    with pytest.raises(ValueError, match="no course"):
        engines[1].snapshot()
