"""Lowest unique number: in each round the lowest number that only one player has chosen wins.

Source: R. Östling, J. T. Wang, E. Y. Chou and C. F. Camerer, "Testing game theory in the field: Swedish LUPI lottery
games", American Economic Journal: Microeconomics 3 (2011). Its online appendix A treats a fixed number of players and
the payoff that is `payoff="prize"` here.

Rules. In each of `rounds` rounds all players simultaneously choose a number from 1 to `numbers`. A number is unique if
exactly one player chose it. The player with the lowest unique number wins the round. If no number is unique, nobody
wins.

* `payoff="share"`: the winner of a round gets 1 point, and the other players pay equal shares of it. The game is
zero-sum.
* `payoff="prize"`: the winner of a round gets 1 point, and nobody pays it. The game is not zero-sum.

Version history: 0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.cards import PLATE, last_play, name_plate, picture, seats_in_view
from cardwar_envs.core.game import CERTAIN, FORFEIT, Game, GameFacts, Transition
from cardwar_envs.core.parameters import one_of, reading_state, set_whole_number, whole_number
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Revealed, Scene, Shape, in_points, label
from cardwar_envs.core.texts import WorkedRound, counted, numbers_in_words

MAX_PLAYERS = 100
MAX_NUMBERS = 1000
MAX_ROUNDS = 10_000
# Maximum number of players drawn; with more, the picture would be too tall.
MOST_ROWS = 12
TOP, ROW, STANDING = 72.0, 66.0, 56.0
NUMBER = (72.0, 56.0)


class LowestUniqueState(NamedTuple):
    """A state of the game.

    Attributes:
        rounds_left: Rounds left, including the current one.
        last_winner: The winner of the last round; None if there was no winner or no round yet.
    """

    rounds_left: int
    last_winner: int | None = None


@dataclass(frozen=True)
class LowestUnique(Game[LowestUniqueState]):
    """Lowest unique number.

    Attributes:
        num_players: 2 to 100.
        numbers: The players choose from 1, 2, ..., `numbers`; 2 to 1000.
        rounds: Number of rounds, 1 to 10,000.
        payoff: Who pays the winner's point: the others ("share") or nobody ("prize").

    Raises:
        ValueError: If a parameter has a value that is not allowed.
    """

    name: ClassVar[str] = "lowest_unique"
    own_words: ClassVar[tuple[str, ...]] = ("round",)
    worked_round = WorkedRound((("1", "1", "4"), ("2", "2", "2")), "rounds=2")

    num_players: int = 3
    numbers: int = 5
    rounds: int = 1
    payoff: str = "share"

    def __post_init__(self) -> None:
        set_whole_number(self, "num_players", 2, MAX_PLAYERS)
        set_whole_number(self, "numbers", 2, MAX_NUMBERS)
        set_whole_number(self, "rounds", 1, MAX_ROUNDS)
        one_of("payoff", self.payoff, ("share", "prize"))

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; payoffs are bounded by winning, or paying for, every round."""
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=self.num_players,
            num_actions=self.numbers,
            observation_low=(0.0,) * (self.num_players + 1),
            observation_high=(float(self.rounds), *(1.0,) * self.num_players),
            min_payoff=0.0 - self.rounds * self._share,
            max_payoff=float(self.rounds),
            zero_sum=self.payoff == "share",
            seat_symmetric=True,
            public_state=True,
            max_length=self.rounds,
            chance="none",
        )

    @property
    def _share(self) -> float:
        """The amount that each other player pays to the winner of a round."""
        return 1.0 / (self.num_players - 1) if self.payoff == "share" else 0.0

    def initial(self) -> Sequence[Transition[LowestUniqueState]]:
        """The only start, with all rounds left."""
        return [Transition(CERTAIN, LowestUniqueState(self.rounds), (0.0,) * self.num_players)]

    def acting_players(self, state: LowestUniqueState) -> tuple[int, ...]:
        """All players act as long as rounds are left."""
        return self._everyone if state.rounds_left else ()

    def legal_actions(self, state: LowestUniqueState, player: int) -> tuple[int, ...]:
        """All numbers are legal; action `i` chooses `i + 1`."""
        return tuple(range(self.numbers)) if state.rounds_left else ()

    def transitions(
        self, state: LowestUniqueState, actions: Mapping[int, int]
    ) -> Sequence[Transition[LowestUniqueState]]:
        """The outcome of one round."""
        rewards = [0.0] * self.num_players
        winner = _lowest_unique(actions)
        if winner is not None:
            rewards = [0.0 - self._share] * self.num_players
            rewards[winner] = 1.0
        return [Transition(CERTAIN, LowestUniqueState(state.rounds_left - 1, winner), tuple(rewards))]

    def observation(self, state: LowestUniqueState, player: int) -> NDArray[np.float32]:
        """The rounds left and the last winner; seats are numbered from the player's own.

        Entries:
            1: rounds left, including the current one
            num_players: 1 for the seat that won the last round, else 0; the observer's own seat is first, and the
                others follow in seating order
        """
        seen = np.zeros(self.num_players + 1, dtype=np.float32)
        seen[0] = state.rounds_left
        if state.last_winner is not None:
            seen[1 + (state.last_winner - player) % self.num_players] = 1.0
        return seen

    def state_of(self, observation: NDArray[np.float32]) -> tuple[LowestUniqueState, int]:
        rounds_left, *won = observation.astype(int).tolist()
        return LowestUniqueState(rounds_left, won.index(1) if any(won) else None), 0

    def smallest(self) -> LowestUnique:
        return replace(self, num_players=min(self.num_players, 3), numbers=3, rounds=2)

    def check(self, state: LowestUniqueState) -> None:
        with reading_state(state, f"a LowestUniqueState with 0..{self.rounds} rounds left and a player or None"):
            whole_number("rounds_left", state.rounds_left, range(self.rounds + 1))
            if state.last_winner is not None:
                whole_number("last_winner", state.last_winner, range(self.num_players))
        if state.rounds_left == self.rounds and state.last_winner is not None:
            raise ValueError(f"state has last_winner {state.last_winner}, but no round was played")

    def describe(self, state: LowestUniqueState) -> str:
        """The rounds left and who won the last one."""
        lines = [f"rounds left {state.rounds_left}"]
        if state.rounds_left < self.rounds:
            won = "nobody" if state.last_winner is None else f"player_{state.last_winner}"
            lines.append(f"{won} won the last round")
        return "\n".join(lines)

    def describe_action(self, action: int, player: int = 0) -> str:
        return str(self.shown(action + 1))

    @property
    def ordinal_ranks(self) -> Sequence[int]:
        """The numbers to choose from."""
        return range(1, self.numbers + 1)

    @property
    def how_to_play(self) -> str:
        """Explains the choice, who wins a round, what it pays and who pays it."""
        others, numbers = self.num_players - 1, numbers_in_words([*map(self.shown, self.ordinal_ranks)])
        opponents = "your opponent" if others == 1 else f"your {others} opponents"
        paid = "nobody has to pay it"
        if self.payoff == "share":
            paid = "the other player pays it" if others == 1 else f"the others pay it, 1/{others} point each"
        sentences = (
            "The lowest number that only one player has chosen wins; if there is none, nobody wins.",
            f"You and {opponents} each choose a number from {numbers}, all at the same time.",
            f"The winner gets 1 point; {paid}.",
            f"You play {'one round' if self.rounds == 1 else f'{self.rounds:,} such rounds'}.",
            "Get as many points as you can.",
        )
        return " ".join(sentences)

    def scene(self, revealed: Revealed[LowestUniqueState]) -> Scene:
        if self.num_players > MOST_ROWS:
            return super().scene(revealed)
        last = revealed.last_actions
        winner = None if last is None or FORFEIT in last.values() else _lowest_unique(last)
        said = _said(revealed, winner)
        colour = "text" if winner is None else "win"
        shapes: list[Shape] = [label(MARGIN, TOP + 26, said, WIDTH - 2 * MARGIN, 22, bold=True, colour=colour)]
        for row, player in enumerate(seats_in_view(self.num_players, revealed.viewer)):
            top = TOP + STANDING + row * ROW
            paid = f"payoff {in_points(revealed.payoffs[player])}"
            shapes += name_plate(player, top + (NUMBER[1] - PLATE) / 2 + 3, revealed, paid)
            place = Box((WIDTH - NUMBER[0]) / 2, top, *NUMBER)
            shapes += last_play(self, revealed, player, place, 30, player == winner)
        total = _total(revealed) if revealed.over and self.rounds > 1 else ""
        height, left = TOP + STANDING + self.num_players * ROW + MARGIN, counted(revealed.state.rounds_left, "round")
        drawn = picture(self, revealed, height, f"{left} left", shapes, total or said)
        return replace(drawn, outcome=said) if total else drawn


def _lowest_unique(choices: Mapping[int, int]) -> int | None:
    """The player with the lowest unique choice; None if there is none."""
    several: set[int] = set()
    players: dict[int, int] = {}  # by the number chosen
    for player, choice in choices.items():
        if choice in players:
            several.add(choice)
        players[choice] = player
    unique = players.keys() - several
    return players[min(unique)] if unique else None


def _total(revealed: Revealed[LowestUniqueState]) -> str:
    """Who has won the most in all rounds."""
    most = max(revealed.payoffs)
    best = [player for player, paid in enumerate(revealed.payoffs) if paid == most]
    if len(best) == len(revealed.payoffs):
        return "A draw"
    who = revealed.does(best[0], "has") if len(best) == 1 else f"{len(best)} players have"
    return f"{who} the highest payoff, {in_points(most)}"


def _said(revealed: Revealed[LowestUniqueState], winner: int | None) -> str:
    """Describes the result of the last round."""
    if revealed.last_actions is None:
        return "No round was played yet"
    if FORFEIT in revealed.last_actions.values():
        return "The game is forfeited"
    return "Nobody won the round" if winner is None else f"{revealed.does(winner, 'has')} the lowest unique number"
