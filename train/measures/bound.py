"""Lower bounds: somebody is found who wins from a policy, and plays many new games against it.

Source: F. Timbers et al., "Approximate exploitability: learning a best response in large games" (IJCAI 2022).

What a best response gains cannot be less than what somebody else gains. So the bound holds however badly the responder
was learned. It is then low, and a low bound proves nothing. The games that choose the responder are not those that
measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from baselines import match
from baselines.matches.intervals import CONFIDENCE
from baselines.opponents.fitting import fitting_policies
from baselines.oracles.protocol import Progress
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.sb3.against import Opponents
from train.algorithms.best_response import Responder, ResponderArgs
from train.kinds import Figures, Kind
from train.measures.measure import FINAL_SHARE
from train.policies.networks import GreedyPolicy, SoftmaxPolicy
from train.words import game_in_words, points

# Games that each candidate plays to be chosen; the one that is chosen plays others.
GAMES_TO_CHOOSE = 1000


@dataclass(frozen=True)
class Bound:
    """What a player gains at least, on average over the seats, who leaves a policy that all others follow.

    In a two-player zero-sum game that is a lower bound on exploitability; in others, on NashConv divided by the number
    of players.

    Attributes:
        low: The bound, payoff points: with 99 % probability a best response gains at least as much.
        mean: What the responder gained on average; not a bound.
        responder: Who gained it, in words.
        games: Games that it played.
        certain: Whether nothing is left to chance, so that the responder gains exactly this much in every game.
    """

    low: float
    mean: float
    responder: str
    games: int
    certain: bool


def chosen(
    game: Game[Any], candidates: Mapping[str, Policy], policy: Policy, seed: int, games: int = GAMES_TO_CHOOSE
) -> dict[str, float]:
    """Mean payoffs of candidates against a policy in all other seats, the greatest first: estimates, not bounds."""
    payoffs = {name: match(game, each, policy, games=games, seed=seed).payoff for name, each in candidates.items()}
    return {name: payoff.mean for name, payoff in sorted(payoffs.items(), key=lambda item: -item[1].mean)}


def bound_by(
    game: Game[Any],
    name: str,
    responder: Policy,
    policy: Policy,
    games: int,
    seed: int,
    progress: Progress | None = None,
) -> Bound:
    """Plays new games and says what they prove.

    Args:
        game: The game.
        name: The responder in words.
        responder: Has one seat, each in turns.
        policy: Has all other seats.
        games: Games to play; one in each seat if nothing is left to chance.
        seed: Another seed than that of learning and choosing.
        progress: As for `match`.
    """
    error = 1.0 - CONFIDENCE
    if game.facts.zero_sum:  # if all follow the policy, they get 0 on average over the seats
        # One end of an interval errs half as often as both.
        played = match(game, responder, policy, games=games, seed=seed, confidence=1.0 - 2.0 * error, progress=progress)
        low, mean, certain = played.payoff.low, played.payoff.mean, played.payoff.exact
    else:
        # Each of two samples may err half as often.
        played = match(game, responder, policy, games=games, seed=seed, confidence=CONFIDENCE, progress=progress)
        usual = match(game, policy, policy, games=games, seed=seed + 1, confidence=CONFIDENCE).payoff
        low, mean = played.payoff.low - usual.high, played.payoff.mean - usual.mean
        certain = played.payoff.exact and usual.exact
    return Bound(max(low, 0.0), mean, name, played.games, certain)


class ResponseBound:
    """A lower bound on what can be won from a policy, by PPO that learns against it anew at each evaluation."""

    kind: ClassVar[Kind] = "lower bound"
    figure = "bound"

    def __init__(self, game: Game[Any], steps: int, games: int) -> None:
        """Takes the joint actions that PPO learns for, and the games that measure its best responder."""
        self._game, self._games = game, games
        self._args = ResponderArgs(steps=steps)
        self._named = fitting_policies(game)
        self.reference: Figures = {}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """The bound, and the mean that it is for, payoff points."""
        learner = Responder(self._game, self._args, Opponents.of(policy, self._game), seed)
        learner.advance(self._args.steps)
        network = learner.network()
        learned = {"greedy": GreedyPolicy(self._game, network), "sampled": SoftmaxPolicy(self._game, network)}
        candidates = {**learned, **self._named}
        best = next(iter(chosen(self._game, candidates, policy, seed + 1)))
        games = self._games * (FINAL_SHARE if final else 1)
        found = bound_by(self._game, best, candidates[best], policy, games, seed + 2)
        return {"bound": found.low, "bound_mean": found.mean}

    def news(self, figures: Mapping[str, Any]) -> str:
        """The bound."""
        return f"at least {figures['bound']:.4f} can be won"

    def verdict(self, learner: str, figures: Mapping[str, Any], steps: int, seconds: float) -> str:
        """The bound, and that a low one proves nothing."""
        return (
            f"From the policy that {learner} learned for {game_in_words(self._game)} in {steps:,} steps and "
            f"{seconds:.0f} s a player can win at least {points(figures['bound'], 4)} points on average over the seats "
            f"(99 % confidence, {FINAL_SHARE * self._games:,} games). This is a lower bound: a best response may win "
            "far more."
        )
