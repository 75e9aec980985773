"""WAR 2017: the month of simulation again, and the claims made about it.

The source's figures are curves without numbers, so what can be judged is what it says about them;
the curves themselves are in `points.csv` with 95 % intervals. A difference counts as significant
beyond what 5 % of all such sets of comparisons would show by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import sqrt

from scipy.stats import norm

from baselines.oracle import Progress
from baselines.published import WAR, figure
from baselines.reproduction.report import STANDARD_ERRORS, Number, Picture, Report, Row, Verdict, judged, number
from baselines.reproduction.war import adversary_search as war_adversary
from baselines.reproduction.war import win_ratios as war_figures
from baselines.reproduction.war.adversary_search import Played, Result, Search
from baselines.reproduction.war.win_ratios import Point
from baselines.strategies.generic import Uniform
from cardwar_envs.core.play import play_episode
from cardwar_envs.core.policy import named_policy
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import utility

SIMULATION, ADVERSARY = "Section IV", "Section III.F"
# Chance of a false alarm in a whole set of comparisons.
SIGNIFICANCE = 0.05
# Games played by the rules themselves, against one random player, to hold the simulation to.
RULES_GAMES = 300


def reproduce(progress: Progress | None = None) -> Report:
    """Plays the source's games, judges its claims, and looks for what beats its adversary.

    Args:
        progress: Called now and then with the number of games played.
    """
    points = war_figures.play(progress)
    played = {name: list(war_adversary.line_ups(name)) for name in war_adversary.ADVERSARIES}
    searches = {name: war_adversary.searches(name) for name in war_adversary.ADVERSARIES}
    checks = {
        f"{RULES_GAMES} games by the rules themselves win as often as the simulation": rules_agree(points),
        "every opponent found to beat the adversary does so when it is played": all(
            found.moves for each in searches.values() for found in each if found.beaten_in is not None
        ),
    }
    return Report(
        rows=(*rule_rows(), *simulation_rows(points), *adversary_rows(played, searches)),
        sound=all(checks.values()),
        pictures=(Picture("figures_2_to_7", partial(war_figures.draw, points)),),
        tables={
            "points": list(war_figures.points_table(points)),
            "line_ups": list(line_up_table(played)),
            "counterexamples": list(counterexample_table(searches)),
        },
        checks=checks,
    )


def rules_agree(points: Sequence[Point]) -> bool:
    """Whether SimpleMindedPlayer1 beats one random player as often when games are played by `War` itself."""
    game = War(max_rounds=100_000)
    policies = [named_policy(war_figures.STRATEGIES[0], game), Uniform(game)]
    wins = sum(
        play_episode(game, policies, seed=war_figures.SEED + number).states[-1].live == (0,)
        for number in range(RULES_GAMES)
    )
    simulated = next(p for p in points if p.strategy == war_figures.STRATEGIES[0] and p.opponents == 1).win_ratio
    error = sqrt(simulated.mean * (1 - simulated.mean) / RULES_GAMES + simulated.error**2)
    return abs(wins / RULES_GAMES - simulated.mean) <= STANDARD_ERRORS * error


# -- the rules and the simulation ----------------------------------------------------------------------


def rule_rows() -> Iterator[Row]:
    """What section I and II say of the end of a game."""
    names = ("simple_minded_1", "simple_minded_2")
    game = War()
    end = play_episode(game, names, seed=0).states[-1]
    yield judged(
        figure(WAR, "Section I", "a game can end without a winner"),
        not end.live,
        f"e.g. {' v. '.join(names)}: both lose all cards to the pot in round {game.rounds - end.rounds_left}",
    )
    winner = play_episode(game, ("min", "simple_minded_1"), seed=0).states[-1]
    # The pot of an undecided war is won with the next round, so the winner holds every card.
    of_winner = Fraction(utility(winner, winner.live[0]), game.num_players)
    yield judged(
        figure(WAR, "Section II", "the winner's utility at the end, per player of the game"),
        of_winner,
        "2 + 3 + ... + 13, the cards of one player; true unless the last war left cards in the pot",
    )
    yield judged(
        figure(WAR, "Section II", "utility of all players when nobody wins"),
        Fraction(sum(utility(end, player) for player in range(game.num_players))),
        "all cards are in the pot",
    )


def simulation_rows(points: Sequence[Point]) -> Iterator[Row]:
    """What section IV says of the curves."""
    games = sum(point.games for point in points)
    yield judged(
        figure(WAR, SIMULATION, "games per strategy and number of opponents"), Fraction(points[0].games), "played again"
    )
    yield judged(figure(WAR, SIMULATION, "games in all"), float(games), "two strategies, 1 to 100 opponents")
    yield _ratio_row(points)
    yield _rounds_row(points, "mean_rounds", "no significant difference in the mean number of rounds")
    yield _rounds_row(points, "std_rounds", "no significant difference in the standard deviation of rounds")
    first = [p for p in points if p.strategy == war_figures.STRATEGIES[0]]
    for name, least in (("least", True), ("greatest", False)):
        point = (min if least else max)(first, key=lambda p: p.win_ratio.mean)
        yield judged(
            figure(WAR, "Figure 2", f"{name} win ratio of SimpleMindedPlayer1, by the axis"),
            point.win_ratio.mean,
            f"against {point.opponents} random players; the axis is labelled in steps of 0.1",
        )
    longest = max(points, key=lambda point: point.longest)
    reason = f"{longest.strategy} against {longest.opponents} random players"
    yield Row(SIMULATION, "rounds of the longest game won", None, longest.longest, None, Verdict.NEW, reason)


def _ratio_row(points: Sequence[Point]) -> Row:
    pairs = war_figures.pairs(points)
    apart = [second.win_ratio.apart(first.win_ratio) for first, second in pairs]
    bar = _bar(len(pairs))
    better, worse = ([p[0].opponents for p, z in zip(pairs, apart, strict=True) if s * z > bar] for s in (1, -1))
    ends = f" ({better[0]} to {better[-1]})" if better else ""
    reason = (
        f"over all numbers of opponents together; taken singly, for {len(better)} of {len(pairs)}{ends}, and "
        f"significantly less often for {len(worse)}; {min(apart):+.1f} to {max(apart):+.1f} standard errors apart"
    )
    claim = figure(WAR, SIMULATION, "SimpleMindedPlayer2 wins more often than SimpleMindedPlayer1")
    return judged(claim, not worse and sum(apart) / sqrt(len(apart)) > _bar(1), reason)


def _rounds_row(points: Sequence[Point], attribute: str, claim: str) -> Row:
    pairs = war_figures.pairs(points)
    apart = [getattr(second, attribute).apart(getattr(first, attribute)) for first, second in pairs]
    shares = [getattr(second, attribute).mean / getattr(first, attribute).mean - 1 for first, second in pairs]
    bar = _bar(len(pairs))
    longer, shorter = ([p[0].opponents for p, z in zip(pairs, apart, strict=True) if s * z > bar] for s in (1, -1))
    reason = (
        f"SimpleMindedPlayer2's is significantly greater for {_numbers(longer)}, smaller for {_numbers(shorter)} "
        f"opponents; from {min(shares):+.1%} to {max(shares):+.1%} of SimpleMindedPlayer1's"
    )
    return judged(figure(WAR, SIMULATION, claim), not longer and not shorter, reason)


def _bar(comparisons: int) -> float:
    """Standard errors that any of so many comparisons exceeds by chance, on either side, once in twenty times."""
    return float(norm.isf(SIGNIFICANCE / comparisons / 2))


def _numbers(opponents: Sequence[int]) -> str:
    """E.g. `no numbers of`, `5`, `3 to 40 (12 numbers of)`."""
    if len(opponents) <= 3:
        return ", ".join(map(str, opponents)) or "no number of"
    return f"{len(opponents)} numbers of (between {opponents[0]} and {opponents[-1]})"


# -- the adversary ------------------------------------------------------------------------------------


def adversary_rows(played: dict[str, list[Played]], searches: dict[str, list[Search]]) -> Iterator[Row]:
    """The claim, and what was found for each version of the adversary."""
    lost = [game for games in played.values() for game in games if game.result is Result.LOST]
    beaten = [found for each in searches.values() for found in each if found.beaten_in is not None]
    example = "no line-up and no opponent on a small deck beats it"
    if beaten:
        found = beaten[0]
        example = f"beaten on {_deck(found.game)} by a deterministic opponent in round {found.beaten_in}"
    if lost:
        example = f"{lost[0].line_up[0]} is out against {', '.join(lost[0].line_up[1:])} in round {lost[0].rounds}"
    claim = figure(WAR, ADVERSARY, "the adversary at least ties with any known strategies")
    yield judged(claim, not lost and not beaten, f"counterexample: {example}" if lost or beaten else example)
    for name, games in played.items():
        for result in Result:
            count = sum(game.result is result for game in games)
            yield _new(f"{name}: line-ups of 1 to {war_adversary.MOST_OTHERS} others, {result}", count, "full deck")
    for name, each in searches.items():
        beaten = [found for found in each if found.beaten_in is not None]
        decks = ", ".join(f"{found.game.ranks}/{found.game.discards}" for found in each)
        reason = f"every answer of every opponent followed, {sum(found.positions for found in each):,} positions"
        yield _new(f"{name}: decks (ranks/discards {decks}) on which an opponent beats it", len(beaten), reason)
        if beaten:
            found = min(beaten, key=lambda found: (found.beaten_in, len(found.moves)))
            item = f"{name}: rounds in which an opponent beats it on {_deck(found.game)}"
            yield _new(item, number(found.beaten_in or 0), f"adversary v. opponent: {'; '.join(found.moves)}")


def _new(item: str, computed: Number, reason: str) -> Row:
    return Row(ADVERSARY, item, None, computed, None, Verdict.NEW, reason)


def _deck(game: War) -> str:
    return f"{game.ranks} ranks and {game.discards} discards"


def line_up_table(played: dict[str, list[Played]]) -> Iterator[tuple[Number, ...]]:
    """A heading row and a row for each line-up."""
    yield ("seat 0", "others", "result", "rounds", "endless")
    for game in (game for games in played.values() for game in games):
        others = " ".join(game.line_up[1:])
        yield (game.line_up[0], others, str(game.result), game.rounds, "yes" if game.endless else "no")


def counterexample_table(searches: dict[str, list[Search]]) -> Iterator[tuple[Number, ...]]:
    """A heading row and a row for each adversary and deck."""
    yield ("adversary", "ranks", "discards", "positions", "beaten in round", "moves (adversary v. opponent)")
    for name, each in searches.items():
        for found in each:
            rounds = "never" if found.beaten_in is None else found.beaten_in
            yield (name, found.game.ranks, found.game.discards, found.positions, rounds, "; ".join(found.moves))
