"""How a game is played, in words that fit its parameters; the text is no rule, and never that of other rules."""

import re
from dataclasses import fields

from thinning import each_row

from cardwar_envs import GAMES, Game, make_game
from cardwar_envs.core.game import CERTAIN, CLAIMS, same_rules_as
from cardwar_envs.games.jujitsu import Jujitsu

# Other values of every parameter.
OTHERS = {
    "jujitsu": {"num_cards": 7, "ties": "discard", "payoff": "margin"},
    "dinosaur_war": {"ties": "carry", "payoff": "win", "view": "word"},
    "dice_wars": {"sides": 8, "payoff": "win", "ties": "carry"},
    "war": {"num_players": 4, "ranks": 5, "discards": 2, "max_rounds": 9},
    "dice_poker": {"sides": 9, "ante": 3.0, "raise_size": 6.5},
    "goofspiel": {"num_cards": 6, "prizes": "ascending", "ties": "carry", "payoff": "win", "view": "word"},
    "oshi_zumo": {"coins": 40, "size": 5, "min_bid": 2, "horizon": 8, "alesia": True},
    "lowest_unique": {"num_players": 5, "numbers": 9, "rounds": 3, "payoff": "prize"},
}


@each_row("name", GAMES)
def test_the_text_depends_on_every_parameter(name):
    texts = [make_game(name, **{field: value}).how_to_play for field, value in OTHERS[name].items()]
    assert len({make_game(name).how_to_play, *texts}) == 1 + len(texts)
    shared = {field.name for field in fields(Jujitsu)}  # tested once, in one duel or another
    assert {field.name for field in fields(GAMES[name])} - shared <= set(OTHERS[name])


@each_row(
    ("parameters", "words"),
    [
        (
            {"hand_0": (2, 3, 6), "hand_1": (1, 3, 5)},
            "In seat 0 you hold the cards 2, 3 and 6, in seat 1 the cards 1, 3 and 5.",
        ),
        (
            {"hand_0": (0, *range(2, 90, 2)), "hand_1": range(1, 46)},
            "16, 18, 20, 22, ..., 88, in seat 1 the cards 1 to 45.",
        ),
        ({"num_cards": 1}, "each hold the card 1."),
    ],
)
def test_any_hands_have_words(parameters, words):
    assert words in make_game("jujitsu", **parameters).how_to_play


def test_a_text_is_no_rule_and_a_changed_rule_drops_it():
    class Rhymed(Jujitsu):
        @property
        def how_to_play(self):
            return "The higher card, it takes the trick."

    class LowestWins(Rhymed):
        def trick_outcomes(self, rank_0, rank_1):
            return ((CERTAIN, (rank_0 < rank_1) - (rank_0 > rank_1)),)

    assert same_rules_as(Rhymed(), Jujitsu)
    assert all(getattr(Rhymed, claim) is getattr(Jujitsu, claim) for claim in CLAIMS if claim != "how_to_play")
    assert "takes the trick" in Rhymed().how_to_play
    game = LowestWins(num_cards=3)
    assert game.how_to_play == Game.how_to_play.fget(game)
    assert "The moves are 1, 2 and 3;" in game.how_to_play


@each_row(
    ("name", "parameters", "said", "unsaid"),
    [
        (
            "dice_poker",
            {},
            "seat 0 the moves are check and raise, in seat 1 fold and call.*hidden.*how the game begins",
            "hance may",
        ),
        (
            "lowest_unique",
            {"num_players": 4, "payoff": "prize"},
            "against 3 opponents.*at most 1 turn",
            "loses?;|hidden|hance",
        ),
        ("war", {}, "every player whose turn it is.*at most 4,000 turns", "The moves are"),
    ],
)
def test_any_game_has_words_from_its_facts(name, parameters, said, unsaid):
    text = Game.how_to_play.fget(make_game(name, **parameters))
    assert re.search(said, text)
    assert not re.search(unsaid, text)
