"""WAR with Auction Rounds: players choose which cards to play, and the winner takes all cards played.

Source: "WAR with Auction Rounds" (2017), with 12 cards of ranks 2..13 for each player. In each round all players play a
card simultaneously, and the highest card takes all. A tie for the highest starts a war among the tied players: each
simultaneously chooses three discards and a battle card, and the highest battle card takes everything. Another tie
starts another war. A player who cannot pay for a war loses the whole hand to the pot and is out of that war; if nobody
is left in it, the pot carries over to the next round. Cards that a player wins go to the player's wins pile, which the
player picks up at the end of a round if the hand is empty. A player without cards is then out of the game. The last
player in the game wins; if the last players go out together, there is no winner.

Where the paper's text, pseudo-code and appendix program differ, these rules follow the program: tied players choose
before those who cannot pay lose their hands, and if only one player can pay, that player still puts cards down (and
wins them back).

Payoffs: a player pays 1 / (N - 1) points when going out. At the end, the winner gets all payments; the last players, if
they go out together, or all players still in the game after `max_rounds`, share them equally. Two players thus get +1
and -1, or 0 if there is no winner. The paper's utility, the sum of a player's cards, is in `info`.

Version history: 0: first version.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules, Info, RoundsForm
from cardwar_envs.core.game import CERTAIN, Canonical, Game, GameFacts, IllegalActionError, Transition
from cardwar_envs.core.parameters import set_whole_number
from cardwar_envs.core.rules import MASK, OBSERVED, new_transition
from cardwar_envs.core.scene import Revealed, Scene
from cardwar_envs.core.texts import Picks, WorkedRound, joined
from cardwar_envs.games.war.actions import LOWEST_CARD, WarActions, WarChoice, war_action_count
from cardwar_envs.games.war.how_to_play import how_to_play
from cardwar_envs.games.war.scene import war_scene
from cardwar_envs.games.war.state import Pile, WarState, check_state, new_state, utility

# Maximum number of players: the paper simulates up to 100 opponents.
MAX_PLAYERS = 101
MAX_RANKS = 1000
MAX_DISCARDS = 100
MAX_ACTIONS = 100_000
ROUNDS_PER_PLAYER = 500
ZERO = array("f", [0.0])  # see `cardwar_envs.games.duel.state`
# Maximum number of rounds; larger numbers would not be exact in an observation.
MOST_ROUNDS = 1 << 24


@dataclass(frozen=True)
class War(Game[WarState]):
    """WAR with Auction Rounds.

    Attributes:
        num_players: 2 to 101.
        ranks: Cards of each player at the start, 2, 3, ..., `ranks` + 1; 2 to 1000.
        discards: Number of cards that each player discards in a war, besides the battle card; 0 to 100.
        max_rounds: Number of rounds after which the game ends, 1 to 16,777,216; 500 per player if not given.

    Raises:
        ValueError: If a parameter is out of its range, or there are more than 100,000 actions.
    """

    name: ClassVar[str] = "war"
    own_words: ClassVar[tuple[str, ...]] = ("card", "war", "battle", "discard", "pot")
    worked_round = WorkedRound(
        (("5", "2"), ("4", "4"), ("discards 2 and battles with 3", "discards 3 and battles with 5")),
        "ranks=4 discards=1",
    )

    num_players: int = 2
    ranks: int = 12
    discards: int = 3
    max_rounds: int | None = None

    def __post_init__(self) -> None:
        set_whole_number(self, "num_players", 2, MAX_PLAYERS)
        set_whole_number(self, "ranks", 2, MAX_RANKS)
        set_whole_number(self, "discards", 0, MAX_DISCARDS)
        if war_action_count(self.ranks, self.discards) > MAX_ACTIONS:
            raise ValueError(
                f"ranks ({self.ranks}) and discards ({self.discards}) give more than {MAX_ACTIONS} actions"
            )
        if self.max_rounds is None:
            object.__setattr__(self, "max_rounds", ROUNDS_PER_PLAYER * self.num_players)
        set_whole_number(self, "max_rounds", 1, MOST_ROUNDS)

    @property
    def rounds(self) -> int:
        """The number of rounds after which the game ends."""
        assert self.max_rounds is not None  # __post_init__ has set it
        return self.max_rounds

    @cached_property
    def cards(self) -> range:
        """The cards that each player has at the start."""
        return range(LOWEST_CARD, LOWEST_CARD + self.ranks)

    @cached_property
    def actions(self) -> WarActions:
        """The action space, which encodes and decodes actions."""
        return WarActions(self.ranks, self.discards)

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; with two players the loser pays a point, with more each player who goes out pays a share."""
        players, ranks = self.num_players, self.ranks
        counts = (2 * players + 1) * ranks
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=players,
            num_actions=self.actions.size,
            observation_low=(0.0,) * (counts + 2 * players + 1),
            observation_high=(float(players),) * counts + (1.0,) * (2 * players) + (float(self.rounds),),
            min_payoff=-1.0 / (players - 1),
            max_payoff=1.0,
            zero_sum=True,
            seat_symmetric=True,
            public_state=True,
            max_length=self.rounds * (1 + self._most_wars(players * ranks - 2)),
            max_rounds=self.rounds,
            chance="none",
            everyone_acts=False,  # players wait in a war if they did not tie or cannot pay for it
        )

    def _most_wars(self, held: Any) -> Any:
        """The most wars that can follow in a round, with this number of cards (or array of numbers) in all hands.

        At least two players put down cards in each war except the last, and at least one in the last.
        """
        return (held // (self.discards + 1) + 1) // 2

    # -- the rules ------------------------------------------------------------------------

    def initial(self) -> Sequence[Transition[WarState]]:
        """The only start, in which every player has every card once."""
        everyone = tuple(range(self.num_players))
        hands, wins = (tuple(self.cards),) * self.num_players, ((),) * self.num_players
        start = new_state(hands, wins, (), (), everyone, self.rounds)
        return (Transition(CERTAIN, start, (0.0,) * self.num_players),)

    def acting_players(self, state: WarState) -> tuple[int, ...]:
        """All players in the game act; in a war, only the tied players who can pay for it."""
        if state.tied:
            return tuple(player for player in state.tied if len(state.hands[player]) > self.discards)
        return self.live_players(state)

    def live_players(self, state: WarState) -> tuple[int, ...]:
        """The players who have not gone out at the end of a round."""
        return state.live if state.rounds_left and len(state.live) > 1 else ()

    def legal_actions(self, state: WarState, player: int) -> tuple[int, ...]:
        """The cards of the hand; in a war, the choices from the hand, or only waiting if the player does not act."""
        if player not in self.live_players(state):
            return ()
        if not state.tied:
            return tuple(dict.fromkeys([card - LOWEST_CARD for card in state.hands[player]]))
        return _war_actions(self.actions, self._at_stake(state, player))

    def transitions(self, state: WarState, actions: Mapping[int, int]) -> Sequence[Transition[WarState]]:
        """The outcome of a round, up to its end or a war, or of a war, up to its end or the next war."""
        hands, pot, battle = list(state.hands), list(state.pot), {}
        at_war, decode = bool(state.tied), self.actions.decode
        for player in state.tied or state.live:
            if player not in actions:  # cannot pay for the war
                pot.extend(hands[player])
                hands[player] = ()
                continue
            put, battle[player] = self._put_down(decode(actions[player]), at_war)
            hands[player] = _without(hands[player], put)
            pot.extend(put)
        after = self._decided(state, hands, pot, battle)
        return (new_transition((CERTAIN, after, self._payments(state, after))),)

    def _put_down(self, play: int | WarChoice | None, at_war: bool) -> tuple[Pile, int]:
        """All cards of a play, and the battle card."""
        if at_war and isinstance(play, WarChoice):
            return (*play.discards, play.battle), play.battle
        if not at_war and isinstance(play, int):
            return (play,), play
        raise IllegalActionError(f"{play!r} is not a play for {'a war' if at_war else 'a round'}")

    def _decided(self, state: WarState, hands: list[Pile], pot: list[int], battle: dict[int, int]) -> WarState:
        """The state after the cards are compared: a player has taken the pot, or a war begins."""
        highest = max(battle.values())
        best = tuple([player for player, card in battle.items() if card == highest])
        wins = list(state.wins)
        if len(best) > 1:
            if any(len(hands[player]) > self.discards for player in best):
                return new_state(tuple(hands), state.wins, tuple(sorted(pot)), best, state.live, state.rounds_left)
            for player in best:  # nobody can pay: the pot is carried over
                pot.extend(hands[player])
                hands[player] = ()
        else:
            wins[best[0]] = tuple(sorted((*wins[best[0]], *pot)))
            pot = []
        for player in state.live:
            if not hands[player]:
                hands[player], wins[player] = wins[player], ()
        live = state.live if all(hands) else tuple(player for player in state.live if hands[player])
        return new_state(tuple(hands), tuple(wins), tuple(sorted(pot)), (), live, state.rounds_left - 1)

    @cached_property
    def _nothing(self) -> tuple[float, ...]:
        return (0.0,) * self.num_players

    def _payments(self, before: WarState, after: WarState) -> tuple[float, ...]:
        if len(after.live) == len(before.live) and (after.rounds_left or after.tied):
            return self._nothing
        at_end = not self.live_players(after)
        sharing = (after.live or before.live) if at_end else ()
        gone = [player for player in before.live if player not in after.live and player not in sharing]
        payers = self.num_players - len(before.live) + len(gone)
        payments = [0.0] * self.num_players
        for player in gone:
            payments[player] = -1.0 / (self.num_players - 1)
        for player in sharing:
            payments[player] = payers / (self.num_players - 1) / len(sharing)
        return tuple(payments)

    # -- what players see -----------------------------------------------------------------

    def observation(self, state: WarState, player: int) -> NDArray[np.float32]:
        """All piles, the players at war and in the game, and the rounds left; seats in order from the player's own.

        Entries:
            num_players * 2 * ranks: for each seat, the number of cards of each rank in its hand, then in its wins pile
            ranks: the number of cards of each rank in the pot
            num_players: 1 for each seat in the current war, else 0
            num_players: 1 for each seat that is in the game, else 0
            1: rounds left
        """
        last, row = self._last_row[0]
        if last is not state:  # the observations of all players in a state are computed one after another
            row = _row(state, self.ranks)
            self._last_row[0] = state, row
        return np.frombuffer(_seat_first(row, state, self.ranks, player) if player else row[:], OBSERVED)

    def action_mask(self, state: WarState, player: int) -> NDArray[np.int8]:
        live = player in self.live_players(state)
        if live and state.tied:
            return _war_mask(self.actions, self._at_stake(state, player)).copy()
        mask = bytearray(self._num_actions)
        for card in state.hands[player] if live else ():
            mask[card - LOWEST_CARD] = 1
        return np.frombuffer(mask, MASK)

    @cached_property
    def _last_row(self) -> list[tuple[WarState | None, array[float]]]:
        return [(None, ZERO)]

    def _at_stake(self, state: WarState, player: int) -> Pile | None:
        """The hand of a player who acts in a war; None of one who waits."""
        return state.hands[player] if player in self.acting_players(state) else None

    def action_parts(self) -> NDArray[np.int64]:
        """Parts are the card of a round, the discards (by rank) and the battle card of a war, and waiting."""
        return self.actions.parts()

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The number of ways to play each card, or each war choice, from the cards held."""
        counts = np.zeros(action_masks.shape)
        held = observations[:, : self.ranks].astype(np.int64)
        counts[:, : self.ranks] = held * action_masks[:, : self.ranks]
        counts[:, self.actions.wait] = action_masks[:, self.actions.wait]
        for row in np.flatnonzero(action_masks[:, self.ranks : -1].any(axis=1)):
            counts[row] = self.actions.war_ways(held[row]) * action_masks[row]
        return counts

    def moves_left(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The moves of all rounds left; in a war, of the later rounds, and as many wars as the cards suffice for."""
        players, ranks = self.num_players, self.ranks
        numbers = observations.astype(np.int64)
        held = numbers[:, : 2 * players * ranks].reshape(len(numbers), players, 2, ranks)[:, :, 0].sum(axis=(1, 2))
        at_war = numbers[:, -2 * players - 1 : -players - 1].any(axis=1)
        of_round = 1 + self._most_wars(players * ranks - 2)
        left: NDArray[np.int64] = (numbers[:, -1] - 1) * of_round + np.where(at_war, self._most_wars(held), of_round)
        return left

    def state_of(self, observation: NDArray[np.float32]) -> tuple[WarState, int]:
        players, ranks = self.num_players, self.ranks
        numbers = observation.astype(np.int64)
        piles = [
            tuple(np.repeat(self.cards, row).tolist())
            for row in numbers[: (2 * players + 1) * ranks].reshape(-1, ranks)
        ]
        tied, live = (tuple(np.flatnonzero(row).tolist()) for row in numbers[-2 * players - 1 : -1].reshape(2, -1))
        hands, wins = tuple(piles[0:-1:2]), tuple(piles[1:-1:2])
        return new_state(hands, wins, piles[-1], tied, live, int(numbers[-1])), 0

    def info(self, state: WarState, player: int) -> dict[str, Any]:
        """The paper's `utility`, the sum of the cards in the player's hand and wins pile."""
        return {"utility": utility(state, player)}

    def compiled_rules(self) -> CompiledRules[WarState]:
        """The compiled rules; a row is player 0's observation."""
        from cardwar_envs.games.war import kernel  # compiles on first use

        start = self.observation(self.initial()[0].state, 0)
        sets = np.array(self.actions.sets, dtype=np.int16)  # [sets, discards]
        needs = self.actions.needs.astype(np.int8)
        # `[ranks, discards + 1, sets]`: 1 if so many cards of a rank are enough for a set of discards.
        enough = np.array(needs.T[:, None] <= np.arange(self.discards + 1)[:, None], dtype=np.int8, order="C")
        tables = (self.num_players, start, sets, self.actions.sets_below(), self.facts.max_length, needs, enough)
        return CompiledRules(kernel, tables, len(start), info=self._utilities, live=self._live_rows)

    def _live_rows(self, rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        # Sums over the first axis of a contiguous array are fast.
        live = np.ascontiguousarray(rows[:, -1 - self.num_players : -1].T) > 0
        live &= (rows[:, -1] > 0) & (live.sum(axis=0) > 1)
        return live.T

    def _utilities(self, observations: NDArray[np.float32]) -> Info:
        return {"utility": (observations[:, : 2 * self.ranks] @ self._card_values).astype(np.int64)}

    @cached_property
    def _card_values(self) -> NDArray[Any]:
        """The cards of a hand and of a wins pile, as floats: NumPy multiplies integers slowly."""
        exact = self.num_players * sum(self.cards) < 1 << 24  # in float32
        return np.tile(np.array(self.cards, dtype=np.float32 if exact else np.float64), 2)

    def rounds_form(self, starts: Sequence[WarState], max_positions: int) -> RoundsForm[WarState]:
        """All two-player positions that can follow `starts`; see `cardwar_envs.games.war.positions`."""
        from cardwar_envs.games.war.positions import war_positions  # compiles on first use

        if self.num_players != 2:
            return super().rounds_form(starts, max_positions)
        return war_positions(starts, self.actions, self.discards, max_positions)

    def canonical(self, state: WarState) -> Canonical[WarState]:
        """Orders the seats by their cards."""
        seats = range(self.num_players)
        order = sorted(seats, key=lambda p: (state.hands[p], state.wins[p], p in state.tied, p in state.live))
        seat_of = {player: seat for seat, player in enumerate(order)}
        tied, live = (tuple(sorted(seat_of[p] for p in group)) for group in (state.tied, state.live))
        hands, wins = (tuple(piles[p] for p in order) for piles in (state.hands, state.wins))
        representative = new_state(hands, wins, state.pot, tied, live, state.rounds_left)
        return Canonical(representative, tuple(seat_of[p] for p in seats))

    def smallest(self) -> War:
        return replace(self, ranks=2, discards=0, max_rounds=2)

    def count_states(self, canonical: bool) -> int | None:
        """See `Game`: counts the pairs of hands of two players after rounds without a tie."""
        if self.num_players > 2:
            return None
        # After two or more rounds, any cards of one player can have met any cards of the other without a tie.
        pairs = sum(comb(self.ranks, played) ** 2 for played in range(2, min(self.ranks, self.rounds)))
        return (pairs + 1) // 2 if canonical else pairs

    def check(self, state: WarState) -> None:
        check_state(state, self.cards, self.num_players, self.discards, self.rounds)

    def describe(self, state: WarState) -> str:
        """Each player's piles, the pot, the current war, and the rounds left."""
        lines = []
        for player, (hand, won) in enumerate(zip(state.hands, state.wins, strict=True)):
            if player in state.live:
                lines.append(f"player_{player}  hand {self._pile(hand)}  wins {self._pile(won)}")
            else:
                lines.append(f"player_{player}  out")
        if state.pot:
            lines.append(f"pot {self._pile(state.pot)}")
        if state.tied:
            lines.append(f"war between {joined([f'player_{player}' for player in state.tied])}")
        return "\n".join([*lines, f"rounds left {state.rounds_left}"])

    @property
    def how_to_play(self) -> str:
        """Explains the hands, rounds and wars, when a player is out, and what is paid."""
        return how_to_play(self.num_players, tuple(map(self.shown, self.cards)), self.discards, self.rounds)

    def scene(self, revealed: Revealed[WarState]) -> Scene:
        return war_scene(self, self.actions, revealed)

    def describe_action(self, action: int, player: int = 0) -> str:
        play = self.actions.decode(action)
        if isinstance(play, WarChoice):
            discards = f"discards {self._pile(play.discards)} and " if play.discards else ""
            return f"{discards}battles with {self.shown(play.battle)}"
        return "waits" if play is None else str(self.shown(play))

    @property
    def ordinal_ranks(self) -> Sequence[int]:
        """The ranks of the cards."""
        return self.cards

    def _pile(self, pile: Pile) -> str:
        return _listed(tuple(map(self.shown, pile)))

    def picks(self, action: int, player: int) -> tuple[Picks, ...]:
        play = self.actions.decode(action)
        if not isinstance(play, WarChoice):
            return super().picks(action, player)
        discards = tuple(map(str, play.discards))
        return (*((("discards", discards),) if discards else ()), ("battle card", (str(play.battle),)))


def _row(state: WarState, ranks: int) -> array[float]:
    """What player 0 observes; entries of a Python array are set faster than those of a NumPy array."""
    hands, wins, pot, tied, live, rounds_left = state
    players = len(hands)
    row, first = ZERO * ((2 * players + 1) * ranks + 2 * players + 1), -LOWEST_CARD
    for hand, won in zip(hands, wins, strict=True):
        for card in hand:
            row[first + card] += 1.0
        first += ranks
        for card in won:
            row[first + card] += 1.0
        first += ranks
    for card in pot:
        row[first + card] += 1.0
    at_war = (2 * players + 1) * ranks
    for player in tied:
        row[at_war + player] = 1.0
    for player in live:
        row[at_war + players + player] = 1.0
    row[-1] = rounds_left
    return row


def _seat_first(row: array[float], state: WarState, ranks: int, player: int) -> array[float]:
    """The row with the seats in order from the player's own."""
    players, own = len(state.hands), 2 * ranks * player
    pot = 2 * ranks * players
    piles, at_war = row[own:pot] + row[:own], pot + ranks
    if not state.tied and len(state.live) == players:  # the same flags for all players
        return piles + row[pot:]
    flags, live = row[at_war:], at_war + players
    return (
        piles
        + row[pot:at_war]
        + flags[player:players]
        + flags[:player]
        + row[live + player : -1]
        + row[live : live + player]
        + row[-1:]
    )


@lru_cache(maxsize=256)  # a bound on memory: there can be thousands of choices
def _war_actions(actions: WarActions, hand: Pile | None) -> tuple[int, ...]:
    """The actions of a hand in a war; without a hand the player waits."""
    return tuple(np.flatnonzero(_war_mask(actions, hand)).tolist())


@lru_cache(maxsize=256)
def _war_mask(actions: WarActions, hand: Pile | None) -> NDArray[np.int8]:
    """The mask of these actions, which is shared and never returned to callers."""
    if hand is not None:
        return actions.war_mask(np.bincount(hand, minlength=LOWEST_CARD + len(actions.cards))[LOWEST_CARD:])
    mask = np.zeros(actions.size, dtype=np.int8)
    mask[actions.wait] = 1
    return mask


def _listed(pile: Pile) -> str:
    """The cards as text, with equal cards counted: `2 3 3x13` has three thirteens."""
    counts = Counter(pile)
    return " ".join(str(card) if n == 1 else f"{n}x{card}" for card, n in sorted(counts.items())) or "-"


def _without(pile: Pile, cards: Pile) -> Pile:
    left = pile
    for card in cards:
        if card not in left:
            raise IllegalActionError(f"{_listed(cards)} cannot be put down from a hand of {_listed(pile)}")
        place = left.index(card)
        left = left[:place] + left[place + 1 :]
    return left
