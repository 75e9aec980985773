"""Liar's dice: the rules are OpenSpiel's, and so are the figures."""

import numpy as np
import pytest

import baselines
from cardwar_envs import make_game
from cardwar_envs.games.liars_dice import LiarsDiceState


@pytest.mark.parametrize(("dice", "sides"), [(1, 3), (2, 2)])
def test_games_go_as_in_openspiel(dice, sides):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = make_game("liars_dice", dice=dice, sides=sides), np.random.default_rng(0)
    spiel = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={sides})")
    paid = set()
    for _ in range(200):
        theirs = spiel.new_initial_state()
        while theirs.is_chance_node():
            theirs.apply_action(int(rng.choice(theirs.legal_actions())))
        rolls = [[int(die) for die in theirs.information_state_string(p).split()[0]] for p in (0, 1)]
        state = LiarsDiceState(tuple(tuple(sorted(own)) for own in rolls))
        while game.acting_players(state):
            turn = theirs.current_player()
            legal = game.legal_actions(state, turn)
            assert list(legal) == theirs.legal_actions()
            assert game.legal_actions(state, 1 - turn) == (game.wait,)
            action = int(rng.choice(legal[-2:] if rng.random() < 0.5 else legal))
            ((_, state, rewards),) = game.transitions(state, {turn: action, 1 - turn: game.wait})
            theirs.apply_action(action)
            assert theirs.is_terminal() == (not game.acting_players(state))
        assert list(rewards) == theirs.returns()
        paid.add(rewards)
    assert len(paid) == 2


def test_figures_are_those_of_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game, spiel = make_game("liars_dice", sides=3), pyspiel.load_game("liars_dice(dice_sides=3)")
    expected = pyspiel.exploitability(spiel, pyspiel.UniformRandomPolicy(spiel))
    assert baselines.exploitability(game, "uniform_actions") == pytest.approx(expected, abs=1e-12)
    solution = baselines.solve(game)
    assert solution.gap < 1e-9
    table = pyspiel.TabularPolicy(spiel_table(game, spiel, solution.policy))
    assert pyspiel.nash_conv(spiel, table) < 1e-9


def spiel_table(game, spiel, policy):
    """Our policy at OpenSpiel's information states, which show the own dice and all bids."""
    table = {}

    def walk(theirs, bids):
        if theirs.is_chance_node():
            for die, _ in theirs.chance_outcomes():
                walk(theirs.child(die), bids)
        elif not theirs.is_terminal():
            player = theirs.current_player()
            own = tuple(sorted(int(die) for die in theirs.information_state_string(player).split()[0]))
            state = LiarsDiceState((own, own), bids)
            seen, mask = game.observation(state, player), game.action_mask(state, player)
            mix = policy.action_probabilities(seen[None], mask[None])[0]
            legal = theirs.legal_actions()
            table[theirs.information_state_string()] = [(action, float(mix[action])) for action in legal]
            for action in legal:
                walk(theirs.child(action), (*bids, action))

    walk(spiel.new_initial_state(), ())
    return table


def test_the_highest_face_counts_as_every_face_and_only_own_dice_are_seen():
    game = make_game("liars_dice")
    state = LiarsDiceState(((6,), (2,)), (7,))  # two dice show a 2
    ((_, after, rewards),) = game.transitions(state, {0: game.wait, 1: game.liar})
    assert rewards == (1.0, -1.0)
    other = state._replace(dice=((6,), (5,)))
    assert game.transitions(other, {0: game.wait, 1: game.liar})[0].rewards == (-1.0, 1.0)
    assert game.observation(state, 0).tolist() == game.observation(other, 0).tolist()
    assert game.observation(state, 1).tolist() != game.observation(other, 1).tolist()
    assert (game.legal_actions(state, 0), game.legal_actions(after, 0)) == ((game.wait,), ())
