"""How a game is played, in words that fit its parameters; the text is no rule, and never that of other rules."""

import re
from dataclasses import fields
from itertools import product

from thinning import each_row

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import GAMES, Game, make_game
from cardwar_envs.core.game import CERTAIN, CLAIMS, same_rules_as
from cardwar_envs.games.jujitsu import Jujitsu
from train.text.game_names import game_from_words

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


class Move:
    """A joint move in a small game: `p` in the checks below."""

    def __init__(self, game, state, chosen, outcome):
        self.g, self.s, self.n, self.paid, self.share = game, state, outcome.state, outcome.rewards, outcome.probability
        self.does = [game.describe_action(action, player) for player, action in chosen.items()]
        self.by, self.ends = [*chosen], not game.acting_players(outcome.state)

    @property
    def won(self):
        """1 if player 0 chose the higher number, -1 if player 1 did."""
        first, second = map(int, self.does)
        return (first > second) - (first < second)

    def gone(self, before, after):
        """Whether the cards that the players chose have left their hands."""
        return [tuple(sorted((*hand, int(card)))) for hand, card in zip(after, self.does, strict=True)] == [*before]


def sign(number):
    return (number > 0) - (number < 0)


OPEN = ("Both hands are open.", lambda p: p.g.facts.public_state)
START = (
    "You and your opponent each hold the cards 1 to 3.",
    lambda p: p.g.initial()[0].state.hands == ((1, 2, 3),) * 2,
)
PLAYED = ("The game ends when all cards are played.", lambda p: p.ends == (not any(p.n.hands)))
CHOOSE = ("In each trick, you both choose a card at the same time.", lambda p: p.by == [0, 1])
GONE = "both cards are gone."
# A game -> the sentences of its text, each with what it says of every move.
SENTENCES = {
    "jujitsu num_cards=3": [
        (
            "The player who has won more tricks wins 1 point from the other; with equal numbers, it is a draw.",
            lambda p: p.paid[0] == (sign(p.n.score) if p.ends else 0) == -p.paid[1],
        ),
        *(START, OPEN, CHOOSE),
        (
            f"The higher card wins the trick; {GONE}",
            lambda p: p.gone(p.s.hands, p.n.hands) and (not p.won or p.n.score == p.s.score + p.won * (1 + p.s.ties)),
        ),
        (
            "If both cards are equal, the winner of the next trick that is not tied also wins this trick; if there is "
            "none, nobody does.",
            lambda p: p.won or (p.n.score == p.s.score and (p.ends or p.n.ties == p.s.ties + 1)),
        ),
        PLAYED,
    ],
    "dinosaur_war num_cards=3": [
        (
            "The loser of each trick pays 1 point to its winner: win as many as you can.",
            lambda p: p.paid == (p.won, -p.won),
        ),
        *(START, OPEN, CHOOSE),
        (f"The higher card wins the trick; {GONE}", lambda p: p.gone(p.s.hands, p.n.hands)),
        ("If both cards are equal, nobody wins the trick.", lambda p: p.won or p.n.score == p.s.score),
        PLAYED,
    ],
    "goofspiel num_cards=3": [
        (
            "The winner of a prize gets its points from the other player: win as many as you can.",
            lambda p: p.paid == (p.won * p.s.prize, -p.won * p.s.prize),
        ),
        *(START, OPEN),
        (
            "Prizes of 1 to 3 points are turned up one at a time, in random order.",
            lambda p: (
                p.ends or (p.share * len(p.s.prizes) == 1 and sorted((*p.n.prizes, p.n.prize)) == sorted(p.s.prizes))
            ),
        ),
        ("For each, you both bid a card at the same time.", lambda p: p.by == [0, 1]),
        (f"The higher card wins the prize; {GONE}", lambda p: p.gone(p.s.hands, p.n.hands)),
        ("If both cards are equal, nobody wins the prize.", lambda p: p.won or p.paid == (0, 0)),
        PLAYED,
    ],
    "oshi_zumo coins=4 size=1": [
        (
            "The player who pushes the wrestler off the row at the other's end wins 1 point from the other.",
            lambda p: abs(p.n.position) < 2 or p.paid == (sign(p.n.position), -sign(p.n.position)),
        ),
        ("You and your opponent have 4 coins each.", lambda p: p.g.initial()[0].state.coins == (4, 4)),
        (
            "The wrestler stands in the middle of a row of 3 fields; in texts it is W.",
            lambda p: p.g.initial()[0].state.position == 0 and abs(p.s.position) <= 1,
        ),
        (
            "In each move, you both bid some of your coins at the same time, at least 1 (none if you have fewer); what "
            "you bid is gone.",
            lambda p: (
                p.by == [0, 1]
                and all(
                    (1 if has else 0) <= int(bid) == has - left
                    for has, left, bid in zip(p.s.coins, p.n.coins, p.does, strict=True)
                )
            ),
        ),
        (
            "The higher bid pushes the wrestler one field towards the other player; equal bids leave it where it is.",
            lambda p: p.n.position == p.s.position + p.won,
        ),
        (
            "The game ends when the wrestler is off the row, or when neither of you has a coin left.",
            lambda p: p.ends == (abs(p.n.position) > 1 or not any(p.n.coins)),
        ),
        (
            "If it is still on the row then, the player on whose side of the middle it stands loses 1 point to the "
            "other; in the middle, it is a draw.",
            lambda p: not p.ends or p.paid[0] == sign(p.n.position),
        ),
    ],
    "dice_poker sides=3": [
        (
            "The higher roll wins, unless a player raises and the other folds.",
            lambda p: p.does == ["raise", "fold"] or sign(p.paid[0]) == sign(p.s.rolls[0] - p.s.rolls[1]),
        ),
        (
            "You and your opponent both put in 1 point and roll a die with faces 1 to 3.",
            lambda p: len(p.g.initial()) == 9 and {*p.s.rolls} <= {1, 2, 3},
        ),
        ("You see only your own roll.", lambda p: [p.g.observation(p.s, me)[0] for me in (0, 1)] == [*p.s.rolls]),
        ("Then you both choose, once and at the same time.", lambda p: p.by == [0, 1] and p.ends),
        (
            "In seat 0 you check or raise; in seat 1 you decide whether to fold or to call if the other raises.",
            lambda p: p.does[0] in ("check", "raise") and p.does[1] in ("fold", "call"),
        ),
        (
            "After a check, the higher roll wins 1 point from the other.",
            lambda p: p.does[0] == "raise" or p.paid[0] == sign(p.s.rolls[0] - p.s.rolls[1]) == -p.paid[1],
        ),
        (
            "After a raise and a fold, the player who raised wins 1 point, whatever was rolled.",
            lambda p: p.does != ["raise", "fold"] or p.paid == (1, -1),
        ),
        (
            "After a raise and a call, the higher roll wins 2 points.",
            lambda p: p.does != ["raise", "call"] or p.paid[0] == 2 * sign(p.s.rolls[0] - p.s.rolls[1]),
        ),
        (
            "Equal rolls win nothing.",
            lambda p: p.does == ["raise", "fold"] or p.s.rolls[0] != p.s.rolls[1] or not any(p.paid),
        ),
    ],
    "liars_dice sides=2": [
        ("Catch your opponent in a lie, or tell lies that are believed.", lambda p: True),
        (
            "You and your opponent each roll a die with faces 1 to 2; you see only your own.",
            lambda p: len(p.g.initial()) == 4 and p.g.observation(p.s, 0)[p.s.dice[0][0]] == 1,
        ),
        (
            "You take turns, seat 0 first; the other player waits.",
            lambda p: p.does[1 - len(p.s.bids) % 2] == "wait" != p.does[len(p.s.bids) % 2],
        ),
        (
            "A bid 1x2 says that at least one of all 2 dice shows a 2.",
            lambda p: "1x2" not in p.does or p.n.bids[-1] == 1,
        ),
        (
            "Dice that show a 2 count as every face.",
            lambda p: not p.ends or (liars(p)[1] == p.paid[liars(p)[0]]),
        ),
        (
            "Bid more than the last bid, with more dice, or with as many dice and a higher face; or call it a lie.",
            lambda p: not p.s.bids or p.ends or bid_of(p.n.bids[-1]) > bid_of(p.s.bids[-1]),
        ),
        ("That call is the move liar.", lambda p: p.ends == ("liar" in p.does)),
        (
            "Then all dice are shown, and if the bid is true, the player who made it wins 1 point from the other.",
            lambda p: not p.ends or sum(p.paid) == 0,
        ),
        ("Otherwise the player who called it a lie wins 1 point.", lambda p: not p.ends or {*p.paid} == {1, -1}),
    ],
    "lowest_unique num_players=3 numbers=3 rounds=2": [
        (
            "The lowest number that only one player has chosen wins; if there is none, nobody wins.",
            lambda p: p.n.last_winner == lowest(p) if not p.ends else (lowest(p) is not None) == any(p.paid),
        ),
        (
            "You and your 2 opponents each choose a number from 1 to 3, all at the same time.",
            lambda p: p.by == [0, 1, 2] and {*p.does} <= {"1", "2", "3"},
        ),
        (
            "The winner gets 1 point; the others pay it, 1/2 point each.",
            lambda p: (
                lowest(p) is None or all(each == (1 if me == lowest(p) else -0.5) for me, each in enumerate(p.paid))
            ),
        ),
        ("You play 2 such rounds.", lambda p: p.ends == (p.s.rounds_left == 1)),
        ("Get as many points as you can.", lambda p: True),
    ],
}


def bid_of(number, sides=2):
    return number // sides, number % sides


def liars(p):
    """The player who made the last bid, and what the bid wins it."""
    amount, face = bid_of(p.s.bids[-1])
    found = sum(own[0] in (face + 1, 2) for own in p.s.dice)
    return (len(p.s.bids) - 1) % 2, 1 if found > amount else -1


def lowest(p):
    alone = [number for number in p.does if p.does.count(number) == 1]
    return p.does.index(min(alone)) if alone else None


@each_row("words", SENTENCES)
def test_every_sentence_is_true_of_every_move(words):
    game = game_from_words(words.split()[0], words.split()[1:])
    assert game.how_to_play == " ".join(sentence for sentence, _ in SENTENCES[words])
    for state in full_graph(game, 5_000).states:
        acting = game.acting_players(state)
        for chosen in product(*(game.legal_actions(state, player) for player in acting)):
            actions = dict(zip(acting, chosen, strict=True))
            for outcome in game.transitions(state, actions):
                move = Move(game, state, actions, outcome)
                for sentence, holds in SENTENCES[words]:
                    assert holds(move), (sentence, state, move.does)
