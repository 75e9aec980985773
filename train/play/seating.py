"""Sets up a game for `cardwar play`: the seats, the opponents, and the equilibrium if it can be computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import baselines
from baselines.estimates import Relay, in_words, seconds_for
from cardwar_envs import Game, Policy
from cardwar_envs.core.game import require_two_zero_sum
from cardwar_envs.core.policy import needs_others
from cardwar_envs.core.stopwatch import Stopwatch
from cardwar_envs.core.texts import counted
from train.play.judge import Judge
from train.play.trainer import Table
from train.policies.by_word import accept_moves, is_program, policy_from
from train.policies.unfinished import labelled

if TYPE_CHECKING:
    from baselines import Solution
    from baselines.oracles.protocol import Progress

EQUILIBRIUM = "equilibrium"
# The default opponent if the equilibrium is not known.
WITHOUT_EQUILIBRIUM = "uniform"
# Seconds of computation allowed without asking the user.
PATIENCE = 60.0


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

    def __call__(self, done: int) -> None:
        """Starts the clock at the first call; time spent on compilation does not count."""
        self._watch = self._watch or Stopwatch()
        if not self._accepted and self._watch.seconds > self._seconds:
            raise TooLongError(f"takes more than {self._seconds:.0f} seconds; the total time is not known")
        super().__call__(done)


def find_equilibrium(
    game: Game[Any], *, patient: bool, progress: Progress | None = None, seconds: float | None = None
) -> Solution:
    """Computes the equilibrium by which moves are judged; gives up after `seconds` unless `patient`.

    `seconds` defaults to `PATIENCE`.

    Raises:
        ValueError: If the equilibrium cannot be computed; the error says why.
        TooLongError: If the computation takes longer.
    """
    require_two_zero_sum(game, "judging moves by the equilibrium")
    return baselines.solve(
        game, progress=progress if patient else _Patience(progress, PATIENCE if seconds is None else seconds)
    )


def timely_equilibrium(game: Game[Any], seconds: float) -> tuple[Solution | None, str]:
    """Returns the equilibrium; or None and a sentence with the reason, e.g. that it takes longer than `seconds`."""
    try:
        return find_equilibrium(game, patient=False, seconds=seconds), ""
    except TooLongError as wait:
        return None, f"Computing the equilibrium {wait}, so moves are not judged."
    except ValueError as error:
        return None, f"The equilibrium cannot be computed, so moves are not judged ({error})."


def opponents_by_seat(game: Game[Any], seat: int, words: Sequence[str]) -> dict[int, str]:
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
    opponents_by_seat(game, seat, words or [WITHOUT_EQUILIBRIUM])
    for word in words:
        if word != EQUILIBRIUM and not is_program(word):  # a program is started later, and only once
            _opponent(word, game, None)


def table_for(
    game: Game[Any], seat: int, words: Sequence[str], solution: Solution | None, without_costs: str = ""
) -> Table:
    """Seats the human player and the opponents; `words` names a policy for each opponent, or one for all.

    Without `words`, the opponents play the equilibrium of `solution`, or `WITHOUT_EQUILIBRIUM` if there is none;
    `without_costs` then says why.

    Raises:
        ValueError: If there is no such seat or policy, or the number of opponents is wrong.
    """
    given = list(words) or [WITHOUT_EQUILIBRIUM if solution is None else EQUILIBRIUM]
    names = opponents_by_seat(game, seat, given)
    made = {word: _opponent(word, game, solution) for word in dict.fromkeys(given)}
    judge = None if solution is None else Judge(solution)
    policies = {player: made[word] for player, word in names.items()}
    names = {player: labelled(word, made[word]) for player, word in names.items()}
    return Table(game, seat, names, policies, judge, without_costs)


def _opponent(word: str, game: Game[Any], solution: Solution | None) -> Policy:
    if word == EQUILIBRIUM and solution is not None:
        return solution.policy
    if needs_others(word):
        raise ValueError(f"{word} needs to know the other players' policies, but yours is unknown")
    policy = policy_from(word, game)
    accept_moves([policy])
    return policy
