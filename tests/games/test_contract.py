"""What every game owes to environments and oracles, proven over its whole tree at a tiny size."""

import copy
import pickle
from collections import Counter
from functools import cache

import numpy as np
import pytest
from brute_force import Values, certain, final_payoffs, joint_actions, reachable
from thinning import each_row
from tiny_games import EVERY_GAME, SOLVABLE, TINY_GAMES, each_of

from cardwar_envs import GAMES, Duel, Game, make_game

each_game = each_of(TINY_GAMES)
each_solvable = each_of(SOLVABLE)
tree = cache(reachable)


def choices(game):
    """Every state in which something is decided, with every player who decides."""
    return [(state, player) for state in tree(game) for player in game.acting_players(state)]


def test_every_game_is_among_the_tiny_games():
    assert {type(game) for game in EVERY_GAME} == set(GAMES.values())
    assert all(len(tree(game)) > 1 for game in TINY_GAMES.values())


@each_game
def test_the_name_and_the_parameters_make_the_game_again(game):
    again = make_game(game.facts.name, **game.parameters())
    assert again == game
    assert hash(again) == hash(game)
    assert again is not game
    assert GAMES[game.facts.name] is type(game)
    assert game.facts.version >= 0
    assert pickle.loads(pickle.dumps(game)) == game
    assert copy.deepcopy(game) == game


@each_game
def test_chance_sums_to_exactly_one(game):
    assert certain(start.probability for start in game.initial())
    for state in tree(game):
        for actions in joint_actions(game, state):
            outcomes = game.transitions(state, actions)
            assert certain(t.probability for t in outcomes)
            assert all(t.probability > 0 for t in outcomes)


@each_game
def test_chance_comes_in_where_the_facts_say(game):
    moves = any(len(game.transitions(s, a)) > 1 for s in tree(game) for a in joint_actions(game, s))
    found = "moves" if moves else "deal" if len(game.initial()) > 1 else "none"
    assert game.facts.chance == found


@each_game
def test_a_start_pays_nothing(game):
    """An episode writes down what is paid after each joint action, so nothing may be paid before the first."""
    assert all(not any(start.rewards) for start in game.initial())


@each_game
def test_rewards_are_one_per_player_and_sum_to_zero(game):
    for state in tree(game):
        for actions in joint_actions(game, state):
            for t in game.transitions(state, actions):
                assert len(t.rewards) == game.facts.num_players
                assert not game.facts.zero_sum or sum(t.rewards) == 0


@each_game
def test_legal_actions_are_sorted_distinct_within_range_and_the_mask_says_the_same(game):
    for state, player in choices(game):
        legal = game.legal_actions(state, player)
        assert legal
        assert list(legal) == sorted(set(legal))
        assert legal[0] >= 0
        assert legal[-1] < game.facts.num_actions
        mask = game.action_mask(state, player)
        assert mask.dtype == np.int8
        assert mask.shape == (game.facts.num_actions,)
        assert np.flatnonzero(mask).tolist() == list(legal)
        assert mask.max() == 1


@each_game
def test_acting_players_are_ascending_seats_that_are_live(game):
    for state in tree(game):
        acting, live = game.acting_players(state), game.live_players(state)
        assert list(acting) == sorted(set(acting))
        assert set(acting) <= set(live) <= set(range(game.facts.num_players))
        assert bool(acting) == bool(live)


@each_game
def test_observations_are_fresh_float32_inside_the_bounds(game):
    low, high = np.array(game.facts.observation_low), np.array(game.facts.observation_high)
    assert low.shape == high.shape == (game.facts.observation_size,)
    for state in tree(game):
        for player in range(game.facts.num_players):
            seen = game.observation(state, player)
            assert seen.dtype == np.float32
            assert seen.shape == low.shape
            assert (low <= seen).all()
            assert (seen <= high).all()
            kept = seen.copy()
            seen += 100.0
            assert np.array_equal(game.observation(state, player), kept)


@each_game
def test_masks_are_fresh(game):
    for state, player in choices(game):
        mask = game.action_mask(state, player)
        kept = mask.copy()
        mask[:] = 7
        assert np.array_equal(game.action_mask(state, player), kept)


@each_game
def test_the_bounds_of_observations_are_reached_by_the_hands(game):
    """Bounds that are too wide would be true of any game; no entry may exceed, or never come near, its bound."""
    seen = np.array([game.observation(s, p) for s in tree(game) for p in range(game.facts.num_players)])
    span = np.array(game.facts.observation_high) - np.array(game.facts.observation_low)
    # A score or a count of carried ties cannot always reach the number of tricks: half of it is near.
    assert (np.ptp(seen, axis=0) >= 0.5 * span).sum() >= game.facts.observation_size - 2


@each_game
def test_no_two_states_look_the_same(game):
    if not game.facts.public_state:
        pytest.skip("players do not see the state")
    for player in range(game.facts.num_players):
        assert len({game.observation(state, player).tobytes() for state in tree(game)}) == len(tree(game))


@each_game
def test_an_observation_says_the_state_and_its_seat(game):
    if not game.facts.public_state:
        pytest.skip("players do not see the state")
    for state in tree(game):
        for player in range(game.facts.num_players):
            turned, seat = game.state_of(game.observation(state, player))
            assert seat == (0 if game.facts.seat_symmetric else player)
            assert player != seat or turned == state
            assert type(turned) is type(state)
            assert hash(turned) == hash(turned)
            assert np.array_equal(game.observation(turned, seat), game.observation(state, player))


@each_game
def test_seats_of_a_symmetric_game_are_alike(game):
    """From the state as player 1 sees it, the same choices lead to the mirrored states and rewards."""
    if not (game.facts.seat_symmetric and game.facts.public_state and game.facts.num_players == 2):
        pytest.skip("not a game of two equal seats")

    def mirrored(state):
        return game.state_of(game.observation(state, 1))[0]

    for state in tree(game):
        turned = mirrored(state)
        assert mirrored(turned) == state
        assert len(game.acting_players(turned)) == len(game.acting_players(state))
        for player in game.acting_players(state):
            assert game.legal_actions(turned, 1 - player) == game.legal_actions(state, player)
            assert np.array_equal(game.observation(turned, 1 - player), game.observation(state, player))
        for actions in joint_actions(game, state):
            there = game.transitions(turned, {1 - player: action for player, action in actions.items()})
            here = [(t.probability, mirrored(t.state), t.rewards[::-1]) for t in game.transitions(state, actions)]
            assert Counter(here) == Counter(map(tuple, there))


@each_game
def test_every_state_that_can_come_up_passes_check(game):
    for state in tree(game):
        game.check(state)


@each_game
@each_row("nonsense", [None, 5, "state", (), ((1,), (2,)), object()])
def test_check_refuses_what_is_no_state(game, nonsense):
    with pytest.raises(ValueError, match="state"):
        game.check(nonsense)


@each_game
def test_states_are_values(game):
    for state in tree(game):
        for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), copy.copy(state)):
            assert twin == state
            assert hash(twin) == hash(state)
            assert type(twin) is type(state)


@each_game
def test_transitions_leave_the_state_as_it_was(game):
    for state in tree(game):
        before = copy.deepcopy(state)
        once = [list(game.transitions(state, a)) for a in joint_actions(game, state)]
        assert once == [list(game.transitions(state, a)) for a in joint_actions(game, state)]
        assert state == before


@each_game
def test_settled_is_what_every_course_of_play_pays(game):
    to_go = final_payoffs(game)
    for state in tree(game):
        settled = game.settled(state)
        if settled is not None:
            assert to_go(state) == {settled}


@each_game
def test_payoffs_keep_to_the_bounds_and_sum_to_zero(game):
    facts, to_go = game.facts, final_payoffs(game)
    for start in game.initial():
        for paid in to_go(start.state):
            assert all(facts.min_payoff <= p <= facts.max_payoff for p in paid)
            assert not facts.zero_sum or sum(paid) == 0


@each_game
def test_no_game_has_more_moves_than_the_facts_say(game):
    @cache
    def length(state):
        after = [t.state for a in joint_actions(game, state) for t in game.transitions(state, a)]
        return 1 + max(map(length, after)) if after else 0

    longest = max(length(start.state) for start in game.initial())
    assert longest <= game.facts.max_length
    assert longest == game.facts.max_length or not isinstance(game, Duel)


@each_solvable
def test_a_representative_is_its_own_and_worth_the_same(game):
    truth = Values(game)
    for state in tree(game):
        representative, seats = game.canonical(state)
        assert game.canonical(representative) == (representative, (0, 1))
        assert seats in ((0, 1), (1, 0))
        sign = 1 if seats == (0, 1) else -1
        assert truth.value(state) == pytest.approx(sign * truth.value(representative), abs=1e-9)
        settled, there = game.settled(state), game.settled(representative)
        assert settled == (None if there is None else tuple(there[seat] for seat in seats))


@each_solvable
def test_actions_stand_for_equal_actions_of_the_representative(game):
    """Every pair of images pays what the pair itself pays, and the shares of an image sum to one."""
    truth = Values(game)
    for state in tree(game):
        acting = game.acting_players(state)
        if not acting:
            continue
        representative, seats = game.canonical(state)
        sign = 1 if seats == (0, 1) else -1
        images = {player: game.canonical_actions(state, player) for player in acting}
        for player in acting:
            assert tuple(image.action for image in images[player]) == game.legal_actions(state, player)
            there = game.legal_actions(representative, seats[player])
            assert {image.image for image in images[player]} == set(there)
            for target in there:
                assert certain(i.share for i in images[player] if i.image == target)
        for actions in joint_actions(game, state):
            mapped = {
                seats[player]: next(i.image for i in images[player] if i.action == action)
                for player, action in actions.items()
            }
            there = sign * truth.worth(representative, mapped)
            assert truth.worth(state, actions) == pytest.approx(there, abs=1e-9)


@each_game
def test_action_counts_are_positive_exactly_where_an_action_is_legal(game):
    for state, player in choices(game):
        mask = game.action_mask(state, player)
        counts = game.action_counts(game.observation(state, player)[None], mask[None])
        assert counts.shape == (1, game.facts.num_actions)
        assert counts.dtype == np.float64
        assert np.array_equal(counts[0] > 0, mask == 1)


@each_game
def test_opponent_masks_are_what_the_other_player_may_play(game):
    if game.facts.num_players != 2 or not game.facts.public_state:
        pytest.skip("players do not see the state")
    for state, player in choices(game):
        observations = game.observation(state, player)[None]
        assert np.array_equal(game.opponent_masks(observations)[0], game.action_mask(state, 1 - player))


@each_game
def test_states_and_actions_have_words(game):
    actions = [game.describe_action(action) for action in range(game.facts.num_actions)]
    assert all(actions)
    assert len(set(actions)) == len(actions)
    if game.facts.public_state:
        assert len({game.describe(state) for state in tree(game)}) == len(tree(game))


class Smallest(Game):
    """No more than what a game must say of itself."""

    facts = next(iter(GAMES.values()))().facts
    initial = acting_players = legal_actions = transitions = observation = None
    check = describe = describe_action = None


def test_a_game_without_public_state_has_no_state_of():
    with pytest.raises(ValueError, match="an observation does not show the whole state"):
        Smallest().state_of(np.zeros(3, dtype=np.float32))
