"""Every game of the suite at sizes at which its whole tree can be walked.

A game joins by being in `GAMES`; it says itself what its smallest size is (`Game.smallest`). A game that shows too
little at that size can have a larger one here.

Tests that are parametrised with `each_of` run on the games in `CHOSEN`, and on all with `--wide`.
"""

from itertools import product

from thinning import covering, parametrize

from cardwar_envs import GAMES, Duel, War, make_game
from cardwar_envs.games.dice_poker import DicePoker

# What can be switched in a duel: (ties, payoff), and hands that differ in every way.
SWITCHES = list(product(("carry", "discard"), ("win", "margin")))
UNLIKE_HANDS = [
    ((2, 3, 6), (1, 3, 5)),
    ((1, 1, 2, 4), (2, 3, 3, 4)),
    ((2, 2, 5, 7), (1, 4, 5, 6)),
    ((3, 3, 3, 3), (1, 2, 3, 4)),
    ((1, 1, 1), (2, 2, 2)),
    ((2, 2, 2), (2, 2, 2)),
    ((1, 3, 3, 5), (1, 3, 3, 5)),
]
DUEL_HANDS = [((1, 2, 3), (1, 2, 3)), ((1, 1, 2), (1, 2, 2)), ((2, 3, 6), (1, 3, 5)), ((2, 2, 2), (1, 2, 4))]


# At its smallest nobody can go to war.
LARGER = {"war": {"ranks": 3, "discards": 1, "max_rounds": 4}}


def tiny(kind, **parameters):
    """The game of that class with these parameters, at its smallest unless `LARGER` has it."""
    game = kind(**parameters)
    return kind(**parameters, **LARGER[kind.name]) if kind.name in LARGER else game.smallest() or game


def _name(game):
    parts = [type(game).__name__]
    for value in game.parameters().values():
        parts.append("".join(map(str, value)) if isinstance(value, tuple) else str(value))
    return "-".join(parts)


EVERY_GAME = [tiny(kind) for kind in GAMES.values()]
DUELS = [
    make_game("dinosaur_war", hand_0=first, hand_1=second, ties=ties, payoff=payoff)
    for first, second in DUEL_HANDS
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]
DICE = [
    make_game("dice_wars", hand_0=first, hand_1=second, sides=3, ties=ties, payoff=payoff)
    for first, second in (((1, 2, 2), (1, 1, 3)), ((1, 2), (1, 2)))
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]
WORDS = [
    make_game("jujitsu", num_cards=4, view="word"),
    *(
        make_game("dinosaur_war", hand_0=first, hand_1=second, ties=ties, payoff=payoff, view="word")
        for first, second in [*DUEL_HANDS[:3], ((1, 4, 5), (2, 3, 6))]
        for ties in ("discard", "carry")
        for payoff in ("margin", "win")
    ),
]
GOOFSPIEL = [
    make_game("goofspiel", num_cards=3, prizes=prizes, ties=ties, payoff=payoff, view=view)
    for prizes in ("random", "descending", "ascending")
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
    for view in ("cards", "word")
]
OTHERS = [
    make_game("oshi_zumo", coins=3, size=1, min_bid=0, horizon=3),
    make_game("oshi_zumo", coins=3, size=1, min_bid=2, alesia=True),
    make_game("lowest_unique", num_players=2, numbers=3, rounds=2),
    make_game("lowest_unique", num_players=3, numbers=3, rounds=2, payoff="prize"),
]
TINY_GAMES = {
    _name(game): game
    for game in [*EVERY_GAME, make_game("jujitsu", num_cards=4), *DUELS, *DICE, *WORDS, *GOOFSPIEL, *OTHERS]
}
SOLVABLE = {
    name: game
    for name, game in TINY_GAMES.items()
    if game.facts.num_players == 2 and game.facts.zero_sum and game.facts.public_state
}


def features(game):
    """What the tiny games differ in."""
    found = {"family": type(game).__name__, **game.parameters()}
    if "hand_0" in found:
        first, second = found.pop("hand_0"), found.pop("hand_1")
        found["hands"] = "alike" if first == second else "unlike"
        found["duplicates"] = len({*first}) + len({*second}) < len(first) + len(second)
    return found


def _chosen(games, strength):
    return [list(games)[place] for place in covering([features(game) for game in games.values()], strength)]


# Of games whose rules have kernels or solvers of their own each pair of values of two features comes up, of the others
# each value.
BY_PAIRS = {name: game for name, game in TINY_GAMES.items() if isinstance(game, (Duel, War, DicePoker))}
BY_VALUES = {name: game for name, game in TINY_GAMES.items() if name not in BY_PAIRS}
CHOSEN = [*_chosen(BY_PAIRS, 2), *_chosen(BY_VALUES, 1)]


def each_of(games):
    """Parametrises a test with `game`: those of a dict name -> game; tiny games not in `CHOSEN` need `--wide`."""
    always = [place for place, name in enumerate(games) if name in CHOSEN or name not in TINY_GAMES]
    return parametrize(["game"], [(game,) for game in games.values()], always, list(games))
