"""Chooses how a run measures its policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baselines import within_reach
from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.game import Game
from train.measures.bound import ResponseBound
from train.measures.exact import AveragePlay, Deviations, Exploitability
from train.measures.measure import Matches, Measure
from train.policies.by_word import split_policies

if TYPE_CHECKING:
    from train.learner.contract import CommonArgs


def measure_for(game: Game[Any], args: CommonArgs) -> Measure:
    """Creates the measure that a learner's arguments specify.

    With `measure="auto"`, policies are measured exactly if the game is small enough for that, else in matches.
    `against="auto"` is uniform play, or a best response's opponents.

    Raises:
        ValueError: If the game does not allow the measure, or an opponent cannot play the game.
    """
    if args.measure == "bound":
        return ResponseBound(game, args.bound_steps, args.matches)
    if args.measure == "cce_gap":
        return AveragePlay(game)
    if args.measure == "matches" or (args.measure == "auto" and not within_reach(game)):
        return Matches(game, _opponents(args), args.matches)
    return Exploitability(game) if is_constant_sum(game) else Deviations(game)


def _opponents(args: CommonArgs) -> dict[str, list[str]]:
    """Name of each match -> the policies in the other seats."""
    if args.against != "auto":
        return {name: [name] for name in split_policies(args.against)}
    learned_against = getattr(args, "opponent", "uniform")
    return {learned_against: split_policies(learned_against)}
