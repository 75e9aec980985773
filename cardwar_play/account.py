"""Explains a result as the sum of the value of the game, luck and mistakes; the terms add up exactly.

All terms are payoff points from the human player's seat. At a state, let M be the matrix of continuation payoffs, v its
value, and x and y the equilibrium strategies of the human player and the opponent. For the joint action (a, b):

- your mistake: max M y - (M y)[a], the cost that is shown for the move;
- the opponent's mistake: (x M)[b] - min x M, the same cost from the opponent's seat;
- luck of the draw: the rest of M[a, b] - v, that is M[a, b] - (M y)[a] - (x M)[b] + v. Its mean is 0 if either player
  plays its equilibrium strategy, whatever the other plays. Otherwise it includes what a player gains by guessing the
  other's move, and is called luck and guessing;
- luck of chance: the payoff and continuation value after the chance outcome, minus their expectation M[a, b].

Summed over a game, the continuation values cancel: result = value + chance + draws - mine + theirs. If players have
private information, v is the expected payoff of the equilibrium strategies given what both players know; the deal
counts as luck of chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardwar_envs import Game
from cardwar_envs.core.play import Episode
from cardwar_play.judge import Judge
from train.text.printing import points

DIGITS = 3
# The name of the opponent that plays the equilibrium.
EQUILIBRIUM = "equilibrium"
# Terms below this are treated as rounding errors of a sum. Costs are not: `Judge` makes those 0 that may be errors.
NOTHING = 1e-6


@dataclass(frozen=True)
class Account:
    """The result of a two-player game, which is `value + chance + draws - mine + theirs` up to rounding.

    If the solution has exact values, the terms are fractions and add up exactly; mistakes are only as precise as the
    solution's strategies, which are floats.

    Attributes:
        result: The human player's payoff, in payoff points.
        value: The human player's expected payoff if both play optimally.
        chance: Luck of chance.
        draws: Luck of the draw: which pairs of moves were drawn.
        mine: Total cost of the human player's moves, at least 0.
        theirs: Total cost of the opponent's moves, at least 0.
    """

    result: float
    value: float
    chance: float
    draws: float
    mine: float
    theirs: float

    @property
    def luck(self) -> float:
        """Sum of the luck of chance and the luck of the draw, in payoff points."""
        return self.chance + self.draws

    @property
    def adds_up(self) -> bool:
        """Whether the terms add up to the result, up to rounding."""
        terms = (self.value, self.chance, self.draws, -self.mine, self.theirs)
        return abs(sum(terms) - self.result) <= NOTHING * max(1.0, *map(abs, terms))

    def rows(self, opponent: str) -> list[tuple[str, str, str]]:
        """The terms and the result: label, points with a sign, rounded so that they still add up, and explanation."""
        value, chance, draws, mine, theirs = self._rounded()
        terms = [
            ("value of the game to you", value, "mean result if both play optimally"),
            ("luck of chance", chance, "what chance paid beyond its mean"),
            (f"{cause(opponent)} in moves", draws, "how your moves met theirs"),
            ("your mistakes", -mine, "costs of your moves"),
            (f"mistakes of {opponent}", theirs, "costs of their moves"),
            ("result", round(float(self.result), DIGITS), ""),
        ]
        return [(label, f"{term + 0.0:+.{DIGITS}f}", why) for label, term, why in terms]

    def sentences(self, opponent: str) -> list[str]:
        """Explains the result in sentences; `opponent` is the opponent's name."""
        value, chance, draws, *_ = self._rounded()
        luck, mine, theirs = round(chance + draws, DIGITS), self.mine > 0, self.theirs > 0
        neither = f"neither you nor {opponent} made a mistake"
        if not (value or mine or theirs):
            return [f"{paid(self.result)}{f' by {cause(opponent)}' if luck else ''}: {neither}."]
        reasons = [f"the game is worth {amount(value)} to you"] if value else []
        if luck:
            reasons.append(f"{cause(opponent)} {brought(luck)}")
        if theirs:
            reasons.append(f"{opponent} gave away {amount(self.theirs, least=0)}")
        if mine:
            reasons.append(f"you gave away {amount(self.mine, least=0)}")
        faultless = {
            (False, False): f"; {neither}",
            (False, True): "; you made no mistake",
            (True, False): f"; {opponent} made no mistake",
            (True, True): "",
        }
        return [f"{paid(self.result)}: {_listed(reasons)}{faultless[mine, theirs]}."]

    def _rounded(self) -> tuple[float, ...]:
        """The terms rounded to `DIGITS` decimals; luck, if any, absorbs the rounding error, so that they add up."""
        terms = [self.value, self.chance, self.draws, self.mine, self.theirs]
        rounded = [round(float(term), DIGITS) for term in terms]
        missing = round(float(self.result), DIGITS) - (sum(rounded) - 2.0 * rounded[3])
        for place, sign in ((2, 1.0), (1, 1.0), (4, 1.0), (3, -1.0)):
            if abs(terms[place]) > NOTHING:
                rounded[place] = round(rounded[place] + sign * missing, DIGITS)
                break
        return tuple(rounded)


def account_of(judge: Judge, game: Game[Any], episode: Episode[Any], seat: int) -> Account:
    """Computes the account of a two-player game that was played to the end.

    Args:
        judge: Computes costs of moves and values from the game's solution.
        game: The rules.
        episode: The complete game.
        seat: The human player's seat.
    """
    number, value, to_go = judge.number, judge.value(seat), [judge.to_go(state, seat) for state in episode.states]
    received = [number(rewards[seat]) for rewards in (episode.dealt, *episode.rewards)]
    chance, draws, costs = received[0] + to_go[0] - value, number(0), [number(0), number(0)]
    for place, (state, actions) in enumerate(zip(episode.states, episode.actions, strict=False)):
        outcomes = game.transitions(state, actions)
        expected = sum(number(p) * (number(paid[seat]) + judge.to_go(after, seat)) for p, after, paid in outcomes)
        chance += received[place + 1] + to_go[place + 1] - expected
        draws += expected - to_go[place]
        for player, action in actions.items():
            costs[player] += number(judge.verdict(state, player, action).cost)
    mine, theirs = costs[seat], costs[1 - seat]
    return Account(sum(received), value, chance, draws + mine - theirs, mine, theirs)


def paid(result: float) -> str:
    """Says what the human player won or lost."""
    if abs(result) <= NOTHING:
        return "You broke even"
    return f"You {'won' if result > 0.0 else 'lost'} {in_points(abs(result))}"


def cause(opponent: str) -> str:
    """Names what luck is due to: its mean is 0 only against the equilibrium; moves of other policies can be guessed."""
    return "luck" if opponent == EQUILIBRIUM else "luck and guessing"


def brought(luck: float) -> str:
    """Says how much luck brought or cost the human player."""
    return f"{'brought' if luck > 0.0 else 'cost'} you {amount(abs(luck))}"


def amount(number: float, sign: str = "", *, least: float = NOTHING) -> str:
    """Formats a number with at most three decimals; `sign="+"` also shows the sign of positive ones.

    Positive numbers up to `least`, which is 0 for costs, are shown as 0.
    """
    if _tiny(number, least):
        return f"less than {0.1**DIGITS:.{DIGITS}f}"
    near = round(number, DIGITS) + 0.0
    return f"{near:{sign if near else ''}.{DIGITS}f}".rstrip("0").rstrip(".")


def decimals(number: float, *, least: float = NOTHING) -> str:
    """Formats a cost (with `least=0`) or a probability with three decimals, for tables."""
    return f"<{0.1**DIGITS:.{DIGITS}f}" if _tiny(number, least) else points(number, DIGITS)


def _tiny(number: float, least: float) -> bool:
    """Whether a number is above `least`, but would be shown as 0."""
    return least < number < 0.5 * 0.1**DIGITS


def in_points(number: float, sign: str = "", *, least: float = NOTHING) -> str:
    """Formats a number like `amount`, with the unit."""
    text = amount(number, sign, least=least)
    return f"{text} point{'' if text.lstrip('+-') == '1' else 's'}"


def _listed(reasons: Sequence[str]) -> str:
    return " and ".join([", ".join(reasons[:-1]), reasons[-1]] if len(reasons) > 1 else reasons)
