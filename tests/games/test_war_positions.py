"""The positions of two-player WAR as arrays, held to the rules."""

from itertools import product

import numpy as np
import pytest
from brute_force import reachable
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.games.war.positions import key_of
from cardwar_envs.games.war.state import WarState

DECKS = [(3, 0), (3, 1), (4, 1), (4, 2), (5, 0), (5, 3)]


def war(ranks, discards, max_rounds=9):
    return make_game("war", ranks=ranks, discards=discards, max_rounds=max_rounds)


def form_of(game, *states, most=4_000_000):
    return game.rounds_form(states or [start.state for start in game.initial()], most)


def rounds_found(game):
    """Every round beginning up to swapping the seats, those of finished games included, by the rules alone."""
    stack = [game.canonical(start.state).state for start in game.initial()]
    seen = set(stack)
    while stack:
        state = stack.pop()
        acting = game.acting_players(state)
        for choice in product(*(game.legal_actions(state, player) for player in acting)) if acting else ():
            (after,) = game.transitions(state, dict(zip(acting, choice, strict=True)))
            again = game.canonical(after.state._replace(rounds_left=9)).state
            if again not in seen:
                seen.add(again)
                stack.append(again)
    return [state for state in seen if not state.tied]


def outcome(game, form, state, actions):
    """What the rules make of a joint action, as a code."""
    (after,) = game.transitions(state, actions)
    if after.state.rounds_left and len(after.state.live) > 1:
        return form.code(after.state)
    return {1.0: 0, -1.0: 1, 0.0: 2}[after.rewards[0]]


def entry(form, code, row, column):
    """What the arrays make of the choices of both players of the position, or its image, of a code."""
    node, swapped = divmod(code, 2)
    choices = (column, row) if swapped else (row, column)
    a, b = (int(form.rows[form.lists[node, seat]]) + choices[seat] for seat in (0, 1))
    place = form.options[a] * form.option_counts[form.lists[node, 1]] + form.options[b]
    if node < form.levels[-2]:
        place = 3 * place + (
            0 if form.strengths[a] > form.strengths[b] else 1 if form.strengths[a] < form.strengths[b] else 2
        )
    return int(form.children[form.first[node] + place]) ^ swapped


def normal(form, code):
    """The same code for both sides of a position that is its own mirror image, and of a game nobody wins."""
    if code < 2:
        return code
    if code < 4:
        return 2
    return form.code(form.state(code, 1))


def hold_together(game, form, state, choices):
    code = form.code(state)
    assert form.state(code, state.rounds_left) in (state, form.state(code ^ 1, state.rounds_left))
    acting = game.acting_players(state)
    legal = [game.legal_actions(state, player) for player in (0, 1)]
    for seat in (0, 1):
        k = int(form.lists[(code ^ seat) >> 1, (code ^ seat) & 1])
        assert form.actions[form.rows[k] : form.rows[k + 1]].tolist() == list(legal[seat])
    for i, j in choices(len(legal[0]), len(legal[1])):
        actions = {player: legal[player][(i, j)[player]] for player in acting}
        assert normal(form, entry(form, code, i, j)) == normal(form, outcome(game, form, state, actions))


@pytest.mark.plain_kernels
@each_row(("ranks", "discards"), [(3, 0), (3, 1), (4, 1)])
def test_every_move_of_every_state_is_that_of_the_rules(ranks, discards):
    game = war(ranks, discards, 3)
    form = form_of(game)
    for state in reachable(game):
        if game.acting_players(state):
            hold_together(game, form, state._replace(rounds_left=3), lambda m, n: product(range(m), range(n)))


@pytest.mark.parametrize(
    ("ranks", "discards"), [pytest.param(*deck, marks=[pytest.mark.plain_kernels] * (deck == (4, 1))) for deck in DECKS]
)
def test_random_nodes_move_and_look_as_the_rules_say(ranks, discards):
    game = war(ranks, discards)
    form = form_of(game)
    rng = np.random.default_rng(ranks * 10 + discards)
    codes = rng.integers(4, 2 * len(form.lists), 80)
    for code in codes:
        state = form.state(int(code), 5)
        game.check(state)
        hold_together(game, form, state, lambda m, n: rng.integers((0, 0), (m, n), (10, 2)).tolist())
    for seat in (0, 1):
        observations, masks = form.seen(codes ^ seat, 7)
        for row, code in enumerate(codes):
            state = form.state(int(code), 7)
            assert observations[row].tobytes() == game.observation(state, seat).tobytes()
            assert masks[row].tobytes() == game.action_mask(state, seat).tobytes()
        found, rounds_left = form.codes_seen(observations)
        assert [normal(form, c) for c in found] == [normal(form, c) for c in codes ^ seat]
        assert set(rounds_left) == {7}
    assert (masks.dtype, observations.dtype) == (np.int8, np.float32)


def test_a_level_leads_to_lower_levels_or_to_rounds():
    form = form_of(war(5, 0))
    for start, stop in zip(form.levels[:-2], form.levels[1:-1], strict=True):
        for node in range(start, stop):
            pairs = form.option_counts[form.lists[node]].prod()
            children = form.children[form.first[node] : form.first[node] + 3 * pairs] >> 1
            assert ((children < start) | (children >= form.levels[-2])).all()


@pytest.mark.parametrize(
    ("ranks", "discards", "undecided", "with_finished"),
    [(3, 1, 42, 54), (4, 1, 732, 829), pytest.param(5, 1, 9_741, 10_058, marks=pytest.mark.slow)],
)
def test_positions_are_those_that_the_rules_reach(ranks, discards, undecided, with_finished):
    game = war(ranks, discards)
    rounds = rounds_found(game)
    assert len(rounds) == with_finished
    going_on = [state for state in rounds if len(state.live) > 1]
    form = form_of(game)
    assert len(going_on) == form.positions == undecided
    assert len({form.code(state) >> 1 for state in going_on}) == undecided


@pytest.mark.plain_kernels
def test_a_war_that_one_can_pay_for_and_a_pot_carried_over():
    game = war(4, 1)
    lone = WarState(((2, 3, 5), (2,)), ((), (3, 5)), pot=(4, 4), tied=(0, 1), rounds_left=3)
    carried = WarState(((2, 3), (2, 5)), ((5,), (3,)), pot=(4, 4), rounds_left=3)
    for state in (lone, carried):
        game.check(state)
        form = form_of(game, state)
        hold_together(game, form, state, lambda m, n: product(range(m), range(n)))
        assert form.state(form.code(state), 3) == state
    # Who cannot pay loses the two; the war is won with any of three discards and battles of two cards.
    assert form_of(game, lone).option_counts[form_of(game, lone).lists[form_of(game, lone).code(lone) >> 1]].prod() == 3


def test_mirror_images_are_one_node():
    game = war(4, 1)
    form = form_of(game)
    for code in range(4, 2 * len(form.lists)):
        state = form.state(code, 2)
        image = state._replace(hands=state.hands[::-1], wins=state.wins[::-1])
        assert form.code(image) >> 1 == code >> 1
        assert normal(form, form.code(image)) == normal(form, code ^ 1)
        assert (key_of(state) < 0) == bool(state.tied)


@pytest.mark.plain_kernels
def test_a_state_elsewhere_is_not_found():
    game = war(4, 1)
    elsewhere = WarState(((5,), (4,)), ((2, 2, 3, 3, 4, 5), ()), rounds_left=3)
    game.check(elsewhere)
    form = form_of(game)
    reached = {form.state(code, 3) for code in range(4, 2 * len(form.lists))}
    assert (form.code(elsewhere) >= 0) == (elsewhere in reached)
    over = game.observation(WarState(((2, 2, 3, 3, 4, 4, 5, 5), ()), ((), ()), rounds_left=0), 0)
    assert form.codes_seen(over[None])[0].tolist() == [-1]


@each_row(("ranks", "discards"), [(12, 3), (9, 0)])
def test_a_large_deck_is_refused(ranks, discards):
    with pytest.raises(ValueError, match=f"war with {ranks} ranks and {discards} discards has more than 4,000,000"):
        form_of(war(ranks, discards))


def test_the_bound_on_positions_is_kept():
    game = war(4, 1)
    assert len(form_of(game, most=1006).lists) == 1006  # 732 rounds, 272 wars, two ways to end
    with pytest.raises(ValueError, match="more than 1,005 positions"):
        form_of(game, most=1005)


def test_other_games_have_no_such_form():
    for game in (make_game("war", num_players=3, ranks=3), make_game("jujitsu", num_cards=3)):
        with pytest.raises(ValueError, match="not a two-player game of many rounds"):
            form_of(game)
