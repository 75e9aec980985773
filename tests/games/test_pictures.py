"""What the pictures of Goofspiel, Oshi-Zumo and Lowest unique number say after written moves."""

from thinning import each_row

from cardwar_envs import Revealed, make_game
from cardwar_envs.core.game import FORFEIT
from cardwar_envs.core.scene import Text


def words(scene):
    return " ".join(shape.text for shape in scene.shapes if isinstance(shape, Text))


@each_row(
    ("name", "parameters", "plays", "said"),
    [
        ("goofspiel", {"num_cards": 4, "prizes": "descending"}, [(3, 0)], ["player_0 leads by 4", "player_0 won 4"]),
        ("goofspiel", {"num_cards": 4, "prizes": "descending"}, [(3, 3)], ["Nobody leads", "Nobody won the prize"]),
        ("goofspiel", {"num_cards": 3, "ties": "carry", "prizes": "ascending"}, [(0, 0)], ["carried points: 1"]),
        ("goofspiel", {"num_cards": 1}, [(0, 0)], ["A draw with equally many points"]),
        (
            "goofspiel",
            {"num_cards": 2, "prizes": "descending", "ties": "carry", "payoff": "win"},
            [(1, 0), (0, 1)],
            ["player_0 wins 2 points to 1", "player_1 won 1 point"],
        ),
        ("goofspiel", {"num_cards": 2, "prizes": "descending"}, [(0, 1), (1, 0)], ["player_1 wins by 1 point"]),
        ("oshi_zumo", {}, [(10, 3)], ["40 of 50 coins", "The wrestler stands 1 field on player_1's side"]),
        (
            "oshi_zumo",
            {"coins": 5, "size": 1},
            [(1, 2), (1, 2)],
            ["The wrestler is off the board at player_0's end player_1 wins", "the game is over"],
        ),
        (
            "oshi_zumo",
            {"coins": 4, "size": 1},
            [(3, 2), (1, 2)],
            ["The wrestler stands in the middle A draw", "all coins are gone"],
        ),
        ("lowest_unique", {}, [(0, 0, 4)], ["player_2 has the lowest unique number", "payoff +1", "payoff -0.5"]),
        ("lowest_unique", {"rounds": 2}, [(0, 0, 4), (1, 1, 1)], ["player_2 has the highest payoff, +1"]),
        ("lowest_unique", {"rounds": 2}, [(0, 0, 4), (0, 1, 1)], ["2 players have the highest payoff, +0.5"]),
        ("lowest_unique", {"rounds": 2}, [(1, 1, 1), (1, 1, 1)], ["Nobody won the round A draw"]),
        (
            "lowest_unique",
            {"num_players": 20, "numbers": 30},
            [tuple(range(20))],
            ["last moves player_0  1 player_1  2"],
        ),
    ],
)
def test_what_pictures_say(name, parameters, plays, said):
    game = make_game(name, **parameters)
    now, before, paid, actions = game.initial()[0].state, None, [0.0] * game.facts.num_players, None
    for play in plays:
        actions, before = dict(enumerate(play)), now
        outcome = game.transitions(now, actions)[0]
        now, paid = outcome.state, [a + b for a, b in zip(paid, outcome.rewards, strict=True)]
    over = not game.acting_players(now)
    scene = game.scene(Revealed(now, None, actions, tuple(paid), over, before))
    text = " ".join([words(scene), scene.outcome, scene.title.partition(": ")[2]])
    for each in said:
        assert each in text


@each_row("name", ["goofspiel", "oshi_zumo", "lowest_unique"])
def test_a_forfeit_is_said_and_wins_no_trick(name):
    game = make_game(name)
    state, players = game.initial()[0].state, game.facts.num_players
    actions = {player: FORFEIT if player == 0 else game.legal_actions(state, player)[0] for player in range(players)}
    paid = (game.facts.min_payoff, *(0.0 - game.facts.min_payoff / (players - 1) for _ in range(players - 1)))
    text = words(game.scene(Revealed(state, None, actions, paid, True, state)))
    assert "forfeits" in text
    assert "player_0 wins" not in text
    assert "has the lowest" not in text
