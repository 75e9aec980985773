"""Oshi-Zumo: both players bid coins simultaneously, and the higher bid pushes the wrestler one field.

Source: M. Buro, "Solving the Oshi-Zumo game", Advances in Computer Games (2004). The parameters and the payoffs are
those of OpenSpiel's `oshi_zumo`. In the variant Alesia, the game is a draw unless the wrestler leaves the board.

Rules. Each of two players has `coins` coins. A wrestler stands in the middle of a row of 2 * `size` + 1 fields. In each
move both players simultaneously bid at least `min_bid` of their coins; a player who has fewer bids 0. Both lose the
coins that they bid. The higher bid pushes the wrestler one field towards the other player; after equal bids it stays
where it is. The game ends when the wrestler is off the board, when neither player can bid a coin any more, or after
`horizon` moves.

Payoff: a player wins 1 point from the other if the wrestler is off the board on the other's side or, without `alesia`,
if it stands on the other's side at the end. Otherwise the game is a draw.

OpenSpiel differs in one case: there, a player with some coins but fewer than `min_bid` bids all of them. That can occur
only if `min_bid` is at least 2.

Version history: 0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.cards import INSIDE, face_to_face, last_play, standing
from cardwar_envs.core.forms import CompiledRules
from cardwar_envs.core.game import CERTAIN, Canonical, Game, GameFacts, Transition
from cardwar_envs.core.parameters import one_of, reading_state, set_whole_number, whole_number, whole_numbers
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Revealed, Scene, Shape, label, player_colour
from cardwar_envs.core.texts import WorkedRound, counted
from cardwar_envs.games.oshi_zumo.board import BOARD, board_shapes

MAX_COINS = 10_000
MAX_SIZE = 1000
# Maximum number of moves; larger numbers would not be exact in an observation.
MAX_HORIZON = 1 << 24
BAR, BID, SPACE = 30.0, 64.0, 18.0


class OshiZumoState(NamedTuple):
    """A state of Oshi-Zumo.

    Attributes:
        coins: The coins that each player has left.
        position: The wrestler's position in fields from the centre, positive on player 1's side. It is off the board if
            it is further away than the board's `size`.
        moves_left: min(moves up to the horizon, max(coins) // min_bid), or the first of these if `min_bid` is 0.
    """

    coins: tuple[int, int]
    position: int
    moves_left: int


@dataclass(frozen=True)
class OshiZumo(Game[OshiZumoState]):
    """Oshi-Zumo.

    Attributes:
        coins: Coins of each player at the start; 1 to 10,000.
        size: Fields on each side of the middle; 1 to 1000.
        min_bid: Minimum bid of a player who has that many coins; 0 to `coins`.
        horizon: Number of moves after which the game ends; 1 to 16,777,216.
        alesia: Whether the game is a draw unless the wrestler leaves the board.

    Raises:
        ValueError: If a parameter is out of its range.
    """

    name: ClassVar[str] = "oshi_zumo"
    own_words: ClassVar[tuple[str, ...]] = ("wrestler", "W", "coin", "bid")
    worked_round = WorkedRound((("2", "1"), ("1", "3"), ("1", "1"), ("1", "0")), "coins=5 size=1")

    coins: int = 50
    size: int = 3
    min_bid: int = 1
    horizon: int = 1000
    alesia: bool = False

    def __post_init__(self) -> None:
        set_whole_number(self, "coins", 1, MAX_COINS)
        set_whole_number(self, "size", 1, MAX_SIZE)
        set_whole_number(self, "min_bid", 0, self.coins)
        set_whole_number(self, "horizon", 1, MAX_HORIZON)
        object.__setattr__(self, "alesia", bool(one_of("alesia", self.alesia, (False, True))))

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; if bids can be 0, positions recur, and only the horizon bounds the length of the game."""
        longest = self._moves_at_most((self.coins, self.coins), self.horizon)
        off = self.size + 1.0
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=self.coins + 1,
            observation_low=(0.0, 0.0, -off, 0.0),
            observation_high=(float(self.coins), float(self.coins), off, float(longest)),
            min_payoff=-1.0,
            max_payoff=1.0,
            zero_sum=True,
            seat_symmetric=True,
            public_state=True,
            max_length=longest,
            max_rounds=None if self.min_bid else self.horizon,
            chance="none",
        )

    def _moves_at_most(self, coins: tuple[int, int], horizon: int) -> int:
        """Moves until neither player can bid or the horizon is reached; a player who can bid bids at least `min_bid`.

        `moves_left` is at most this number. So if coins run out before the horizon, positions that differ only in the
        number of moves made are the same state.
        """
        return min(horizon, max(coins) // self.min_bid) if self.min_bid else horizon

    # -- rules ---------------------------------------------------------------------------

    def initial(self) -> Sequence[Transition[OshiZumoState]]:
        """The only start, with the wrestler in the middle."""
        start = OshiZumoState((self.coins, self.coins), 0, self.facts.max_length)
        return [Transition(CERTAIN, start, (0.0, 0.0))]

    def acting_players(self, state: OshiZumoState) -> tuple[int, ...]:
        """Both players act as long as the wrestler is on the board, a player can bid a coin, and moves are left."""
        return (0, 1) if state.moves_left and any(state.coins) and abs(state.position) <= self.size else ()

    def legal_actions(self, state: OshiZumoState, player: int) -> tuple[int, ...]:
        """Bids from `min_bid` to all of the player's coins; action `i` bids `i` coins."""
        if not self.acting_players(state):
            return ()
        return tuple(range(self.min_bid, state.coins[player] + 1)) or (0,)

    def transitions(self, state: OshiZumoState, actions: Mapping[int, int]) -> Sequence[Transition[OshiZumoState]]:
        """The outcome of one move: both players pay their bids, and the wrestler moves."""
        coins = state.coins[0] - actions[0], state.coins[1] - actions[1]
        position = state.position + (actions[0] > actions[1]) - (actions[0] < actions[1])
        after = OshiZumoState(coins, position, self._moves_at_most(coins, state.moves_left - 1))
        paid = 0.0 if self.acting_players(after) else self._payoff(position)
        return [Transition(CERTAIN, after, (paid, 0.0 - paid))]

    def _payoff(self, position: int) -> float:
        """Player 0's payoff for a final position of the wrestler."""
        counts = abs(position) > self.size or not self.alesia
        return float(position > 0) - float(position < 0) if counts else 0.0

    # -- what players see -----------------------------------------------------------------

    def observation(self, state: OshiZumoState, player: int) -> NDArray[np.float32]:
        """The coins, the wrestler's position and the moves left, as the player sees them.

        Entries:
            1: own coins
            1: the other player's coins
            1: fields from the middle to the wrestler, positive on the other player's side
            1: moves left: min(moves up to the horizon, max(coins) // min_bid), or the moves up to the horizon if
                `min_bid` is 0
        """
        own, other = state.coins[player], state.coins[1 - player]
        position = state.position if player == 0 else -state.position
        return np.array((own, other, position, state.moves_left), dtype=np.float32)

    def moves_left(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The last entry."""
        return observations[:, -1].astype(np.int64)

    def state_of(self, observation: NDArray[np.float32]) -> tuple[OshiZumoState, int]:
        own, other, position, moves_left = observation.astype(int).tolist()
        return OshiZumoState((own, other), position, moves_left), 0

    def compiled_rules(self) -> CompiledRules[OshiZumoState]:
        """Compiled rules; a row is player 0's observation."""
        from cardwar_envs.games.oshi_zumo import kernel  # compiles on first use

        tables = (self.coins, self.size, self.min_bid, self.facts.max_length, self.alesia)
        return CompiledRules(kernel, tables, row_size=4)

    def canonical(self, state: OshiZumoState) -> Canonical[OshiZumoState]:
        """Swaps the seats if the result is lower."""
        mirrored = OshiZumoState(state.coins[::-1], -state.position, state.moves_left)
        return Canonical(mirrored, (1, 0)) if mirrored < state else Canonical(state, (0, 1))

    def state_defaults(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The wrestler in the middle, and as many moves as these coins and the wrestler's position allow."""
        position = given.get("position", 0)
        moves_left = self._moves_at_most(given.get("coins", (0, 0)), self.horizon - abs(position))
        return {"position": position, "moves_left": moves_left}

    def smallest(self) -> OshiZumo:
        return replace(self, coins=3, size=1, min_bid=min(self.min_bid, 1), horizon=3)

    def check(self, state: OshiZumoState) -> None:
        with reading_state(state, "an OshiZumoState of two coin counts, a position and a number of moves"):
            coins_0, coins_1 = coins = whole_numbers("coins", state.coins)
            position, moves_left = whole_number("position", state.position), whole_number("moves", state.moves_left)
        if not all(0 <= each <= self.coins for each in (coins_0, coins_1)):
            raise ValueError(f"state has coins {coins}, which must be in 0..{self.coins}")
        # Each field towards the other player has cost a bid of at least one coin.
        dearest = max(1, self.min_bid)
        pushed = abs(position) * dearest
        if abs(position) > self.size + 1 or pushed > self.coins - (coins_0 if position > 0 else coins_1):
            raise ValueError(f"state has position {position}, impossible with coins {coins} left")
        most = self._moves_at_most((coins_0, coins_1), self.horizon - abs(position))
        if not 0 <= moves_left <= most:
            raise ValueError(f"state has {moves_left} moves left, which must be in 0..{most}")

    def describe(self, state: OshiZumoState) -> str:
        """The board between the two players' names, each at that player's end; the coins and the moves left."""
        off = self.size + 1
        fields = ["|" if abs(field) == off else "." for field in range(-off, off + 1)]
        fields[state.position + off] = "W"
        coins = (f"player_{player}  coins {each}" for player, each in enumerate(state.coins))
        board = f"player_0  {' '.join(fields)}  player_1"
        return "\n".join([board, *coins, f"moves left {state.moves_left}"])

    def describe_action(self, action: int, player: int = 0) -> str:
        return str(action)

    @property
    def how_to_play(self) -> str:
        """Explains the coins, what a bid does, when the game ends and who wins."""
        bid = "any number of your coins at the same time, even none"
        if self.min_bid:
            bid = f"some of your coins at the same time, at least {self.min_bid} (none if you have fewer)"
        left = "a coin" if self.min_bid < 2 else counted(self.min_bid, "coin")
        ends = f"or when neither of you has {left} left"
        if not self.min_bid or self.horizon < self.coins // self.min_bid:  # else coins run out first
            ends = f"when neither of you has {left} left, or after {counted(self.horizon, 'move')}"
        won = "The player who pushes the wrestler off the row at the other's end wins 1 point from the other"
        late = (
            "the player on whose side of the middle it stands loses 1 point to the other; in the middle, it is a draw"
        )
        if self.alesia:
            late = "it is a draw"
        sentences = (
            f"{won}.",
            f"You and your opponent have {counted(self.coins, 'coin')} each.",
            f"The wrestler stands in the middle of a row of {2 * self.size + 1:,} fields; in texts it is W.",
            f"In each move, you both bid {bid}; what you bid is gone.",
            "The higher bid pushes the wrestler one field towards the other player; equal bids leave it where it is.",
            f"The game ends when the wrestler is off the row, {ends}.",
            f"If it is still on the row then, {late}.",
        )
        return " ".join(sentences)

    def scene(self, revealed: Revealed[OshiZumoState]) -> Scene:
        state, lines = revealed.state, [_where(revealed, self.size)]
        if revealed.over:
            lines.append(standing(revealed, revealed.payoffs[0] - revealed.payoffs[1]))

        def seat(player: int, top: float, near: bool) -> list[Shape]:
            bid = Box(WIDTH - MARGIN - BID, top, BID, BID)
            return [*_purse(state.coins[player], self.coins, player, top), *_bid(self, revealed, player, bid)]

        def between(panel: Box, seats: Sequence[int]) -> list[Shape]:
            below, wide = panel.y + BOARD - 12 - 14 * len(lines), INSIDE - 2 * MARGIN
            said = [
                label(WIDTH / 2, below + 28 * i, line, wide, 20, "middle", bold=True) for i, line in enumerate(lines)
            ]
            return [*board_shapes(state.position, self.size, panel, revealed), *said]

        drawn = face_to_face(self, revealed, _left(revealed), lines[-1], seat, (BID, BID), between, BOARD, SPACE)
        return replace(drawn, outcome=lines[0]) if revealed.over else drawn


def _purse(left: int, coins: int, player: int, top: float) -> list[Shape]:
    """Draws a bar as long as the remaining coins, and their number."""
    room, top = INSIDE - 320, top + (BID - BAR) / 2
    shapes: list[Shape] = [Box(MARGIN, top, room, BAR, "panel")]
    if left:
        shapes.append(Box(MARGIN, top, max(room * left / coins, 6.0), BAR, "card", player_colour(player), 4, 6))
    shapes.append(label(MARGIN + room + 10, top + 22, f"{left} of {coins} coins", 145, 19))
    return shapes


def _bid(game: OshiZumo, revealed: Revealed[OshiZumoState], player: int, box: Box) -> list[Shape]:
    """Draws a player's last bid, with its name."""
    shapes: list[Shape] = [label(box.x - 12, box.y + box.height / 2 + 6, "last bid", 120, 18, "end", colour="muted")]
    actions = revealed.last_actions
    won = actions is not None and actions[player] > actions[1 - player] >= 0
    return [*shapes, *last_play(game, revealed, player, box, 30, won)]


def _left(revealed: Revealed[OshiZumoState]) -> str:
    """How many moves are left, or at the end, why there are none."""
    state = revealed.state
    if not revealed.over:
        return f"at most {counted(state.moves_left, 'move')} left"
    return "the game is over" if any(state.coins) else "all coins are gone"


def _where(revealed: Revealed[OshiZumoState], size: int) -> str:
    """Where the wrestler stands."""
    position = revealed.state.position
    if position == 0:
        return "The wrestler stands in the middle"
    side = revealed.whose(int(position > 0))
    if abs(position) > size:
        return f"The wrestler is off the board at {side} end"
    return f"The wrestler stands {counted(abs(position), 'field')} on {side} side"
