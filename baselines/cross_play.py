"""Games between policies for any number of players.

If nothing is left to chance, one game is all there is, and one game is played. Otherwise games are drawn.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from baselines.opponents.generic import Uniform
from baselines.opponents.war import DummiePlayer, MaxPlayer, MinPlayer, SimpleMindedPlayer1, SimpleMindedPlayer2
from baselines.oracles.consistency import RecordingPolicies
from baselines.oracles.protocol import Progress, lead
from baselines.war.simulator import NOBODY, UNFINISHED, simulate, takes
from cardwar_envs.core.game import Game, Transition, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.play import sample_transition
from cardwar_envs.core.policy import Policy, checked_probabilities, sample_actions, seated_policies
from cardwar_envs.games.war.state import WarState

GAMES = 1000
# Choices that a policy is asked for at once. More would not stay in the cache: masks can have thousands of actions.
ROWS = 128
CERTAIN_TO = 1e-9
SEEDS = range(1 << 64)

# The strategies that the compiled simulator knows, and its names for them.
_COMPILED: dict[type, str] = {
    MinPlayer: "min",
    MaxPlayer: "max",
    DummiePlayer: "dummie",
    Uniform: "dummie",
    SimpleMindedPlayer1: "simple_minded_1",
    SimpleMindedPlayer2: "simple_minded_2",
}


@dataclass(frozen=True)
class CrossPlay:
    """How games between the policies of a line-up ended.

    The winner is the only player who gets the most. A round is a joint action; in WAR it is a round
    with all its wars.

    Attributes:
        games: Games played; 1 if there is no chance in them.
        wins: Games won, per seat.
        nobody: Games that came to an end without a winner.
        unfinished: Games that the limit of rounds stopped while several players were still in them.
        mean_rounds: Mean number of rounds of a game. An unfinished game counts with the rounds that were played.
        std_rounds: Standard deviation of the number of rounds over these games.
        mean_rounds_won: Per seat, the mean number of rounds of the games that it won; None if it won none.
        mean_payoffs: Per seat, payoff points; None if the compiled simulator played, which keeps no payoffs.
        payoff_errors: Per seat, the standard error of its mean payoff, payoff points: 0 if there is
            no chance, infinite if a single game was drawn.
        rounds: Rounds of the only possible game if there is no chance, else None.
        winner: The winner of that game; None if nobody wins it, or if there is chance.
    """

    games: int
    wins: tuple[int, ...]
    nobody: int
    unfinished: int
    mean_rounds: float
    std_rounds: float
    mean_rounds_won: tuple[float | None, ...]
    mean_payoffs: tuple[float, ...] | None
    payoff_errors: tuple[float, ...] | None
    rounds: int | None
    winner: int | None


class Endings(NamedTuple):
    """How each of a number of games ended.

    Attributes:
        winners: `[games]` seats, or `NOBODY`, or `UNFINISHED`.
        rounds: `[games]`.
        payoffs: `[games, players]` payoff points, if known.
    """

    winners: NDArray[np.int64]
    rounds: NDArray[np.int64]
    payoffs: NDArray[np.float64] | None


def cross_play(
    game: Game[Any],
    policies: Sequence[Policy | str],
    *,
    games: int = GAMES,
    seed: int = 0,
    progress: Progress | None = None,
) -> CrossPlay:
    """Lets policies play each other.

    If every policy always plays one action with certainty and the game has no chance, one game is
    played. Line-ups of WAR's simple strategies are played by the compiled `baselines.war.simulator`,
    which draws its own random numbers.

    Args:
        game: The rules, for any number of players.
        policies: A policy, or the name of one, per seat.
        games: Games to play if there is chance in them, at least 1.
        seed: Seed of everything random.
        progress: Called now and then with the number of games that are over.

    Returns:
        How the games ended.

    Raises:
        ValueError: If the number of games or of policies is wrong, or a policy does not answer with
            probabilities.
    """
    require_game(game)
    if isinstance(games, bool) or not isinstance(games, SupportsIndex) or index(games) < 1:
        raise ValueError(f"games ({games}) must be at least 1")
    seed = whole_number("seed", seed, SEEDS)
    players = seated_policies(policies, game)
    witnesses = RecordingPolicies(game, players)
    only = _GamesInProgress(game, witnesses.seats, seed).play(1, while_certain=True)
    if only is not None and witnesses.answer_alike():
        return _summary(only, game.facts.num_players, certain=True)
    endings = _simulated(game, players, games, seed)
    if endings is None:
        endings = _GamesInProgress(game, players, seed).play(games, progress=progress)
    assert endings is not None  # only a game that must be certain can break off
    return _summary(endings, game.facts.num_players, certain=False)


def warm_up(game: Game[Any], players: Sequence[Policy]) -> None:
    """Compiles or loads the simulator if `cross_play` will use it, so that a timed call need not."""
    _simulated(game, players, games=1, seed=0)


def _simulated(game: Game[Any], players: Sequence[Policy], games: int, seed: int) -> Endings | None:
    """The games played by the compiled simulator, or None if it cannot play them.

    It can if the game has the rules of `War` (a subclass that changes one of them is another game), it
    knows all strategies, and one of them is random; the others need one game only.
    """
    line_up = [_COMPILED[type(player)] for player in players if type(player) in _COMPILED]
    if not takes(game) or len(line_up) < len(players) or "dummie" not in line_up:
        return None
    done = simulate(line_up, games, seed, ranks=game.ranks, discards=game.discards, max_rounds=game.rounds)
    return Endings(done.winners.astype(np.int64), done.rounds.astype(np.int64), None)


class _Course:
    """One game in progress: its state, and the payoffs and joint actions so far."""

    def __init__(self, start: Transition[Any]) -> None:
        self.state, self.paid, self.steps = start.state, start.rewards, 0


class _GamesInProgress:
    """Plays many games in lock step, so that policies are asked in batches."""

    def __init__(self, game: Game[Any], players: Sequence[Policy], seed: int) -> None:
        self.game, self.players = game, players
        self.rng = np.random.default_rng(seed)
        self.certain = True  # nothing has been left to chance so far

    def play(self, games: int, *, while_certain: bool = False, progress: Progress | None = None) -> Endings | None:
        """How the games ended; None if they must be certain and are not."""
        at_once = max(1, ROWS // len(self.players))
        running, over = list[_Course](), list[_Course]()
        while len(over) < games and (self.certain or not while_certain):
            missing = min(at_once, games - len(over)) - len(running)
            running += [_Course(self._drawn(self.game.initial())) for _ in range(missing)]
            over += [course for course in running if not self.game.acting_players(course.state)]
            running = [course for course in running if self.game.acting_players(course.state)]
            self._step(running)
            if progress is not None:
                progress(len(over))
        if while_certain and not self.certain:
            return None
        winners, rounds = zip(*(_ending(self.game, course) for course in over), strict=True)
        return Endings(np.array(winners), np.array(rounds), np.array([course.paid for course in over]))

    def _drawn(self, outcomes: Sequence[Transition[Any]]) -> Transition[Any]:
        self.certain &= len(outcomes) == 1
        return sample_transition(outcomes, self.rng)

    def _step(self, courses: list[_Course]) -> None:
        """One joint action in each game."""
        for course, actions in zip(courses, self._joint_actions(courses), strict=True):
            outcome = self._drawn(self.game.transitions(course.state, actions))
            course.state = outcome.state
            course.paid = tuple(a + b for a, b in zip(course.paid, outcome.rewards, strict=True))
            course.steps += 1

    def _joint_actions(self, courses: list[_Course]) -> list[dict[int, int]]:
        asked: dict[int, list[tuple[int, int]]] = defaultdict(list)  # seats that share a policy are asked together
        for number, course in enumerate(courses):
            for player in self.game.acting_players(course.state):
                asked[id(self.players[player])].append((number, player))
        joint: list[dict[int, int]] = [{} for _ in courses]
        for seats in asked.values():
            seen = np.stack([self.game.observation(courses[number].state, player) for number, player in seats])
            allowed = np.stack([self.game.action_mask(courses[number].state, player) for number, player in seats])
            answer = checked_probabilities(self.players[seats[0][1]], seen, allowed)
            self.certain &= bool((answer.max(axis=1) >= 1.0 - CERTAIN_TO).all())
            played = np.flatnonzero(answer.any(axis=0))  # few of the actions, where there are many
            actions = played[sample_actions(answer[:, played], self.rng)]
            for (number, player), action in zip(seats, actions.tolist(), strict=True):
                joint[number][player] = action
        return joint


def _ending(game: Game[Any], course: _Course) -> tuple[int, int]:
    """The winner, and the number of rounds."""
    paid = np.array(course.paid)
    best = int(paid.argmax())
    winner = best if (lead(paid[best], np.delete(paid, best)) > 0.0).all() else NOBODY
    if isinstance(course.state, WarState):  # payoffs are 0 both at the limit of rounds and where nobody wins
        rounds = game.initial()[0].state.rounds_left - course.state.rounds_left
        return UNFINISHED if len(course.state.live) > 1 else winner, rounds
    return winner, course.steps


def _summary(endings: Endings, players: int, certain: bool) -> CrossPlay:
    winners, rounds, payoffs = endings
    won = [rounds[winners == seat] for seat in range(players)]
    games, means, errors = len(winners), None, None
    if payoffs is not None:
        means = tuple(payoffs.mean(axis=0).tolist())
        spread = payoffs.std(axis=0, ddof=1) if games > 1 else np.full(players, 0.0 if certain else math.inf)
        errors = tuple((spread / math.sqrt(games)).tolist())
    return CrossPlay(
        games=games,
        wins=tuple(len(each) for each in won),
        nobody=int((winners == NOBODY).sum()),
        unfinished=int((winners == UNFINISHED).sum()),
        mean_rounds=float(rounds.mean()),
        std_rounds=float(rounds.std()),
        mean_rounds_won=tuple(float(each.mean()) if len(each) else None for each in won),
        mean_payoffs=means,
        payoff_errors=errors,
        rounds=int(rounds[0]) if certain else None,
        winner=int(winners[0]) if certain and winners[0] >= 0 else None,
    )
