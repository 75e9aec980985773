"""A game with one human player: a state machine without input or output, used by the terminal and the web page.

At each decision of the human player, the opponents' moves are first drawn and sealed: the SHA-256 of a string with a
random nonce and the moves is shown, and after the move the string itself. Without the nonce, the moves could be found
by hashing all possible strings. If the equilibrium is known, the human player's moves are judged.

In games that hide information over several moves, the opponents' moves and seals, and payments, stay hidden until the
game is over; what the player may know of them is in what the game shows it.
"""

from __future__ import annotations

import hashlib
import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardwar_envs import Game, Policy
from cardwar_envs.core.game import Transition
from cardwar_envs.core.play import Episode, draw_action, drawn
from cardwar_envs.core.policy_names import names_a_policy
from cardwar_envs.core.rules import illegal_action_error
from cardwar_envs.core.scene import YOU, Revealed
from cardwar_play.judge import Judge, Verdict

NONCE_BYTES = 16
# The policy that plays the equilibrium.
EQUILIBRIUM = "equilibrium"


def player_name(policy: str) -> str:
    """The name of a policy as a player: "Perfect player" plays the equilibrium; others are "Level 3", "Highest card".

    Files and programs keep their names.
    """
    if policy.partition(":")[0] == EQUILIBRIUM:
        return "Perfect player"
    return policy.replace(":", " ").replace("_", " ").capitalize() if names_a_policy(policy) else policy


@dataclass(frozen=True)
class Seal:
    """A commitment to the opponents' moves. Only `digest` may be shown before the human player has moved."""

    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of the string, 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def command(self) -> str:
        """A shell command that computes the digest from the string."""
        return f"printf %s {shlex.quote(self.text)} | sha256sum"


def seal(game: Game[Any], number: int, moves: Mapping[int, int]) -> Seal:
    """Seals the opponents' moves (player -> action) at the human player's decision `number`."""
    return Seal(f"{secrets.token_hex(NONCE_BYTES)} {_sentence(game, number, moves)}")


def opens_to(text: str, game: Game[Any], number: int, moves: Mapping[int, int]) -> bool:
    """Returns whether a sealed string commits to these moves."""
    return text.partition(" ")[2] == _sentence(game, number, moves)


def _sentence(game: Game[Any], number: int, moves: Mapping[int, int]) -> str:
    acting = {who: move for who, move in moves.items() if not game.waits(move)}
    said = (f"player_{who} plays {game.describe_action(move, who)} (action {move})" for who, move in acting.items())
    return f"move {number}: {', '.join(said) or 'nobody else plays'}"


@dataclass(frozen=True)
class Table:
    """The players at a table; the human player has `seat`.

    Attributes:
        opponents: Seat -> name of the policy there, for all other seats.
        policies: Seat -> policy, for all other seats.
        judge: Computes the cost of moves; None if the equilibrium is not known.
        without_costs: A sentence that says why there is no judge; empty if there is one.
    """

    game: Game[Any]
    seat: int
    opponents: Mapping[int, str]
    policies: Mapping[int, Policy]
    judge: Judge | None = None
    without_costs: str = ""

    def name(self, player: int) -> str:
        """A player's name: "You", or the opponent's, with the seat if several opponents have the same policy."""
        if player == self.seat:
            return YOU
        policy = self.opponents[player]
        several = list(self.opponents.values()).count(policy) > 1
        return f"{player_name(policy)} (seat {player})" if several else player_name(policy)

    @property
    def conceals(self) -> bool:
        """Whether moves stay hidden once they are made, because the game hides information over several moves."""
        return not self.game.facts.public_state and self.game.facts.max_length > 1

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat."""
        return tuple(map(self.name, range(self.game.facts.num_players)))


@dataclass(frozen=True)
class Step:
    """A joint action that was played.

    Attributes:
        before: The state in which the action was played.
        actions: Player -> action, for those who acted.
        outcome: Index of the outcome among the rules' `transitions`.
        after: The next state.
        rewards: Payoff points of this step, one per player.
        seal: Commitment to the opponents' moves; None if the human player did not act, or could only wait.
        verdict: Cost of the human player's move; None if it was not judged.
    """

    before: Any
    actions: Mapping[int, int]
    outcome: int
    after: Any
    rewards: tuple[float, ...]
    seal: Seal | None
    verdict: Verdict | None

    @property
    def cost(self) -> float:
        """The cost of the human player's move, in payoff points; 0 if it was not judged."""
        return 0.0 if self.verdict is None else self.verdict.cost


def revealed_at(
    table: Table, state: Any, payoffs: tuple[float, ...], actions: Mapping[int, int] | None, before: Any
) -> Revealed[Any]:
    """The information that the human player may see in a state; `actions` led there from the state `before`."""
    over = not table.game.acting_players(state)
    if table.conceals and not over:
        payoffs, actions, before = (0.0,) * len(payoffs), None, None
    return Revealed(state, table.seat, actions, payoffs, over, before, table.names)


class Trainer:
    """A game in progress.

    Attributes:
        seed: Seed for the opponents' moves and chance; must be hidden, as it determines future moves.
        start: The initial state.
        dealt: Index of the initial state among the outcomes of the rules' `initial`.
        steps: The joint moves so far.
        paid: Each player's payoff so far, in payoff points, in the initial state and after each step.
        ending: How the game ended; None while it is in progress.
        left: The opponents' sealed moves when the game was abandoned; None if it was not.
    """

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.seed = table, seed
        # This is a separate stream, because a policy may have a generator with the same seed.
        self._rng = np.random.default_rng(seed).spawn(1)[0]
        self.dealt, deal = self._drawn(table.game.initial())
        self.start = self.state = deal.state
        self.paid: list[tuple[float, ...]] = [deal.rewards]
        self.steps: list[Step] = []
        self.ending: str | None = None
        self.left: Seal | None = None
        self._moves: dict[int, int] = {}
        self._seal: Seal | None = None
        self._advance()

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Each player's payoff so far, in payoff points."""
        return self.paid[-1]

    @property
    def choices(self) -> tuple[int, ...]:
        """The human player's legal actions; empty if the game has ended."""
        return () if self.ending else self.table.game.legal_actions(self.state, self.table.seat)

    @property
    def digest(self) -> str:
        """The SHA-256 that commits to the opponents' moves, which are already drawn; empty if the game has ended."""
        return "" if self._seal is None else self._seal.digest

    @property
    def number(self) -> int:
        """The number of the human player's next move, from 1."""
        return 1 + len(self.decisions)

    @property
    def decisions(self) -> list[Step]:
        """The steps in which the human player moved."""
        return [step for step in self.steps if step.seal is not None]

    @property
    def total(self) -> float:
        """The total cost of the human player's moves, in payoff points."""
        return sum((step.cost for step in self.steps), 0.0)

    @property
    def episode(self) -> Episode[Any]:
        """The game so far."""
        states = (self.start, *(step.after for step in self.steps))
        actions = tuple(dict(step.actions) for step in self.steps)
        return Episode(states, actions, self.paid[0], tuple(step.rewards for step in self.steps))

    @property
    def conceals(self) -> bool:
        """Whether the opponents' earlier moves are still hidden."""
        return self.table.conceals and bool(self.table.game.acting_players(self.state))

    def revealed(self, played: int | None = None) -> Revealed[Any]:
        """The information that the human player sees now, or saw after `played` steps, without sealed moves."""
        played = len(self.steps) if played is None else played
        if not played:
            return revealed_at(self.table, self.start, self.paid[0], None, None)
        last = self.steps[played - 1]
        return revealed_at(self.table, last.after, self.paid[played], last.actions, last.before)

    def play(self, action: int) -> Step:
        """Plays the human player's move; returns the step, with the seal opened.

        Raises:
            IllegalActionError: If the move is illegal; the game is then unchanged.
            ValueError: If the game has ended.
        """
        if self.ending is not None or self._seal is None:
            raise ValueError("the game has ended")
        seat, judge = self.table.seat, self.table.judge
        if action not in self.choices:
            raise illegal_action_error(f"player_{seat}", action, self.choices)
        verdict = None if judge is None else judge.verdict(self.state, seat, action)
        self._play({**self._moves, seat: action}, self._seal, verdict)
        made = self.steps[-1]
        self._advance()
        return made

    def watch(self) -> None:
        """Plays on to the end without the human player, who is out of the game.

        Raises:
            ValueError: If the human player is not out, or the game has ended.
        """
        if self.ending != "out":
            raise ValueError("only a player who is out of a game in progress can watch it")
        while self.table.game.acting_players(self.state):
            self._play(self._others_moves(), None, None)
        self.ending = "over"

    def stop(self, ending: str) -> None:
        """Ends the game early; `ending` says how, e.g. "given up"."""
        if self.ending is None:
            self.ending, self.left, self._seal = ending, self._seal, None

    def _advance(self) -> None:
        """Plays up to the human player's next decision, and seals the opponents' moves at that decision."""
        game, seat = self.table.game, self.table.seat
        self._seal = None
        while seat in game.live_players(self.state):
            moves = self._others_moves()
            if seat in game.acting_players(self.state):
                first = game.legal_actions(self.state, seat)[0]
                if not game.waits(first):
                    self._moves, self._seal = moves, seal(game, self.number, moves)
                    return
                moves[seat] = first
            self._play(moves, None, None)
        self.ending = "out" if game.acting_players(self.state) else "over"

    def _others_moves(self) -> dict[int, int]:
        game, policies, acting = self.table.game, self.table.policies, self.table.game.acting_players(self.state)
        return {p: draw_action(game, self.state, p, policies[p], self._rng) for p in acting if p != self.table.seat}

    def _play(self, moves: Mapping[int, int], opened: Seal | None, verdict: Verdict | None) -> None:
        actions = dict(sorted(moves.items()))
        index, outcome = self._drawn(self.table.game.transitions(self.state, actions))
        self.steps.append(Step(self.state, actions, index, outcome.state, outcome.rewards, opened, verdict))
        self.state = outcome.state
        self.paid.append(tuple(paid + now for paid, now in zip(self.payoffs, outcome.rewards, strict=True)))

    def _drawn(self, outcomes: Any) -> tuple[int, Transition[Any]]:
        chosen = drawn(self.table.game, outcomes, self._rng)
        return next(index for index, outcome in enumerate(outcomes) if outcome is chosen), chosen
