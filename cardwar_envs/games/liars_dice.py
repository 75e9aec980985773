"""Liar's dice: both players roll in private and take turns to bid on all dice, until one calls the other a liar.

Source: the rules are those of OpenSpiel's `liars_dice` for two players with its default `bidding_rule="reset-face"`
(M. Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games", arXiv:1908.09453, 2019).

Rules. Each of two players rolls `dice` dice and sees only its own. The players take turns, player 0 first. A bid 2x5
says that at least two of all dice show a 5; dice that show the highest face count as every face. A player bids more
than the last bid, either more dice with any face or as many dice with a higher face, or calls the other player a liar.
Then all dice are shown. If the last bid holds, the player who made it wins 1 point from the other, otherwise the player
who called it a lie does.

The game is played turn by turn: while one player chooses, the other has the single action "wait".

Version history: 0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.cards import GAP, card, die, face_to_face, stacked, standing
from cardwar_envs.core.game import CERTAIN, FORFEIT, Game, GameFacts, Transition
from cardwar_envs.core.parameters import checked_tuple, reading_state, set_whole_number, whole_number
from cardwar_envs.core.scene import MARGIN, Box, Revealed, Scene, Shape, label
from cardwar_envs.core.texts import WorkedRound

MAX_DICE, MAX_SIDES = 3, 10
NOTHING = (0.0, 0.0)
DIE, MOST_BIDS = 64.0, 6  # in the picture


class LiarsDiceState(NamedTuple):
    """A state of Liar's dice.

    Attributes:
        dice: Each player's dice, ascending.
        bids: The actions so far: bids, the last of which may be followed by the call of a lie.
    """

    dice: tuple[tuple[int, ...], tuple[int, ...]]
    bids: tuple[int, ...] = ()


@dataclass(frozen=True)
class LiarsDice(Game[LiarsDiceState]):
    """Liar's dice.

    Attributes:
        dice: Number of dice of each player; 1 to 3.
        sides: Number of faces of each die, 2 to 10; the highest face counts as every face.

    Raises:
        ValueError: If a parameter is out of its range.
    """

    name: ClassVar[str] = "liars_dice"
    own_words: ClassVar[tuple[str, ...]] = ("bid", "lie", "liar")
    worked_round = WorkedRound((("1x1", "wait"), ("wait", "1x2"), ("2x2", "wait"), ("wait", "liar")), "sides=3", deal=7)

    dice: int = 1
    sides: int = 6

    def __post_init__(self) -> None:
        set_whole_number(self, "dice", 1, MAX_DICE)
        set_whole_number(self, "sides", 2, MAX_SIDES)

    @cached_property
    def num_bids(self) -> int:
        """Number of bids; bid `i` is on `i // sides + 1` dice that show `i % sides + 1`."""
        return 2 * self.dice * self.sides

    @property
    def liar(self) -> int:
        """The action that calls the last bid a lie."""
        return self.num_bids

    @property
    def wait(self) -> int:
        """The only action of a player whose turn it is not."""
        return self.num_bids + 1

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; every bid can be made once."""
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=self.num_bids + 2,
            observation_low=(0.0,) * (1 + self.sides + self.num_bids + 1),
            observation_high=(1.0, *(float(self.dice),) * self.sides, *(1.0,) * (self.num_bids + 1)),
            min_payoff=-1.0,
            max_payoff=1.0,
            zero_sum=True,
            seat_symmetric=False,
            public_state=False,
            max_length=self.num_bids + 1,
            chance="deal",
        )

    def initial(self) -> Sequence[Transition[LiarsDiceState]]:
        """All pairs of rolls; a roll is listed once, whatever the order of its dice."""
        return self._deals

    @cached_property
    def _deals(self) -> tuple[Transition[LiarsDiceState], ...]:
        faces = range(1, self.sides + 1)
        rolls = [(roll, self._odds(roll)) for roll in combinations_with_replacement(faces, self.dice)]
        return tuple(
            Transition(p * q, LiarsDiceState((own, other)), NOTHING) for (own, p), (other, q) in product(rolls, rolls)
        )

    def _odds(self, roll: tuple[int, ...]) -> Fraction:
        orders = factorial(self.dice) // prod(factorial(roll.count(face)) for face in set(roll))
        return Fraction(orders, self.sides**self.dice)

    def acting_players(self, state: LiarsDiceState) -> tuple[int, ...]:
        """Both players, until one has called a lie; the player whose turn it is not can only wait."""
        return () if state.bids and state.bids[-1] == self.liar else (0, 1)

    def legal_actions(self, state: LiarsDiceState, player: int) -> tuple[int, ...]:
        """All higher bids and, after a bid, the call of a lie; a player who waits can only wait."""
        if not self.acting_players(state):
            return ()
        if player != len(state.bids) % 2:
            return (self.wait,)
        return tuple(range(state.bids[-1] + 1, self.num_bids + 1)) if state.bids else tuple(range(self.num_bids))

    def transitions(self, state: LiarsDiceState, actions: Mapping[int, int]) -> Sequence[Transition[LiarsDiceState]]:
        """A bid, or the end of the game."""
        action = actions[len(state.bids) % 2]
        after = LiarsDiceState(state.dice, (*state.bids, action))
        return [Transition(CERTAIN, after, self._paid(state) if action == self.liar else NOTHING)]

    def settled(self, state: LiarsDiceState) -> tuple[float, float] | None:
        """After the highest bid, the only move is to call it a lie."""
        return self._paid(state) if state.bids and state.bids[-1] == self.num_bids - 1 else None

    def _paid(self, state: LiarsDiceState) -> tuple[float, float]:
        """What the players are paid if the last bid is called a lie."""
        bid = state.bids[-1]
        won = (self._found(state, bid) > bid // self.sides) == (len(state.bids) % 2 == 1)
        return (1.0, -1.0) if won else (-1.0, 1.0)

    def _found(self, state: LiarsDiceState, bid: int) -> int:
        """The number of dice that count as the face of a bid."""
        return sum(roll in (bid % self.sides + 1, self.sides) for own in state.dice for roll in own)

    def observation(self, state: LiarsDiceState, player: int) -> NDArray[np.float32]:
        """The player's own dice and all actions so far; the other player's dice are hidden.

        Entries:
            1: own seat, 0 or 1
            sides: own dice that show each face, from the lowest face
            num_bids: 1 for each bid that was made, else 0; bids rise, so this shows their order and who made them
            1: 1 if the last bid was called a lie, else 0
        """
        row = np.zeros(self.facts.observation_size, dtype=np.float32)
        row[0] = player
        for roll in state.dice[player]:
            row[roll] += 1.0
        row[[1 + self.sides + bid for bid in state.bids]] = 1.0
        return row

    def count_states(self, canonical: bool) -> int:
        """Deals times sets of bids without the highest one."""
        return len(self._deals) * (1 << (self.num_bids - 1))

    def with_size(self, size: int) -> LiarsDice:
        return replace(self, sides=size)

    def smallest(self) -> LiarsDice:
        return replace(self, dice=1, sides=2)

    def check(self, state: LiarsDiceState) -> None:
        with reading_state(state, f"a LiarsDiceState of {self.dice} dice of each player and the bids"):
            dice, bids = tuple(map(checked_tuple, ("dice", "dice"), state.dice)), checked_tuple("bids", state.bids)
            if [len(own) for own in dice] != [self.dice] * 2:
                raise ValueError(f"state has dice {dice}, which must be {self.dice} of each player")
            for roll in (*dice[0], *dice[1]):
                whole_number("die", roll, range(1, self.sides + 1))
            for bid in bids:
                whole_number("bid", bid, range(self.num_bids + 1))
        if any(tuple(sorted(own)) != own for own in dice):
            raise ValueError(f"state has dice {dice}, which must be ascending for each player")
        if list(bids) != sorted({*bids}) or bids[:1] == (self.liar,):
            raise ValueError(f"state has bids {bids}, which must rise and begin with a bid")

    def describe(self, state: LiarsDiceState) -> str:
        """The dice, which stay hidden until a lie is called, and the actions so far."""
        return self._lines(state, () if self.acting_players(state) else (0, 1))

    def scene(self, revealed: Revealed[LiarsDiceState]) -> Scene:
        state, seen, reason = revealed.state, self._seen(revealed), self._reason(revealed)
        said = standing(revealed, revealed.payoffs[0]) if revealed.over else reason

        def seat(player: int, top: float, near: bool) -> list[Shape]:
            rolls = state.dice[player] if player in seen else (None,) * self.dice
            turned = len(seen) > 1 and player != revealed.viewer
            places = [Box(MARGIN + place * (DIE + GAP), top, DIE, DIE, turned=turned) for place in range(self.dice)]
            return [s for place, roll in zip(places, rolls, strict=True) for s in die(place, roll, self.sides, player)]

        def between(panel: Box, seats: Sequence[int]) -> list[Shape]:
            left, colour = panel.x + 20, "win" if revealed.over else "text"
            lines = [(said, 24.0, True, colour), (reason if revealed.over else "", 20.0, False, "text")]
            shapes = stacked(lines, Box(left, panel.y + 92, panel.width - 40, 72))
            shapes.append(label(left, panel.y + 28, "bids", 200, 18, colour="muted"))
            for place, (turn, bid) in enumerate([*enumerate(state.bids)][-MOST_BIDS:]):
                box, last = Box(left + 88 * place, panel.y + 38, 80, 50), turn == len(state.bids) - 1
                shapes += card(box, self.describe_action(bid), turn % 2, 24, turned=last)
            return shapes

        aside = f"{self.sides} counts as any face"
        drawn = face_to_face(self, revealed, aside, said, seat, (DIE, DIE), between, 172)
        return replace(drawn, outcome=reason) if revealed.over else drawn

    def _reason(self, revealed: Revealed[LiarsDiceState]) -> str:
        """Why the game ended, or whose turn it is."""
        state, forfeited = revealed.state, FORFEIT in (revealed.last_actions or {}).values()
        if forfeited or not revealed.over:
            return "The game is forfeited" if forfeited else f"{revealed.does(len(state.bids) % 2, 'bids')} next"
        *_, bid, _ = state.bids
        found = self._found(state, bid)
        dice = "1 die counts" if found == 1 else f"{found or 'No'} dice count"
        truth = "true" if found > bid // self.sides else "a lie"
        return f"{dice} as {bid % self.sides + 1}: the bid {self.describe_action(bid)} is {truth}"

    def _seen(self, revealed: Revealed[LiarsDiceState]) -> tuple[int, ...]:
        """The players whose dice the viewer may see: after a call, both."""
        if not self.acting_players(revealed.state):
            return (0, 1)
        return () if revealed.viewer is None else (revealed.viewer,)

    def describe_revealed(self, revealed: Revealed[LiarsDiceState]) -> str:
        """The dice that the viewer may see, and the actions so far; after a call, all dice."""
        seen = self._seen(revealed)
        course = self.describe_course(revealed) if revealed.over else []  # tells of a forfeit, too
        return "\n".join([self._lines(revealed.state, seen), *course])

    def _lines(self, state: LiarsDiceState, seen: Sequence[int]) -> str:
        rolls = [" ".join(map(str, own)) if player in seen else "?" for player, own in enumerate(state.dice)]
        lines = [f"player_{player}  dice {roll}" for player, roll in enumerate(rolls)]
        lines += [f"player_{turn % 2}  {self.describe_action(bid)}" for turn, bid in enumerate(state.bids)]
        return "\n".join(lines)

    def describe_action(self, action: int, player: int = 0) -> str:
        if action >= self.num_bids:
            return "liar" if action == self.liar else "wait"
        amount, face = divmod(action, self.sides)
        return f"{amount + 1}x{face + 1}"

    def waits(self, action: int) -> bool:
        return action == self.wait

    def seat_in_words(self, player: int) -> str:
        return ("You bid first.", "Your opponent bids first.")[player]

    @property
    def how_to_play(self) -> str:
        """Explains the bids, the call and what it pays."""
        own = "a die" if self.dice == 1 else f"{self.dice} dice"
        sentences = (
            "Catch your opponent in a lie, or tell lies that are believed.",
            f"You and your opponent each roll {own} with faces 1 to {self.sides}; you see only your own.",
            "You take turns, seat 0 first; the other player waits.",
            f"A bid 1x2 says that at least one of all {2 * self.dice} dice shows a 2.",
            f"Dice that show a {self.sides} count as every face.",
            "Bid more than the last bid, with more dice, or with as many dice and a higher face; or call it a lie.",
            "That call is the move liar.",
            "Then all dice are shown, and if the bid is true, the player who made it wins 1 point from the other.",
            "Otherwise the player who called it a lie wins 1 point.",
        )
        return " ".join(sentences)
