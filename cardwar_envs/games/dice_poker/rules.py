"""Dice Poker: both players roll a die in private; one raises or checks, and the other calls or folds.

Source: D. Rauscher, "538 Riddler: Dice Poker" (2017), with six-sided dice, an ante of 1 and a
raise of 1. Each player puts in the ante and rolls a die that only that player sees. Player 0 commits to raise or to
check; at the same time player 1 commits to call or to fold *in case of a raise*. After a check the higher roll wins the
other player's ante; after a raise and a fold player 0 wins the ante; after a raise and a call the higher roll wins ante
and raise. Equal rolls win nothing.

Version history: 0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.cards import INSIDE, die, picture, seats_in_view
from cardwar_envs.core.forms import BayesianForm, CompiledRules
from cardwar_envs.core.game import CERTAIN, Game, GameFacts, Transition
from cardwar_envs.core.parameters import reading_state, set_whole_number
from cardwar_envs.core.scene import (
    MARGIN,
    WIDTH,
    Box,
    Revealed,
    Scene,
    Shape,
    centred,
    in_points,
    label,
    player_colour,
)
from cardwar_envs.core.texts import WorkedRound

# The game's arrays take 32 bytes per pair of rolls, and solving it takes several times as much memory.
MAX_SIDES = 2000
CHECK, RAISE = FOLD, CALL = 0, 1
ACTIONS = (("check", "raise"), ("fold", "call"))
LARGEST_STAKE = 1e9
TOP, PANEL, GAP, FOOT = 72.0, 256.0, 16.0, 64.0
DIE = 116.0


class DicePokerState(NamedTuple):
    """A state of Dice Poker.

    Attributes:
        rolls: Each player's roll.
        actions: The action of each player; None before they have acted.
    """

    rolls: tuple[int, int]
    actions: tuple[int, int] | None = None


@dataclass(frozen=True)
class DicePoker(Game[DicePokerState]):
    """Dice Poker.

    Attributes:
        sides: Number of faces of each die, 2 to 2000.
        ante: Stake of both players before they roll, in payoff points; 0 to 1,000,000,000.
        raise_size: Stake that a raise adds to the ante, in payoff points; above 0, at most 1,000,000,000.

    Raises:
        ValueError: If a parameter is out of its range.
    """

    name: ClassVar[str] = "dice_poker"
    own_words: ClassVar[tuple[str, ...]] = ("check", "raise", "fold", "call")
    worked_round = WorkedRound((("raise", "call"),), deal=8)

    sides: int = 6
    ante: float = 1.0
    raise_size: float = 1.0

    def __post_init__(self) -> None:
        set_whole_number(self, "sides", 2, MAX_SIDES)
        object.__setattr__(self, "ante", _stake("ante", self.ante))
        object.__setattr__(self, "raise_size", _stake("raise_size", self.raise_size))
        if self.raise_size == 0.0:
            raise ValueError("raise_size (0) must be above 0")

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; no player can lose more than the ante plus the raise."""
        stakes = self.ante + self.raise_size
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=2,
            observation_low=(1.0, 0.0),
            observation_high=(float(self.sides), 1.0),
            min_payoff=-stakes,
            max_payoff=stakes,
            zero_sum=True,
            seat_symmetric=False,
            public_state=False,
            max_length=1,
            chance="deal",
        )

    def initial(self) -> Sequence[Transition[DicePokerState]]:
        """All pairs of rolls, with equal probability."""
        return self._deals

    @cached_property
    def _deals(self) -> tuple[Transition[DicePokerState], ...]:
        probability = Fraction(1, self.sides**2)
        faces = range(1, self.sides + 1)
        return tuple(Transition(probability, DicePokerState((a, b)), (0.0, 0.0)) for a in faces for b in faces)

    def acting_players(self, state: DicePokerState) -> tuple[int, ...]:
        """Both players act simultaneously, once per game."""
        return (0, 1) if state.actions is None else ()

    def legal_actions(self, state: DicePokerState, player: int) -> tuple[int, ...]:
        """Player 0 can check (0) or raise (1); player 1 can fold (0) or call (1)."""
        return (0, 1) if state.actions is None else ()

    def transitions(self, state: DicePokerState, actions: Mapping[int, int]) -> Sequence[Transition[DicePokerState]]:
        """The end of the game: a showdown, or player 1's fold after a raise."""
        after = DicePokerState(state.rolls, (actions[0], actions[1]))
        paid = self._payoff(state.rolls, after.actions)
        return [Transition(CERTAIN, after, (paid, 0.0 - paid))]

    def _payoff(self, rolls: tuple[int, int], actions: tuple[int, int] | None) -> float:
        if actions == (RAISE, FOLD):
            return self.ante
        stake = self.ante + self.raise_size if actions == (RAISE, CALL) else self.ante
        return stake * ((rolls[0] > rolls[1]) - (rolls[0] < rolls[1]))

    def observation(self, state: DicePokerState, player: int) -> NDArray[np.float32]:
        """The player's own roll and seat; the other player's roll and action are hidden.

        Entries:
            1: own roll
            1: own seat, 0 or 1
        """
        return np.array((state.rolls[player], player), dtype=np.float32)

    def bayesian_form(self) -> BayesianForm:
        """The whole game as arrays; a player's types are the rolls, from 1 up."""
        faces = np.arange(1, self.sides + 1)
        higher = np.sign(faces[:, None] - faces[None, :]).astype(np.float64)
        payoffs = np.empty((self.sides, self.sides, 2, 2))
        payoffs[:, :, CHECK, :] = (self.ante * higher)[:, :, None]
        payoffs[:, :, RAISE, FOLD] = self.ante
        payoffs[:, :, RAISE, CALL] = (self.ante + self.raise_size) * higher
        seen = [np.column_stack([faces, np.full(self.sides, player)]).astype(np.float32) for player in (0, 1)]
        return BayesianForm(
            deals=np.ones((self.sides, self.sides), dtype=np.int64),
            payoffs=payoffs,
            observations=(seen[0], seen[1]),
            actions=((0, 1), (0, 1)),
            types=(tuple(map(str, faces)), tuple(map(str, faces))),
        )

    def compiled_rules(self) -> CompiledRules[DicePokerState]:
        """The compiled rules; a row holds both rolls and both actions, which are -1 before they are chosen."""
        from cardwar_envs.games.dice_poker import kernel  # compiles on first use

        def to_row(state: DicePokerState) -> NDArray[np.float32]:
            return np.array((*state.rolls, *(state.actions or (-1, -1))), dtype=np.float32)

        def from_row(row: NDArray[np.float32]) -> DicePokerState:
            roll_0, roll_1, action_0, action_1 = row.astype(int).tolist()
            return DicePokerState((roll_0, roll_1), None if action_0 < 0 else (action_0, action_1))

        tables = (self.sides, self.ante, self.ante + self.raise_size)
        return CompiledRules(kernel, tables, 4, to_row, from_row)

    def smallest(self) -> DicePoker:
        return replace(self, sides=2)

    def check(self, state: DicePokerState) -> None:
        with reading_state(state, "a DicePokerState of two rolls and either two actions or None"):
            (roll_0, roll_1), actions = state.rolls, state.actions
            rolls = index(roll_0), index(roll_1)
        for player, roll in enumerate(rolls):
            if not 1 <= roll <= self.sides:
                raise ValueError(f"state has roll {roll} of player_{player}, which must be in 1..{self.sides}")
        if actions is not None and actions not in [(a, b) for a in (0, 1) for b in (0, 1)]:
            raise ValueError(f"state has actions {actions!r}, which must be None or two of 0 and 1")

    def describe(self, state: DicePokerState) -> str:
        """The rolls, which stay hidden until the end."""
        if state.actions is None:
            return "player_0 rolled ?\nplayer_1 rolled ?"
        return "\n".join(f"player_{player} rolled {roll}" for player, roll in enumerate(state.rolls))

    def describe_revealed(self, revealed: Revealed[DicePokerState]) -> str:
        """The rolls that the viewer may see, the moves, and whether the game is over."""
        rolls = _seen_rolls(revealed)
        lines = [f"player_{player} rolled {'?' if roll is None else roll}" for player, roll in enumerate(rolls)]
        return "\n".join([*lines, *self.describe_course(revealed)])

    @property
    def how_to_play(self) -> str:
        """Explains the ante, the choices, and what each of them pays."""
        low, high = _in_words(self.ante), _in_words(self.ante + self.raise_size)
        sentences = (
            "The higher roll wins, unless a player raises and the other folds.",
            f"You and your opponent both put in {low} and roll a die with faces 1 to {self.sides}.",
            "You see only your own roll. Then you both choose, once and at the same time.",
            "In seat 0 you check or raise; in seat 1 you decide whether to fold or to call if the other raises.",
            f"After a check, the higher roll wins {low} from the other.",
            f"After a raise and a fold, the player who raised wins {low}, whatever was rolled.",
            f"After a raise and a call, the higher roll wins {high}.",
            "Equal rolls win nothing.",
        )
        return " ".join(sentences)

    def seat_in_words(self, player: int) -> str:
        return ("You check or raise.", "You fold or call if your opponent raises.")[player]

    def scene(self, revealed: Revealed[DicePokerState]) -> Scene:
        rolls, wide, plays = _seen_rolls(revealed), (INSIDE - GAP) / 2, revealed.last_actions
        shapes: list[Shape] = []
        for column, player in enumerate(seats_in_view(2, revealed.viewer)):
            panel = Box(MARGIN + column * (wide + GAP), TOP, wide, PANEL, "panel", radius=14)
            plate = Box(panel.x + 16, panel.y + 16, panel.width - 32, 32, player_colour(player), radius=16, line=0)
            name = revealed.name(player) + (", you" if player == revealed.viewer and not revealed.names else "")
            turned = plays is not None and player != revealed.viewer
            place = Box(panel.x + (wide - DIE) / 2, panel.y + 66, DIE, DIE, turned=turned)
            done = Box(panel.x + 10, panel.y + 196, panel.width - 20, 44)
            shapes += [
                panel,
                plate,
                centred(plate, name, 20, bold=True),
                *die(place, rolls[player], self.sides, player),
            ]
            words = "to decide" if plays is None else self.describe_play(plays[player], player)
            if player == 1 and revealed.state.actions and revealed.state.actions[0] == CHECK:
                words = f"would {words}"
            shapes.append(centred(done, words, 26, bold=plays is not None))
        outcome = _outcome(revealed)
        shapes.append(label(WIDTH / 2, TOP + PANEL + 42, outcome, INSIDE, 26, "middle", bold=True, colour="win"))
        stakes = f"ante {in_points(self.ante, '')}, raise {in_points(self.raise_size, '')}"
        return picture(self, revealed, TOP + PANEL + FOOT, stakes, shapes, outcome)

    def describe_action(self, action: int, player: int = 0) -> str:
        return ACTIONS[player][action]


def _in_words(stake: float) -> str:
    return f"{in_points(stake, '')} point{'' if stake == 1.0 else 's'}"


def _stake(field: str, stake: object) -> float:
    no_number = bool, np.timedelta64  # Python and NumPy treat these as integers
    if isinstance(stake, no_number) or not isinstance(stake, (int, float, np.integer, np.floating)):
        raise ValueError(f"{field} ({stake}) must be a number")
    if not 0.0 <= stake <= LARGEST_STAKE:  # also rejects NaN
        raise ValueError(f"{field} ({stake}) must be in 0..{LARGEST_STAKE:g}")
    return abs(float(stake))  # -0.0 becomes 0.0


def _seen_rolls(revealed: Revealed[DicePokerState]) -> tuple[int | None, int | None]:
    """The rolls that the viewer may see: the viewer's own roll and, once both players have acted, both rolls.

    After a forfeit the rolls stay hidden, because a player who has not acted must not see the other roll.
    """
    (roll_0, roll_1), actions = revealed.state
    shown = actions is not None
    return roll_0 if shown or revealed.viewer == 0 else None, roll_1 if shown or revealed.viewer == 1 else None


def _outcome(revealed: Revealed[DicePokerState]) -> str:
    if not revealed.over:
        return "Both decide at the same time"
    paid, (roll_0, roll_1), actions = revealed.payoffs[0], *revealed.state
    if not paid:
        return f"Nobody wins anything{' with equal rolls' * (roll_0 == roll_1)}"
    how = ""
    if actions is not None:  # otherwise the game was forfeited
        how = f" after {revealed.whose(1)} fold" if actions == (RAISE, FOLD) else " with the higher roll"
    return f"{revealed.does(int(paid < 0), 'wins')} {in_points(abs(paid), '')}{how}"
