"""NashConv of ten profiles in each of OpenSpiel's games against OpenSpiel's own figure: 270 comparisons."""

import numpy as np
import pytest
from hidden_games import Hashed

import baselines
from cardwar_envs.core.policy import observation_keys
from cardwar_envs.core.table_policy import TablePolicy
from cardwar_envs.openspiel import from_openspiel

pyspiel = pytest.importorskip("pyspiel")
GOOFSPIEL = "goofspiel(imp_info=true,num_cards={},points_order={},returns_type={})"
QUICK = ["kuhn_poker", "dark_hex(board_size=2)", GOOFSPIEL.format(3, "random", "point_difference")]
GAMES = [
    *("kuhn_poker(players=3)", "kuhn_poker(players=4)", "leduc_poker", "leduc_poker(suit_isomorphism=true)"),
    *(GOOFSPIEL.format(3, order, "win_loss") for order in ("descending", "ascending", "random")),
    GOOFSPIEL.format(4, "descending", "win_loss"),
    GOOFSPIEL.format(4, "ascending", "total_points"),
    "goofspiel(imp_info=true,num_cards=3,players=3,points_order=descending)",
    *("liars_dice(dice_sides=2)", "liars_dice(dice_sides=3)", "liars_dice_ir(dice_sides=2,recall_length=2)"),
    *(
        f"battleship(board_height={height},board_width=2,num_shots=2,ship_sizes=[1],ship_values=[1])"
        for height in (1, 2)
    ),
    *("tiny_hanabi", "trade_comm(num_items=2)", "lewis_signaling", "coordinated_mp"),
    "first_sealed_auction(max_value=4)",
    "sheriff(max_bribe=1,max_items=2,num_rounds=1)",
    *("matrix_rps", "matching_pennies_3p"),
    "oh_hell(num_cards_per_suit=2,num_suits=2,num_tricks_fixed=1,players=3)",
]


class Picks:
    """Plays the legal action of an index."""

    def __init__(self, index):
        self.index = index

    def action_probabilities(self, observations, action_masks):
        legal = [np.flatnonzero(mask)[self.index] for mask in action_masks]
        return np.eye(action_masks.shape[1])[legal]


@pytest.mark.parametrize("words", [*QUICK, *(pytest.param(words, marks=pytest.mark.slow) for words in GAMES)])
def test_ten_profiles(words):
    game, theirs = from_openspiel(words), pyspiel.load_game(words)
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    seen = information_states(game, theirs)
    players = game.facts.num_players
    policies = [baselines.make_policy("uniform", game), Picks(0), Picks(-1), *map(Hashed, range(5)), cfr(theirs, seen)]
    profiles = [[policy] * players for policy in policies]
    profiles.append([baselines.best_response(game, Hashed(9), player).policy for player in range(players)])
    for profile in profiles:
        table = pyspiel.TabularPolicy(
            {text: [*zip(legal, played(profile[player], row, mask)[legal].tolist(), strict=True)]
             for text, (player, row, mask, legal) in seen.items()}
        )  # fmt: skip
        assert baselines.nash_conv(game, profile).total == pytest.approx(pyspiel.nash_conv(theirs, table), abs=1e-9)


def played(policy, row, mask):
    return policy.action_probabilities(row[None], mask[None])[0]


def information_states(game, theirs):
    """Player, our observation, mask and legal actions, by OpenSpiel's text of each information state."""
    together, found = game.listed.game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS, {}

    def walk(node):
        if not (node.is_terminal() or node.is_chance_node()):
            player, text = node.current_player(), node.information_state_string()
            if text not in found:
                history = node.history()
                state = game.state_at(history[: len(history) - player] if together else history)
                row, mask = game.observation(state, player), game.action_mask(state, player)
                found[text] = player, row, mask, node.legal_actions()
        for action in node.legal_actions():
            walk(node.child(action))

    walk(theirs.new_initial_state())
    return found


def cfr(theirs, seen):
    """The average of ten iterations of OpenSpiel's CFR, as a policy of ours."""
    solver, rows = pyspiel.CFRSolver(theirs), {}
    for _ in range(10):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    for text, (_, row, mask, legal) in seen.items():
        mix = np.zeros(len(mask))
        mix[legal] = [dict(average.get_state_policy(text))[action] for action in legal]
        rows[observation_keys(row[None])[0]] = mix / mix.sum()
    return TablePolicy(rows)
