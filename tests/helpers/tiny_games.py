"""Every game of the suite at sizes at which its whole tree can be walked.

A game joins by being in `GAMES`: whatever of `SMALL` it has as a parameter is set to that.

Tests that are parametrised with `each_of` run on the games in `CHOSEN`, and on all with `--wide`.
"""

import dataclasses

from thinning import covering, parametrize

from cardwar_envs import GAMES, make_game

SMALL = {"num_cards": 3, "sides": 2, "ranks": 3, "discards": 1, "max_rounds": 4}
DUEL_HANDS = [((1, 2, 3), (1, 2, 3)), ((1, 1, 2), (1, 2, 2)), ((2, 3, 6), (1, 3, 5)), ((2, 2, 2), (1, 2, 4))]


def _small(name):
    fields = {field.name for field in dataclasses.fields(GAMES[name])}
    return make_game(name, **{key: value for key, value in SMALL.items() if key in fields})


def _name(game):
    parts = [type(game).__name__]
    for value in game.parameters().values():
        parts.append("".join(map(str, value)) if isinstance(value, tuple) else str(value))
    return "-".join(parts)


EVERY_GAME = [_small(name) for name in GAMES]
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
TINY_GAMES = {_name(game): game for game in [*EVERY_GAME, make_game("jujitsu", num_cards=4), *DUELS, *DICE, *WORDS]}
SOLVABLE = {
    name: game
    for name, game in TINY_GAMES.items()
    if game.facts.num_players == 2 and game.facts.zero_sum and game.facts.public_state
}


def features(game):
    """What the tiny games differ in; among `CHOSEN` each pair of values of two features comes up."""
    found = {"family": type(game).__name__, **game.parameters()}
    if "hand_0" in found:
        first, second = found.pop("hand_0"), found.pop("hand_1")
        found["hands"] = "alike" if first == second else "unlike"
        found["duplicates"] = len({*first}) + len({*second}) < len(first) + len(second)
    return found


CHOSEN = [list(TINY_GAMES)[place] for place in covering([features(game) for game in TINY_GAMES.values()], 2)]


def each_of(games):
    """Parametrises a test with `game`: those of a dict name -> game; tiny games not in `CHOSEN` need `--wide`."""
    always = [place for place, name in enumerate(games) if name in CHOSEN or name not in TINY_GAMES]
    return parametrize(["game"], [(game,) for game in games.values()], always, list(games))
