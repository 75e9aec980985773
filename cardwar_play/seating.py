"""Sets up a game for `cardwar play`: the seats, the opponents, and the equilibrium if it can be computed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import baselines
from baselines.oracles.answers.estimates import Relay, in_words, seconds_for
from cardwar_envs import Game, Policy
from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.policy_names import needs_others
from cardwar_envs.core.process import Stopwatch
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.core.texts import counted
from cardwar_play.judge import Judge
from cardwar_play.trainer import EQUILIBRIUM, Table
from train.policies.by_word import accept_moves, is_program, policy_from
from train.policies.learned_policy import labelled
from train.text.game_names import fewest_parameters

if TYPE_CHECKING:
    from baselines import Solution
    from baselines.oracles.answers.protocol import Progress

# The default opponent if the equilibrium is not known.
WITHOUT_EQUILIBRIUM = "uniform"
# Seconds of computation allowed without asking the user, and for a smaller size that is suggested instead; no larger
# size is tried after one that took `ENOUGH`.
PATIENCE, QUICK, ENOUGH = 60.0, 3.0, 0.5
# Sizes to suggest, between the smallest (0) and the requested one (1).
SMALLER = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
# Parameters that only stop endless games: the same at every size.
LIMITS = ("max_rounds", "horizon")


class TooLongError(Exception):
    """Computing the equilibrium takes longer than is allowed without asking; the message says how long."""


class _Patience(Relay):
    """A progress callback that stops work which takes, or is estimated to take, longer than allowed."""

    _accepted = False
    _watch: Stopwatch | None = None

    def __init__(self, progress: Progress | None, seconds: float) -> None:
        super().__init__(progress)
        self._seconds = seconds

    def expect(self, total: int) -> None:
        seconds = seconds_for(total, self.work)
        if seconds > self._seconds:
            raise TooLongError(f"takes {self.bound}{in_words(seconds)}")
        self._accepted = True
        super().expect(total)

    def forecast(self, seconds: float, work: str = "") -> None:
        if seconds > self._seconds:
            raise TooLongError(f"takes {in_words(seconds)}")

    def __call__(self, done: int) -> None:
        """Starts the clock at the first call; time spent on compilation does not count."""
        self._watch = self._watch or Stopwatch()
        if not self._accepted and self._watch.seconds > self._seconds:
            raise TooLongError(f"takes more than {self._seconds:.0f} seconds; the total time is not known")
        super().__call__(done)


def find_equilibrium(
    game: Game[Any], progress: Progress | None = None, seconds: float = math.inf, **options: Any
) -> Solution:
    """Computes the equilibrium by which moves are judged, if that takes at most `seconds`.

    `options` are those of `baselines.solve`.

    Raises:
        ValueError: If the equilibrium cannot be computed; the error says why.
        TooLongError: If the computation takes longer.
    """
    if not is_constant_sum(game):
        raise ValueError("the equilibrium is computed only for two-player zero-sum games")
    limited = progress if seconds == math.inf else _Patience(progress, seconds)
    return baselines.solve(game, progress=limited, **options)


def timely_equilibrium(
    game: Game[Any], seconds: float, progress: Progress | None = None
) -> tuple[Solution | None, str]:
    """Returns the equilibrium; or None and the reason, e.g. that computing it takes longer than `seconds`."""
    try:
        return find_equilibrium(game, progress, seconds), ""
    except TooLongError as wait:
        return None, f"computing its equilibrium {wait}"
    except TooLargeError:
        return None, "this size is too large to be solved exactly"
    except ValueError as error:
        return None, str(error)


def quick_size(game: Game[Any], **options: Any) -> dict[str, int]:
    """Finds the parameters of a smaller size whose equilibrium takes at most `QUICK` seconds; empty if there is none.

    `options` are those of `baselines.solve`. Sizes are tried in ascending order until one takes too long.
    """
    quick: dict[str, int] = {}
    for smaller, numbers in sizes_of(game, SMALLER):
        if smaller == game or numbers == quick:
            continue
        watch = Stopwatch()
        try:
            find_equilibrium(smaller, seconds=QUICK, **options)
        except (TooLongError, ValueError):
            break
        quick = numbers
        if watch.seconds > ENOUGH:
            break
    return quick


def smaller_instead(game: Game[Any], **options: Any) -> str:
    """Ends a message that a game is too large by naming a smaller size; empty if none is found."""
    words = " ".join(f"{name}={value}" for name, value in quick_size(game, **options).items())
    return words and f"; with {words} it takes only seconds"


def sizes_of(game: Game[Any], shares: Sequence[float]) -> Iterator[tuple[Game[Any], dict[str, int]]]:
    """The game at sizes between the smallest (share 0) and its own (share 1), with the parameters that differ."""
    smallest = game.smallest() or game
    ranges = {
        field.name: (low, high)
        for field in fields(game)  # type: ignore[arg-type]  # games are dataclasses
        if field.name not in LIMITS
        and type(high := getattr(game, field.name)) is int
        and (low := getattr(smallest, field.name)) != high
    }
    for share in shares:
        numbers = {key: round(low + share * (high - low)) for key, (low, high) in ranges.items()}
        with suppress(ValueError):  # the game does not allow this combination
            yield type(game)(**{**fewest_parameters(game), **numbers}) if numbers else game, numbers


def _opponents_by_seat(game: Game[Any], seat: int, words: Sequence[str]) -> dict[int, str]:
    """Maps seats to names of opponents' policies; `words` names one policy for each seat, or one for all.

    Raises:
        ValueError: If there is no such seat, or the number of opponents is wrong.
    """
    players = game.facts.num_players
    if seat not in range(players):
        raise ValueError(f"seat ({seat}) must be in 0..{players - 1}")
    if len(words) not in (1, players - 1):
        raise ValueError(
            f"{len(words)} opponents given for {counted(players - 1, 'seat')}; give one for each, or one for all"
        )
    others = [player for player in range(players) if player != seat]
    return dict(zip(others, [*words] * (len(others) // len(words)), strict=True))


def check_opponents(game: Game[Any], seat: int, words: Sequence[str]) -> None:
    """Raises those errors of `table_for` that can be detected before the equilibrium is computed."""
    _opponents_by_seat(game, seat, words or [WITHOUT_EQUILIBRIUM])
    for word in words:
        if word != EQUILIBRIUM and not is_program(word):  # a program is started later, and only once
            _opponent(word, game, None, "")


def table_for(game: Game[Any], seat: int, words: Sequence[str], solution: Solution | None, reason: str = "") -> Table:
    """Seats the human player and the opponents; `words` names a policy for each opponent, or one for all.

    Without `words`, the opponents play the equilibrium of `solution`, or `WITHOUT_EQUILIBRIUM` if there is none;
    `reason` says why there is none.

    Raises:
        ValueError: If there is no such seat or policy, the number of opponents is wrong, or `words` names the
            equilibrium and there is no solution.
    """
    given = list(words) or [WITHOUT_EQUILIBRIUM if solution is None else EQUILIBRIUM]
    names = _opponents_by_seat(game, seat, given)
    made = {word: _opponent(word, game, solution, reason) for word in dict.fromkeys(given)}
    judge = None if solution is None else Judge(solution)
    policies = {player: made[word] for player, word in names.items()}
    names = {player: labelled(word, made[word]) for player, word in names.items()}
    return Table(game, seat, names, policies, judge, reason and f"Moves are not judged: {reason}.")


def _opponent(word: str, game: Game[Any], solution: Solution | None, reason: str) -> Policy:
    if word == EQUILIBRIUM:
        if solution is None:
            raise ValueError(f"the equilibrium is not available: {reason}")
        return solution.policy
    if needs_others(word):
        raise ValueError(f"{word} needs to know the other players' policies, but yours is unknown")
    policy = policy_from(word, game)
    accept_moves([policy])
    return policy
