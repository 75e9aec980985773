"""Lower bounds on exploitability: trains an exploiter, then measures it in many new games.

Source: F. Timbers et al., "Approximate exploitability: learning a best response in large games" (IJCAI 2022).

A best response gains at least as much as the exploiter, so the bound is valid. But a low bound does not show that the
policy is good. Separate games are used to select the exploiter and to measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from baselines import match
from baselines.matches.intervals import CONFIDENCE
from baselines.opponents.strategies import fitting_policies
from baselines.oracles.answers.protocol import Progress
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.sb3.against import Opponents
from train.algorithms.responses import Responder
from train.learner.arguments import ResponderArgs
from train.measures.measure import FINAL_SHARE, effort
from train.policies.networks import GreedyPolicy, SoftmaxPolicy
from train.storage.formats import Figures, Kind
from train.text.game_names import game_in_words
from train.text.printing import points

# Games per candidate in the selection; the selected candidate then plays new games.
GAMES_TO_CHOOSE = 1000


@dataclass(frozen=True)
class Bound:
    """A lower bound on the gain from deviating unilaterally from a policy, averaged over the seats.

    In a two-player zero-sum game it bounds exploitability; in other games, NashConv divided by the number of players.

    Attributes:
        low: The bound, in payoff points, which holds with 99 % confidence.
        mean: The exploiter's mean gain; not a bound.
        responder: Name of the exploiter.
        games: Number of games that measured the exploiter.
        certain: Whether the games are deterministic, so that the exploiter's gain is exactly `low`.
    """

    low: float
    mean: float
    responder: str
    games: int
    certain: bool


def chosen(
    game: Game[Any], candidates: Mapping[str, Policy], policy: Policy, seed: int, games: int = GAMES_TO_CHOOSE
) -> dict[str, float]:
    """Estimates the candidates' mean payoffs against a policy in all other seats, highest first; not a bound."""
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
    """Measures an exploiter in new games.

    Args:
        game: The game.
        name: Name of the exploiter.
        responder: The exploiter; it plays every seat in turn.
        policy: Plays all other seats.
        games: Games to play; one per seat if they are deterministic.
        seed: Seed; it must differ from the seeds of training and selection.
        progress: As for `match`.
    """
    error = 1.0 - CONFIDENCE
    if game.facts.zero_sum:  # if all players follow the policy, the mean payoff over the seats is 0
        # Only the lower end is used, and it is wrong with half the probability of both ends.
        played = match(game, responder, policy, games=games, seed=seed, confidence=1.0 - 2.0 * error, progress=progress)
        low, mean, certain = played.payoff.low, played.payoff.mean, played.payoff.exact
    else:
        # One end of each of two intervals is used; each may be wrong with half the probability.
        played = match(game, responder, policy, games=games, seed=seed, confidence=CONFIDENCE, progress=progress)
        usual = match(game, policy, policy, games=games, seed=seed + 1, confidence=CONFIDENCE).payoff
        low, mean = played.payoff.low - usual.high, played.payoff.mean - usual.mean
        certain = played.payoff.exact and usual.exact
    return Bound(max(low, 0.0), mean, name, played.games, certain)


class ResponseBound:
    """A lower bound on exploitability, from a PPO exploiter trained from scratch at each evaluation."""

    kind: ClassVar[Kind] = "lower bound"
    figure = "bound"

    def __init__(self, game: Game[Any], steps: int, games: int) -> None:
        """Takes the exploiter's training steps and the number of games that measure it."""
        self._game, self._games = game, games
        self._args = ResponderArgs(steps=steps)
        self._named = fitting_policies(game)
        self.reference: Figures = {}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Returns the bound and the exploiter's mean gain, in payoff points."""
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
        return f"an exploiter wins at least {figures['bound']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any]) -> str:
        return (
            f"An exploiter wins at least {points(figures['bound'], 4)} points, averaged over the seats, from the "
            f"policy that {learner} learned for {game_in_words(self._game)} in {effort(figures)} "
            f"(99 % confidence, {FINAL_SHARE * self._games:,} games). This is a lower bound: a best response may win "
            "much more."
        )
