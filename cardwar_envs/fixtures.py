"""Environments with known exact values, for testing other libraries: `from cardwar_envs.fixtures import FIXTURES`.

These are small simultaneous-move environments with action masks. In some of them agents terminate at different times,
wait, are paid by the deal, or have private information. For each one, `uniform_returns` is the exact expected return of
every agent under uniform random play, to compare with rollouts. `python -m cardwar_envs.fixtures` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, GameFacts, Transition
from cardwar_envs.core.parameters import reading_state
from cardwar_envs.core.play import joint_actions
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.games.by_name import make_game

KnockOutState = tuple[int, tuple[int, ...]]
DUCK, STAND, WAIT = range(3)


@dataclass(frozen=True)
class KnockOut(Game[KnockOutState]):
    """A three-player game with waiting, elimination and a deal that pays; a state is (turn, players still in).

    With probability 1/4 the deal pays player 0 half a point. In every second turn the player with the lowest number
    waits. If exactly one of the acting players stands, that player is knocked out with probability 1/2 and pays one
    point, which the remaining players share.
    """

    name: ClassVar[str] = "knock_out"
    turns: int = 4

    @property
    def facts(self) -> GameFacts:
        return GameFacts(
            name="knock_out", version=0, num_players=3, num_actions=3,
            observation_low=(0.0,) * 5, observation_high=(2.0, self.turns, 1.0, 1.0, 1.0),
            min_payoff=-1.25, max_payoff=2.0, zero_sum=True, seat_symmetric=False, public_state=True,
            max_length=self.turns, everyone_acts=False,
        )  # fmt: skip

    def initial(self) -> Sequence[Transition[KnockOutState]]:
        start = (0, (0, 1, 2))
        return [
            Transition(Fraction(1, 4), start, (0.5, -0.25, -0.25)),
            Transition(Fraction(3, 4), start, (0.0, 0.0, 0.0)),
        ]

    def acting_players(self, state: KnockOutState) -> tuple[int, ...]:
        turn, players = state
        if turn == self.turns or len(players) == 1:
            return ()
        return players[turn % 2 :]

    def live_players(self, state: KnockOutState) -> tuple[int, ...]:
        return state[1] if self.acting_players(state) else ()

    def legal_actions(self, state: KnockOutState, player: int) -> tuple[int, ...]:
        if player in self.acting_players(state):
            return (DUCK, STAND)
        return (WAIT,) if player in self.live_players(state) else ()

    def transitions(self, state: KnockOutState, actions: Mapping[int, int]) -> Sequence[Transition[KnockOutState]]:
        assert tuple(actions) == self.acting_players(state), "actions must be those of the acting players"
        turn, players = state
        missed = Transition(Fraction(1), (turn + 1, players), (0.0, 0.0, 0.0))
        standing = [player for player, action in actions.items() if action == STAND]
        if len(standing) != 1:
            return [missed]
        left = tuple(player for player in players if player != standing[0])
        paid = tuple(-1.0 if p == standing[0] else (p in left) / len(left) for p in range(3))
        return [missed._replace(probability=Fraction(1, 2)), Transition(Fraction(1, 2), (turn + 1, left), paid)]

    def observation(self, state: KnockOutState, player: int) -> NDArray[np.float32]:
        turn, players = state
        return np.array([player, turn, *(p in players for p in range(3))], dtype=np.float32)

    def state_of(self, observation: NDArray[np.float32]) -> tuple[KnockOutState, int]:
        player, turn, *still_in = observation.astype(int).tolist()
        return (turn, tuple(seat for seat in range(3) if still_in[seat])), player

    def check(self, state: KnockOutState) -> None:
        with reading_state(state, "a turn and the players still in"):
            turn, players = state
            if turn not in range(self.turns + 1) or not players or not set(players) <= {0, 1, 2}:
                raise ValueError

    def describe(self, state: KnockOutState) -> str:
        return f"turn {state[0]}, still in {state[1]}"

    def describe_action(self, action: int, player: int = 0) -> str:
        return ("duck", "stand", "wait")[action]


class Fixture(NamedTuple):
    """A small game for testing other libraries.

    Attributes:
        game: Its rules.
        shows: Features of the game that are rare in the environments of other libraries.
    """

    game: Game[Any]
    shows: tuple[str, ...]

    def aec(self, **arguments: Any) -> AECGameEnv:
        """Makes a PettingZoo AEC environment; `arguments` are those of `AECGameEnv`."""
        return AECGameEnv(self.game, **arguments)

    def parallel(self, **arguments: Any) -> ParallelGameEnv:
        """Makes a PettingZoo Parallel environment; `arguments` are those of `ParallelGameEnv`."""
        return ParallelGameEnv(self.game, **arguments)

    @property
    def uniform_returns(self) -> tuple[Fraction, ...]:
        """The exact expected return of each agent, in payoff points, if all draw legal actions uniformly."""
        return _uniform_returns(self.game)


@cache
def _uniform_returns(game: Game[Any]) -> tuple[Fraction, ...]:
    @cache
    def following(state: Any) -> tuple[Fraction, ...]:
        total, moves = [Fraction(0)] * game.facts.num_players, list(joint_actions(game, state))
        for actions in moves:
            add(total, Fraction(1, len(moves)), game.transitions(state, actions))
        return tuple(total)

    def add(total: list[Fraction], share: Fraction, outcomes: Sequence[Transition[Any]]) -> None:
        for probability, state, rewards in outcomes:
            for player, (now, later) in enumerate(zip(rewards, following(state), strict=True)):
                total[player] += share * probability * (Fraction(now) + later)

    total = [Fraction(0)] * game.facts.num_players
    add(total, Fraction(1), game.initial())
    return tuple(total)


MASKS, THREE = "masks that vary", "three agents"
ENDS, WAITING = "agents terminate at different times", "agents wait"
FIXTURES = {
    "jujitsu": Fixture(make_game("jujitsu", hand_0=(1, 4, 5), hand_1=(2, 3, 6)), (MASKS, "one reward at the end")),
    "dice_wars": Fixture(
        make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=3),
        (MASKS, "chance after moves", "intermediate rewards"),
    ),
    "dice_poker": Fixture(make_game("dice_poker", sides=3), ("private information", "chance in the deal")),
    "lowest_unique": Fixture(make_game("lowest_unique", numbers=3, payoff="prize"), (THREE, "not zero-sum")),
    "knock_out": Fixture(KnockOut(), (THREE, MASKS, ENDS, WAITING, "the deal pays")),
}

if __name__ == "__main__":
    for name, each in FIXTURES.items():
        print(f"{name}: {', '.join(each.shows)}; returns of uniform play {', '.join(map(str, each.uniform_returns))}")
