"""WAR 2017: repeats the source's simulation, and judges its claims about the results.

The source's figures are curves without numbers, so only its statements about them can be judged. Our curves are in
`points.csv` with 95 % intervals. A difference is significant if chance alone produces one as large in at most 5 % of
all such sets of comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import sqrt
from statistics import NormalDist

from baselines.oracles.answers.protocol import Progress
from cardwar_envs.core.play import play_episode
from cardwar_envs.core.policy import Uniform
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import utility
from lab.papers.findings import STANDARD_ERRORS, Finding, Reproduction, Table, judge, new
from lab.papers.war import PAPER
from lab.papers.war import adversary_search as adversary
from lab.papers.war import win_ratios as simulation
from lab.papers.war.adversary_search import Played, Result, Search
from lab.papers.war.win_ratios import Estimate, Point

SIMULATION, ADVERSARY = "Section IV", "Section III.F"
# Probability of a false alarm in a whole set of comparisons.
SIGNIFICANCE = 0.05
# Games played by the rules themselves against one random player, to check the simulation.
RULES_GAMES = 300

printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Plays the source's games, judges its claims, and searches for opponents that beat its adversary."""
    points = simulation.play(progress)
    played = [game for name in adversary.ADVERSARIES for game in adversary.line_ups(name)]
    searches = {name: adversary.searches(name) for name in adversary.ADVERSARIES}
    return Reproduction(
        findings=(*rule_findings(), *simulation_findings(points), *adversary_findings(played, searches)),
        checks={
            f"{RULES_GAMES} games by the rules themselves win as often as the simulation": rules_agree(points),
            "every opponent found to beat the adversary does so when it is played": all(
                found.moves for each in searches.values() for found in each if found.beaten_in is not None
            ),
        },
        tables={
            "points": simulation.points_table(points),
            "line_ups": line_up_table(played),
            "counterexamples": counterexample_table(searches),
        },
        pictures={"figures_2_to_7": partial(simulation.draw, points)},
    )


def rules_agree(points: Sequence[Point]) -> bool:
    """Returns whether SimpleMindedPlayer1 beats one random player as often in games that `War` itself plays."""
    game = War(max_rounds=100_000)
    policies = [named_policy(simulation.STRATEGIES[0], game), Uniform(game)]
    wins = sum(
        play_episode(game, policies, seed=simulation.SEED + number).states[-1].live == (0,)
        for number in range(RULES_GAMES)
    )
    simulated = next(p for p in points if p.strategy == simulation.STRATEGIES[0] and p.opponents == 1).win_ratio
    error = sqrt(simulated.mean * (1 - simulated.mean) / RULES_GAMES + simulated.error**2)
    return abs(wins / RULES_GAMES - simulated.mean) <= STANDARD_ERRORS * error


def rule_findings() -> Iterator[Finding]:
    """Judges statements of sections I and II about the end of a game."""
    game, names = War(), simulation.STRATEGIES
    end = play_episode(game, names, seed=0).states[-1]
    reason = f"e.g. {' v. '.join(names)}: both lose all cards to the pot in round {game.rounds - end.rounds_left}"
    yield judge(printed("Section I", "a game can end without a winner"), not end.live, reason)
    winner = play_episode(game, ("min", "simple_minded_1"), seed=0).states[-1]
    # The pot of an undecided war is won with the next round, so the winner holds every card.
    of_winner = Fraction(utility(winner, winner.live[0]), game.num_players)
    yield judge(printed("Section II", "the winner's utility at the end, per player of the game"), of_winner)
    of_all = Fraction(sum(utility(end, player) for player in range(game.num_players)))
    yield judge(printed("Section II", "utility of all players when nobody wins"), of_all)


def simulation_findings(points: Sequence[Point]) -> Iterator[Finding]:
    """Judges statements of section IV about the curves."""
    yield judge(printed(SIMULATION, "games per strategy and number of opponents"), Fraction(points[0].games))
    yield judge(printed(SIMULATION, "games in all"), float(sum(point.games for point in points)))
    yield more_wins(points)
    yield same_rounds(points, "mean_rounds", "no significant difference in the mean number of rounds")
    yield same_rounds(points, "std_rounds", "no significant difference in the standard deviation of rounds")
    first = [p for p in points if p.strategy == simulation.STRATEGIES[0]]
    for name, extreme in (("least", min), ("greatest", max)):
        point = extreme(first, key=lambda p: p.win_ratio.mean)
        claim = printed("Figure 2", f"{name} win ratio of SimpleMindedPlayer1, by the axis")
        reason = f"against {point.opponents} random players; the axis is labelled in steps of 0.1"
        yield judge(claim, point.win_ratio.mean, reason)
    longest = max(points, key=lambda point: point.longest)
    reason = f"{longest.strategy} against {longest.opponents} random players"
    yield new(SIMULATION, "rounds of the longest game won", longest.longest, reason)


def more_wins(points: Sequence[Point]) -> Finding:
    """Judges whether the second strategy wins more often than the first."""
    apart, better, worse = _differences(points, "win_ratio")
    ends = f" ({better[0]} to {better[-1]})" if better else ""
    reason = (
        f"over all numbers of opponents combined; significantly more often for {len(better)} of the {len(apart)} "
        f"numbers{ends}, and less often for {len(worse)}; {min(apart):+.1f} to {max(apart):+.1f} standard errors apart"
    )
    claim = printed(SIMULATION, "SimpleMindedPlayer2 wins more often than SimpleMindedPlayer1")
    return judge(claim, not worse and sum(apart) / sqrt(len(apart)) > _bar(1), reason)


def same_rounds(points: Sequence[Point], attribute: str, claim: str) -> Finding:
    """Judges whether a statistic of rounds is the same for both strategies, for every number of opponents."""
    _, longer, shorter = _differences(points, attribute)
    shares = [second.mean / first.mean - 1 for first, second in _estimates(points, attribute)]
    reason = (
        f"SimpleMindedPlayer2's is significantly greater for {_numbers(longer)}, smaller for {_numbers(shorter)}; "
        f"from {min(shares):+.1%} to {max(shares):+.1%} of SimpleMindedPlayer1's"
    )
    return judge(printed(SIMULATION, claim), not longer and not shorter, reason)


def _estimates(points: Sequence[Point], attribute: str) -> list[tuple[Estimate, Estimate]]:
    """Returns a statistic of both strategies for each number of opponents."""
    return [(getattr(first, attribute), getattr(second, attribute)) for first, second in simulation.pairs(points)]


def _differences(points: Sequence[Point], attribute: str) -> tuple[list[float], list[int], list[int]]:
    """Returns the difference between the strategies for each number of opponents, in standard errors.

    Also returns the numbers of opponents at which the second is significantly above, and below, the first.
    """
    apart = [second.apart(first) for first, second in _estimates(points, attribute)]
    opponents, bar = [first.opponents for first, _ in simulation.pairs(points)], _bar(len(apart))
    above, below = ([n for n, z in zip(opponents, apart, strict=True) if sign * z > bar] for sign in (1, -1))
    return apart, above, below


def _bar(comparisons: int) -> float:
    """Returns the number of standard errors that any of these comparisons exceeds by chance with probability 1/20."""
    return -NormalDist().inv_cdf(SIGNIFICANCE / comparisons / 2)


def _numbers(opponents: Sequence[int]) -> str:
    """E.g. `no number of opponents`, `5 opponents`, `12 numbers of opponents (between 3 and 40)`."""
    if len(opponents) <= 3:
        return f"{', '.join(map(str, opponents)) or 'no number of'} opponents"
    return f"{len(opponents)} numbers of opponents (between {opponents[0]} and {opponents[-1]})"


def adversary_findings(played: Sequence[Played], searches: Mapping[str, Sequence[Search]]) -> Iterator[Finding]:
    """Judges the claim, and reports the results for each version of the adversary."""
    lost = [game for game in played if game.result is Result.LOST]
    beaten = {name: [found for found in each if found.beaten_in is not None] for name, each in searches.items()}
    reason = "no line-up and no opponent on a small deck beats it"
    if lost:
        game = lost[0]
        names = ", ".join(game.line_up[1:])
        reason = f"counterexample: {game.line_up[0]} is out against {names} in round {game.rounds}"
    elif every := [found for each in beaten.values() for found in each]:
        where = f"{_deck(every[0].game)} by a deterministic opponent in round {every[0].beaten_in}"
        reason = f"counterexample: beaten on {where}"
    claim = printed(ADVERSARY, "the adversary at least ties with any known strategies")
    yield judge(claim, not lost and not any(beaten.values()), reason)
    results = Counter((game.line_up[0], game.result) for game in played)
    for name, result in product(searches, Result):
        item = f"{name}: line-ups of 1 to {adversary.MOST_OTHERS} others, {result}"
        yield new(ADVERSARY, item, results[name, result], "full deck")
    for name, each in searches.items():
        decks = ", ".join(f"{found.game.ranks}/{found.game.discards}" for found in each)
        reason = f"every answer of every opponent followed, {sum(found.positions for found in each):,} positions"
        item = f"{name}: decks (ranks/discards {decks}) on which an opponent beats it"
        yield new(ADVERSARY, item, len(beaten[name]), reason)
        if beaten[name]:
            found = min(beaten[name], key=lambda found: (found.beaten_in, len(found.moves)))
            item = f"{name}: rounds in which an opponent beats it on {_deck(found.game)}"
            yield new(ADVERSARY, item, found.beaten_in or 0, f"adversary v. opponent: {'; '.join(found.moves)}")


def _deck(game: War) -> str:
    return f"{game.ranks} ranks and {game.discards} discards"


def line_up_table(played: Sequence[Played]) -> Table:
    """Returns a heading row and one row per line-up."""
    rows = [
        [game.line_up[0], " ".join(game.line_up[1:]), game.result, game.rounds, "yes" if game.endless else "no"]
        for game in played
    ]
    return [["seat 0", "others", "result", "rounds", "endless"], *rows]


def counterexample_table(searches: Mapping[str, Sequence[Search]]) -> Table:
    """Returns a heading row and one row per adversary and deck."""
    rows = [
        [name, each.game.ranks, each.game.discards, each.positions, each.beaten_in or "never", "; ".join(each.moves)]
        for name, found in searches.items()
        for each in found
    ]
    return [["adversary", "ranks", "discards", "positions", "beaten in round", "moves (adversary v. opponent)"], *rows]
