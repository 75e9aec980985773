"""How fast whole games are solved, and policies measured: ours on Jujitsu beside OpenSpiel on goofspiel.

Usage: python -m benchmarks.solving [--rounds 5] [--long]

The games differ: Jujitsu's tricks count alike and ties carry over, goofspiel's are worth their prize card.
Sizes compare all the same. In both, two players with the same n cards each bid all of them, one a trick,
at once and in sight (goofspiel with prizes in descending order, perfect information, win_loss): the same
(n!)^2 courses, the same hands left after every trick, the same choices. What the algorithms make of it is
what is compared: OpenSpiel's go through histories, ours through states.

Every measurement is made in a fresh process, on one solution from nothing; start and imports are not
counted. A peer's is given up when the process has run for a time limit (90 s); value iteration of
5 cards is measured once.
"""

from __future__ import annotations

from benchmarks.comparison import Comparison, Sample, Settings, clocked, in_child

SPIEL = "OpenSpiel"
CPP, PYTHON = f"{SPIEL} C++", f"{SPIEL} Python"
SOLVERS = {f"{SPIEL} sequence form": "spiel_sequence_form", f"{SPIEL} value iteration": "spiel_value_iteration"}
# Those of 6 cards take 20 s and more each, or do not end.
SIZES, LONG_SIZES = (4, 5), (4, 5, 6)
UNIFORM_SIZES = (4, 5, 6, 7, 8, 9, 10, 11, 12)
ROUNDS = 3


def ours_nash_conv(num_cards: int) -> Sample:
    from baselines import nash_conv
    from cardwar_envs import make_game

    nash_conv(make_game("jujitsu", num_cards=3), "uniform")  # compiles
    total: list[float] = []
    sample = clocked(lambda: total.append(nash_conv(make_game("jujitsu", num_cards=num_cards), "uniform").total))
    return sample._replace(facts={"exploitability": total[0] / 2})


def ours_solution(num_cards: int) -> Sample:
    from baselines import solve
    from cardwar_envs import make_game

    solve(make_game("jujitsu", num_cards=3))  # compiles
    gaps: list[float] = []
    sample = clocked(lambda: gaps.append(solve(make_game("jujitsu", num_cards=num_cards)).gap))
    return sample._replace(facts={"gap": gaps[0]})


def _goofspiel(num_cards: int):  # type: ignore[no-untyped-def]  # OpenSpiel has no types
    import pyspiel

    order = "points_order=descending,returns_type=win_loss,imp_info=False"
    return pyspiel.load_game(f"goofspiel(num_cards={num_cards},{order})")


def spiel_nash_conv(num_cards: int, python: bool) -> Sample:
    import pyspiel
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    game = pyspiel.convert_to_turn_based(_goofspiel(num_cards))
    total: list[float] = []
    if python:
        uniform = policy.UniformRandomPolicy(game)
        sample = clocked(lambda: total.append(exploitability.nash_conv(game, uniform)))
    else:
        uniform = pyspiel.UniformRandomPolicy(game)
        sample = clocked(lambda: total.append(pyspiel.nash_conv(game, uniform, True)))
    return sample._replace(facts={"exploitability": float(total[0]) / 2})


def spiel_sequence_form(num_cards: int) -> Sample:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.convert_to_turn_based(_goofspiel(num_cards))
    return clocked(lambda: sequence_form_lp.solve_zero_sum_game(game))


def spiel_value_iteration(num_cards: int) -> Sample:
    from open_spiel.python.algorithms import value_iteration

    game = _goofspiel(num_cards)
    return clocked(lambda: value_iteration.value_iteration(game, -1, 1e-6))


def _nash_conv(num_cards: int, limit: float) -> Comparison:
    spiel = f"{__package__}.solving:spiel_nash_conv"
    return Comparison(
        title=f"NashConv of uniform play, {num_cards} cards",
        unit="policies",
        peers={
            CPP: in_child(spiel, num_cards, False, limit=limit, needs=("pyspiel",)),
            PYTHON: in_child(spiel, num_cards, True, limit=limit, needs=("pyspiel",)),
        },
        ours={"ours": in_child(f"{__package__}.solving:ours_nash_conv", num_cards)},
        against=(CPP, PYTHON),
        timed=True,
        facts={"exploitability": ".6f"},
        rounds=ROUNDS,
    )


def _solution(num_cards: int, limit: float, peer: str, function: str, rounds: int) -> Comparison:
    here = f"{__package__}.solving"
    return Comparison(
        title=f"Equilibrium, {num_cards} cards",
        unit="games",
        peers={peer: in_child(f"{here}:{function}", num_cards, limit=limit, needs=("pyspiel", "cvxpy", "ecos"))},
        ours={"ours": in_child(f"{here}:ours_solution", num_cards)},
        against=(peer,),
        timed=True,
        facts={"gap": ".0e"},
        rounds=rounds,
    )


def comparisons(settings: Settings) -> list[Comparison]:
    """NashConv and solutions beside OpenSpiel's, then NashConv of ours alone by size."""
    sizes = [size for size in (LONG_SIZES if settings.long else SIZES) if size <= settings.most_cards]
    alone = Comparison(
        title="Exploitability of uniform play at Jujitsu",
        unit="policies",
        ours={
            f"{size} cards": in_child(f"{__package__}.solving:ours_nash_conv", size)
            for size in UNIFORM_SIZES
            if size <= settings.most_cards
        },
        timed=True,
        facts={"exploitability": ".6f"},
        rounds=ROUNDS,
    )
    beside = [_nash_conv(size, settings.limit) for size in sizes]
    for size in sizes:
        for peer, function in SOLVERS.items():
            rounds = 1 if size > 4 and "value" in function else ROUNDS  # over half a minute for 5 cards
            beside.append(_solution(size, settings.limit, peer, function, rounds))
    return [*beside, alone]


if __name__ == "__main__":
    from benchmarks.suite import alone

    alone("solving")
