"""Measures how fast games are solved and policies evaluated: ours on Jujitsu, OpenSpiel on goofspiel.

Usage: cardwar bench solving [--rounds 5] [--long]

The games differ: in Jujitsu all tricks count alike and ties carry over; in goofspiel a trick is worth its prize
card. But they have the same size. In both, two players with the same n cards play one card each in every trick,
simultaneously and openly (goofspiel with prizes in descending order, perfect information, win_loss). So both have
(n!)^2 histories, the same hands after every trick, and the same choices. The benchmark compares algorithms:
OpenSpiel's traverse histories, ours traverse states.

Every measurement is one solution in a fresh process; start and imports are not counted. A peer is abandoned
when its process reaches a time limit (90 s); its value iteration with 5 cards is measured once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lab.benchmarks.comparison import Comparison, Sample, Settings, by_cards, clocked, in_child

SPIEL = "OpenSpiel"
SOLVERS = {f"{SPIEL} sequence form": "spiel_sequence_form", f"{SPIEL} value iteration": "spiel_value_iteration"}
# Those of 6 cards take 20 s and more each, or do not end.
SIZES, LONG_SIZES = (4, 5), (4, 5, 6)
UNIFORM_SIZES = range(4, 14)
ROUNDS = 3


def ours_nash_conv(num_cards: int) -> Sample:
    from baselines import nash_conv
    from cardwar_envs import make_game

    nash_conv(make_game("jujitsu", num_cards=3), "uniform")  # compiles
    game = make_game("jujitsu", num_cards=num_cards)
    return clocked(lambda: nash_conv(game, "uniform"), lambda found: {"exploitability": found.total / 2})


def ours_solution(num_cards: int) -> Sample:
    from baselines import solve
    from cardwar_envs import make_game

    solve(make_game("jujitsu", num_cards=3))  # compiles
    game = make_game("jujitsu", num_cards=num_cards)
    return clocked(lambda: solve(game), lambda found: {"gap": found.gap})


def _goofspiel(num_cards: int, by_turns: bool = True):  # type: ignore[no-untyped-def]  # OpenSpiel has no types
    import pyspiel

    order = "points_order=descending,returns_type=win_loss,imp_info=False"
    game = pyspiel.load_game(f"goofspiel(num_cards={num_cards},{order})")
    return pyspiel.convert_to_turn_based(game) if by_turns else game


def spiel_nash_conv(num_cards: int, python: bool) -> Sample:
    import pyspiel
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    game = _goofspiel(num_cards)
    if python:
        work = partial(exploitability.nash_conv, game, policy.UniformRandomPolicy(game))
    else:
        work = partial(pyspiel.nash_conv, game, pyspiel.UniformRandomPolicy(game), True)
    return clocked(work, lambda total: {"exploitability": float(total) / 2})


def spiel_sequence_form(num_cards: int) -> Sample:
    from open_spiel.python.algorithms import sequence_form_lp

    game = _goofspiel(num_cards)
    return clocked(lambda: sequence_form_lp.solve_zero_sum_game(game))


def spiel_value_iteration(num_cards: int) -> Sample:
    from open_spiel.python.algorithms import value_iteration

    game = _goofspiel(num_cards, by_turns=False)
    return clocked(lambda: value_iteration.value_iteration(game, -1, 1e-6))


def comparisons(settings: Settings) -> list[Comparison]:
    """Compares our NashConv and solutions with OpenSpiel's, then measures our NashConv alone for more sizes."""
    sizes = [size for size in (LONG_SIZES if settings.long else SIZES) if size <= settings.most_cards]
    nash_conv = Comparison(
        title="Exploitability of uniform play at Jujitsu",
        unit="policies",
        ours=by_cards(f"{__name__}:ours_nash_conv", UNIFORM_SIZES, settings.most_cards),
        timed=True,
        facts={"exploitability": ".6f"},
        rounds=ROUNDS,
    )
    limited = partial(in_child, limit=settings.limit)
    found = []
    for size in sizes:
        peers = {
            f"{SPIEL} {language}": limited(f"{__name__}:spiel_nash_conv", size, python, needs=("pyspiel",))
            for language, python in (("C++", False), ("Python", True))
        }
        ours = {"ours": in_child(f"{__name__}:ours_nash_conv", size)}
        title = f"NashConv of uniform play, {size} cards"
        found.append(replace(nash_conv, title=title, ours=ours, peers=peers, against=tuple(peers)))
    for size in sizes:
        for name, function in SOLVERS.items():
            peer = limited(f"{__name__}:{function}", size, needs=("pyspiel", "cvxpy", "ecos"))
            found.append(
                Comparison(
                    title=f"Equilibrium, {size} cards",
                    unit="games",
                    peers={name: peer},
                    ours={"ours": in_child(f"{__name__}:ours_solution", size)},
                    against=(name,),
                    timed=True,
                    facts={"gap": ".0e"},
                    # Value iteration takes over half a minute for 5 cards.
                    rounds=1 if size > 4 and "value" in function else ROUNDS,
                )
            )
    return [*found, nash_conv]
