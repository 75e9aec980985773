"""How a game is played, in words that fit its parameters; the text is no rule, and never that of other rules."""

import re
from dataclasses import fields

from thinning import each_row

from cardwar_envs import GAMES, Game, make_game
from cardwar_envs.core.game import CERTAIN, CLAIMS, same_rules_as
from cardwar_envs.games.jujitsu import Jujitsu

# Other values of every parameter, with what the text then says.
OTHERS = {
    "jujitsu": {
        "num_cards": (7, "1 to 7"),
        "ties": ("discard", "nobody wins the trick"),
        "payoff": ("margin", "loser of each trick"),
    },
    "dinosaur_war": {"ties": ("carry", "next trick"), "payoff": ("win", "more tricks"), "view": ("word", "renumbered")},
    "dice_wars": {"sides": (8, "1 to 8"), "payoff": ("win", "more battles"), "ties": ("carry", "next battle")},
    "war": {
        "num_players": (4, "1/3 point"),
        "ranks": (5, "2 to 6"),
        "discards": (2, "2 discards"),
        "max_rounds": (9, "9"),
    },
    "dice_poker": {"sides": (9, "1 to 9"), "ante": (3.0, "3 points"), "raise_size": (6.5, "7.5 points")},
    "goofspiel": {
        "num_cards": (6, "1 to 6"),
        "prizes": ("ascending", "lowest first"),
        "ties": ("carry", "added to"),
        "payoff": ("win", "1 point"),
        "view": ("word", "renumbered"),
        "bids": ("hidden", "Bids stay hidden"),
    },
    "oshi_zumo": {
        "coins": (40, "40 coins"),
        "size": (5, "11 fields"),
        "min_bid": (2, "at least 2"),
        "horizon": (8, "8 moves"),
        "alesia": (True, "then, it is a draw"),
    },
    "lowest_unique": {
        "num_players": (5, "1/4"),
        "numbers": (9, "1 to 9"),
        "rounds": (3, "3"),
        "payoff": ("prize", "nobody has"),
    },
}


@each_row("name", OTHERS)
def test_the_text_mentions_every_parameter_that_differs(name):
    usual = make_game(name).how_to_play
    for field, (value, words) in OTHERS[name].items():
        text = make_game(name, **{field: value}).how_to_play
        assert words in text, field
        assert words not in usual, field
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
    rhymed = type("Rhymed", (Jujitsu,), {"how_to_play": "The higher card, it takes the trick."})
    changed = type("LowestWins", (rhymed,), {"trick_outcomes": lambda *_: ((CERTAIN, 0),)})
    assert same_rules_as(rhymed(), Jujitsu)
    assert all(getattr(rhymed, claim) is getattr(Jujitsu, claim) for claim in CLAIMS if claim != "how_to_play")
    game = changed(num_cards=3)
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
