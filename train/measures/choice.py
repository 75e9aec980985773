"""Chooses how policies of a game are measured in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baselines import within_reach
from cardwar_envs.core.game import Game
from train.measures.bound import ResponseBound
from train.measures.exact import Deviations, Exploitability
from train.measures.matches import Matches
from train.measures.measure import Measure

if TYPE_CHECKING:
    from train.algorithms.contract import CommonArgs

WAYS = ("auto", "exact", "bound", "matches")


def measure_for(game: Game[Any], args: CommonArgs) -> Measure:
    """The measure that a learner's arguments ask for.

    Args:
        game: The game that is learned.
        args: `measure` is "exact", "bound", "matches", or "auto": exact where the oracles reach without long waiting,
            else matches. `against` names the policies to play matches against, separated by commas; "auto" is uniform
            play, or the policies that a best response is learned to. `matches` is the number of games of each match,
            or for a bound; `bound_steps` says for how long a responder learns.

    Raises:
        ValueError: If there is no such way, it is out of reach, or one of the policies cannot play the game.
    """
    if args.measure not in WAYS:
        raise ValueError(f"measure ({args.measure!r}) must be one of {', '.join(WAYS)}")
    if args.measure == "bound":
        return ResponseBound(game, args.bound_steps, args.matches)
    if args.measure == "matches" or (args.measure == "auto" and not within_reach(game)):
        against = getattr(args, "opponent", "uniform") if args.against == "auto" else args.against
        return Matches(game, [name.strip() for name in against.split(",")], args.matches)
    facts = game.facts
    return Exploitability(game) if facts.num_players == 2 and facts.zero_sum else Deviations(game)
