"""The positions of two-player WAR as arrays, held to the rules."""

from itertools import product

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.forms import rounds_form_is_the_rules
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


def same_node(form, code):
    """The same code for both sides of a position that is its own mirror image, and of a game nobody wins."""
    return form.code(form.state(code, 1)) if code >= 4 else min(code, 2)


@pytest.mark.parametrize(
    ("ranks", "discards"), [pytest.param(*deck, marks=[pytest.mark.plain_kernels] * (deck == (4, 1))) for deck in DECKS]
)
def test_moves_and_observations_are_those_of_the_rules(ranks, discards):
    game = war(ranks, discards)
    rounds_form_is_the_rules(Case(game, max_states=3000, seed=0))  # raises if they differ
    form = form_of(game)
    codes = np.random.default_rng(ranks * 10 + discards).integers(4, 2 * len(form.lists), 80)
    for seat in (0, 1):
        found, rounds_left = form.codes_seen(form.seen(codes ^ seat, 7)[0])
        assert [same_node(form, code) for code in found] == [same_node(form, code) for code in codes ^ seat]
        assert set(rounds_left) == {7}


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
        assert same_node(form, form.code(image)) == same_node(form, code ^ 1)
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
