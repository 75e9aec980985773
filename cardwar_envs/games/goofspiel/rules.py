"""Goofspiel: the prizes are turned up one at a time, and both players bid a card for each.

Source: S. M. Ross, "Goofspiel: the game of pure strategy", Journal of Applied Probability 8 (1971), with 13 cards,
prizes in random order, tied prizes discarded, and the points won as the payoff. The other settings are common variants.

Rules. Each of two players holds the cards 1, 2, ..., `num_cards`, and there is one prize for each of these numbers of
points. A prize is turned up. Both players simultaneously bid a card, and the higher card wins the prize. Both cards are
discarded, and the next prize is turned up. All cards and prizes are public.

* `prizes="random"`: the next prize is drawn, each with the same probability. "descending": the highest prize is
  first. "ascending": the lowest prize is first.
* `ties="discard"`: if the cards are equal, nobody wins the prize. `ties="carry"`: the prize is added to the next one.
  Prizes still tied at the end go to neither player.
* `payoff="margin"`: the other player immediately pays the points of the prize to its winner. `payoff="win"`: at the
  end, the player who has won fewer points pays one point to the other.
* `bids="open"`: all cards are public. `bids="hidden"`: bids stay hidden. After each prize, the players learn only who
  won it, and each sees only its own cards. So they know different things for several moves.
* `view="cards"`: players see the cards. `view="word"`: they see only how the two hands interleave, as in a duel (see
  `cardwar_envs.games.duel.rules`). The prizes keep their numbers.

OpenSpiel's `goofspiel` with `returns_type=point_difference` pays half of this margin: a player's points minus the mean
of both players' points. Its `win_loss` pays the same as `payoff="win"`, and its `imp_info=true` hides bids as
`bids="hidden"` does.

Version history: 0: first version.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import comb, factorial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules
from cardwar_envs.core.game import ActionImage, Canonical, Game, GameFacts, Transition
from cardwar_envs.core.parameters import one_of, set_whole_number
from cardwar_envs.core.rules import MASK, OBSERVED, new_transition
from cardwar_envs.core.scene import Revealed, Scene
from cardwar_envs.core.texts import WorkedRound, numbers_in_words
from cardwar_envs.games.duel.how_to_play import SEEN, cards_in_words
from cardwar_envs.games.duel.interleaving import Hand, interchangeable, most_held, packed_from_one
from cardwar_envs.games.duel.state import ZERO, SeenHands, sign
from cardwar_envs.games.goofspiel import hidden
from cardwar_envs.games.goofspiel.scene import goofspiel_scene
from cardwar_envs.games.goofspiel.state import GoofspielState, check_state, new_state, next_prizes, without

MAX_CARDS = 100
ORDERS = ("random", "descending", "ascending")


@dataclass(frozen=True)
class Goofspiel(Game[GoofspielState]):
    """Goofspiel.

    Attributes:
        num_cards: Number of cards of each player, and of prizes: 1, 2, ..., `num_cards`; 1 to 100.
        prizes: The order in which prizes are turned up: "random", "descending" or "ascending".
        ties: Treatment of tied prizes: "discard" or "carry".
        payoff: "margin" of points, or "win" (+1 / 0 / -1).
        view: How players see the hands and choose actions: "cards" or "word".
        bids: Whether bids are "open" or stay "hidden".

    Raises:
        ValueError: If a parameter has a value that is not allowed.
    """

    name: ClassVar[str] = "goofspiel"
    own_words: ClassVar[tuple[str, ...]] = ("card", "prize", "bid")
    worked_round = WorkedRound((("3", "2"), ("1", "1"), ("2", "3")), "num_cards=3", deal=2)

    num_cards: int = 13
    prizes: str = "random"
    ties: str = "discard"
    payoff: str = "margin"
    view: str = "cards"
    bids: str = "open"

    def __post_init__(self) -> None:
        set_whole_number(self, "num_cards", 1, MAX_CARDS)
        one_of("prizes", self.prizes, ORDERS)
        one_of("ties", self.ties, ("discard", "carry"))
        one_of("payoff", self.payoff, ("margin", "win"))
        one_of("view", self.view, ("cards", "word"))
        one_of("bids", self.bids, ("open", "hidden"))
        if self.hidden and self.view == "word":
            raise ValueError("view ('word') must be 'cards' with bids='hidden': the order of both hands shows the bids")

    @cached_property
    def cards(self) -> Hand:
        """The cards of each player at the start, which are also the prizes; action `i` plays `cards[i]`."""
        return tuple(range(1, self.num_cards + 1))

    @property
    def total(self) -> int:
        """Total points of all prizes."""
        return sum(self.cards)

    @cached_property
    def hidden(self) -> bool:
        """Whether bids stay hidden."""
        return self.bids == "hidden"

    @property
    def keeps_score(self) -> bool:
        """Whether the payoff depends on the score, which is then part of the state."""
        return self.payoff == "win"

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; the total points of all prizes bound the payoffs."""
        once = (1.0,) * self.num_cards
        held = tuple(map(float, most_held((self.cards, self.cards)))) if self.view == "word" else once
        low, high = (0.0,) * (3 * self.num_cards + 1), (*held, *held, *once, float(self.num_cards))
        if self.hidden:
            low, high = hidden.bounds(self.num_cards)
        total = (float(self.total),)
        score, carried = total if self.keeps_score else (), total if self.ties == "carry" else ()
        bound = 1.0 if self.payoff == "win" else float(self.total)
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=self.num_cards,
            observation_low=(*low, *(-most for most in score), *(0.0 for _ in carried)),
            observation_high=(*high, *score, *carried),
            min_payoff=-bound,
            max_payoff=bound,
            zero_sum=True,
            seat_symmetric=True,
            public_state=not self.hidden,
            max_length=self.num_cards,
            chance="moves" if self.prizes == "random" else "none",
        )

    # -- rules ---------------------------------------------------------------------------

    def initial(self) -> Sequence[Transition[GoofspielState]]:
        """One start per prize that can be turned up first."""
        hands = (self.cards, self.cards)
        return [
            Transition(chance, GoofspielState(hands, prize, left), (0.0, 0.0))
            for chance, prize, left in next_prizes(self.prizes, self.cards)
        ]

    def acting_players(self, state: GoofspielState) -> tuple[int, ...]:
        """Both players act as long as they hold cards."""
        return (0, 1) if state.hands[0] else ()

    def legal_actions(self, state: GoofspielState, player: int) -> tuple[int, ...]:
        """The cards that the player holds."""
        return _actions_of(state.hands[player])

    def transitions(self, state: GoofspielState, actions: Mapping[int, int]) -> Sequence[Transition[GoofspielState]]:
        """The higher card wins the prize, and the next prize is turned up."""
        (hand_0, hand_1), prize, prizes, score, carried, played = state
        card_0, card_1 = self.cards[actions[0]], self.cards[actions[1]]
        hands = (without(hand_0, card_0), without(hand_1, card_1))
        if self.hidden:
            played = (*played, (prize, card_0, card_1))
        elif self.view == "word":
            hands = packed_from_one(hands)
        else:
            self._seen.trick = state[0], hands, card_0, card_1
        at_stake = prize + carried
        won = at_stake * ((card_0 > card_1) - (card_0 < card_1))
        carried = at_stake if won == 0 and self.ties == "carry" else 0
        if self.keeps_score:
            score += won
        at_end = 0.0 if hands[0] else sign(score)
        paid = float(won) if self.payoff == "margin" else at_end
        rewards = (paid, 0.0 - paid)  # -paid could be -0.0
        return [
            new_transition((chance, new_state((hands, following, left, score, carried, played)), rewards))
            for chance, following, left in next_prizes(self.prizes, prizes)
        ]

    def settled(self, state: GoofspielState) -> tuple[float, float] | None:
        """The winner is known once the lead exceeds all points that can still be won.

        With hidden bids, a state is settled if each player has one card left.
        """
        if self.hidden:
            return self._last_bid(state) if len(state.hands[0]) == 1 else None
        to_win = state.prize + sum(state.prizes) + state.carried
        if self.payoff == "win" and state.hands[0] and abs(state.score) > to_win:
            return sign(state.score), -sign(state.score)
        return None

    def _last_bid(self, state: GoofspielState) -> tuple[float, float]:
        """What each player is paid for the last bid, which is not a choice; most of the time of listing a game."""
        ((card_0,), (card_1,)), prize, _, score, carried, _ = state
        won = (prize + carried) * ((card_0 > card_1) - (card_0 < card_1))
        paid = float(won) if self.payoff == "margin" else sign(score + won)
        return paid, 0.0 - paid

    # -- what players see -----------------------------------------------------------------

    def observation(self, state: GoofspielState, player: int) -> NDArray[np.float32]:
        """Both hands, the prizes and, if they are part of the state, score and carried points, as the player sees them.

        Entries:
            num_cards: own cards of each rank, from the lowest rank
            num_cards if bids="open": the other player's cards of each rank
            num_cards: 1 for each prize that comes later, else 0
            1: the current prize
            3 * num_cards if bids="hidden": for each prize that is gone, in order: the prize, the own card, and 1 if the
                player won it, -1 if the other player did, 0 if nobody did; 0 for the rest of the game
            1 if payoff="win": own points minus the other player's
            1 if ties="carry": points carried from tied prizes
        """
        row = hidden.observed(state, player, self.num_cards) if self.hidden else self._open_row(state, player)
        if self.keeps_score:
            row.append(state.score if player == 0 else -state.score)
        if self.ties == "carry":
            row.append(state.carried)
        return np.frombuffer(row, OBSERVED)

    def _open_row(self, state: GoofspielState, player: int) -> array[float]:
        size = self.num_cards
        row = self._seen.row(state.hands, player)
        row[2 * size :] = self._no_prizes
        first = 2 * size - 1
        for prize in state.prizes:
            row[first + prize] = 1.0
        row[-1] = state.prize
        return row

    def prizes_seen(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The current prize: `[batch, observation_size]` observations -> `[batch]`."""
        return observations[:, (2 if self.hidden else 3) * self.num_cards].astype(np.int64)

    def action_mask(self, state: GoofspielState, player: int) -> NDArray[np.int8]:
        if self.hidden:
            return super().action_mask(state, player)
        return np.frombuffer(self._seen.mask(state.hands, player), MASK)

    @cached_property
    def _no_prizes(self) -> array[float]:
        return ZERO * (self.num_cards + 1)

    @cached_property
    def _seen(self) -> SeenHands:
        return SeenHands({card: card - 1 for card in self.cards}, others=self.num_cards + 1)

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The number of each card that the observer holds; it exceeds one only if hands are packed."""
        return np.asarray(observations[:, : self.num_cards] * action_masks, dtype=np.float64)

    def opponent_masks(self, observations: NDArray[np.float32]) -> NDArray[np.int8]:
        if self.hidden:
            return super().opponent_masks(observations)  # raises
        return (observations[:, self.num_cards : 2 * self.num_cards] > 0).astype(np.int8)

    def moves_left(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The number of own cards."""
        return np.asarray(observations[:, : self.num_cards].sum(axis=1), dtype=np.int64)

    def state_of(self, observation: NDArray[np.float32]) -> tuple[GoofspielState, int]:
        if self.hidden:
            return super().state_of(observation)  # raises
        numbers = observation.astype(int).tolist()
        counts, (prize, *rest) = numbers[: 3 * self.num_cards], numbers[3 * self.num_cards :]
        score = rest[0] if self.keeps_score else 0
        carried = rest[-1] if self.ties == "carry" else 0
        own, other, prizes = (
            tuple(card for card, n in zip(self.cards, counts[first:], strict=False) for _ in range(n))
            for first in range(0, 3 * self.num_cards, self.num_cards)
        )
        return GoofspielState((own, other), prize, prizes, score, carried), 0

    def describe(self, state: GoofspielState) -> str:
        """The prizes, both hands and, if they are part of the state, the score and the carried points."""
        state = self._as_shown(state)
        lines = [f"prize {state.prize or '-'}  later {_listed(state.prizes)}"]
        lines += [f"player_{player}  {_listed(hand)}" for player, hand in enumerate(state.hands)]
        if self.keeps_score:
            lines.append(f"score {state.score:+d} for player_0")
        if self.ties == "carry":
            lines.append(f"carried points {state.carried}")
        lines += [f"prize {prize}: bids {first} and {second}" for prize, first, second in state.played]
        return "\n".join(lines)

    def describe_revealed(self, revealed: Revealed[GoofspielState]) -> str:
        """Like `Game`; with hidden bids, only what the viewer sees."""
        if not self.hidden:
            return super().describe_revealed(revealed)
        over = ["the game is over"] if revealed.over else []
        revealed = replace(revealed, state=self._as_shown(revealed.state))
        return "\n".join([*hidden.lines_for(revealed, self.ties == "carry"), *over])

    def describe_action(self, action: int, player: int = 0) -> str:
        return str(self.shown(self.cards[action]))

    @property
    def ordinal_ranks(self) -> Hand:
        """The cards, if players see them; the points of prizes stay as they are."""
        return self.cards if self.view == "cards" else ()

    def _as_shown(self, state: GoofspielState) -> GoofspielState:
        first, second = (tuple(map(self.shown, hand)) for hand in state.hands)
        played = tuple((prize, self.shown(one), self.shown(other)) for prize, one, other in state.played)
        return state._replace(hands=(first, second), played=played)

    @property
    def how_to_play(self) -> str:
        """Explains the hands, how to win a prize, what a tie is worth and what is paid."""
        order = {"random": "in random order", "descending": "the highest first", "ascending": "the lowest first"}
        tie = "nobody wins the prize"
        if self.ties == "carry":
            tie = "the points are added to the next prize; after the last prize, nobody wins them"
        paid = "The winner of a prize gets its points from the other player: win as many as you can."
        if self.payoff == "win":
            paid = "The player who has won more points wins 1 point from the other; equal points are a draw."
        sentences = (
            paid,
            f"You and your opponent each hold {cards_in_words(tuple(map(self.shown, self.cards)))}.",
            "" if self.hidden else SEEN[self.view],
            f"Prizes of {numbers_in_words(self.cards)} points are turned up one at a time, {order[self.prizes]}.",
            "For each, you both bid a card at the same time. The higher card wins the prize; both cards are gone.",
            f"If both cards are equal, {tie}.",
            "Bids stay hidden: after each prize you learn only who won it." if self.hidden else "",
            "The game ends when all cards are played.",
        )
        return " ".join(filter(None, sentences))

    def scene(self, revealed: Revealed[GoofspielState]) -> Scene:
        if self.hidden:
            return hidden.scene_for(self.name, revealed, self.ties == "carry", self.describe_revealed(revealed))
        return goofspiel_scene(self, revealed, by_word=self.view == "word", carries=self.ties == "carry")

    # -- compiled -------------------------------------------------------------------------

    def compiled_rules(self) -> CompiledRules[GoofspielState] | None:
        """Compiled rules; a row is player 0's observation. None with hidden bids."""
        if self.hidden:
            return None
        from cardwar_envs.games.goofspiel import kernel  # compiles on first use

        start = self.observation(GoofspielState((self.cards, self.cards), 0, self.cards), 0)
        order = ORDERS.index(self.prizes)
        flags = (self.ties == "carry", self.payoff == "margin", self.view == "word")
        tables = (start, np.array(self.cards), order, *flags)
        return CompiledRules(kernel, tables, len(start), most_outcomes=self.num_cards if self.prizes == "random" else 1)

    # -- equal situations -----------------------------------------------------------------

    def canonical(self, state: GoofspielState) -> Canonical[GoofspielState]:
        """Packs the hands, and swaps the seats if the result is lower; with hidden bids, the state itself."""
        if self.hidden:
            return super().canonical(state)
        hands = packed_from_one(state.hands)
        mirrored = hands[::-1]
        if (mirrored, -state.score) < (hands, state.score):
            return Canonical(state._replace(hands=mirrored, score=-state.score), (1, 0))
        return Canonical(state._replace(hands=hands), (0, 1))

    def canonical_actions(self, state: GoofspielState, player: int) -> tuple[ActionImage, ...]:
        """Interchangeable cards share the probability of their image in proportion to their counts."""
        if self.hidden:
            return super().canonical_actions(state, player)
        shares = interchangeable(state.hands[player], packed_from_one(state.hands)[player])
        return tuple(ActionImage(card - 1, image - 1, share) for card, image, share in shares)

    def count_states(self, canonical: bool) -> int | None:
        """See `Game`: pairs of hands, or interleavings, times the sets of prizes left; None if the score matters.

        With hidden bids: histories.
        """
        if self.hidden:
            return hidden.histories(self.num_cards, self.prizes == "random")
        if self.keeps_score:
            return None
        n, random, packed = self.num_cards, self.prizes == "random", canonical or self.view == "word"
        states = sum(
            (self.interleavings(k) if packed else comb(n, k) ** 2) * (comb(n, k) * k if random else 1)
            for k in range(1, n + 1)
        )
        return (states + 1) // 2 if canonical else states  # swapping the seats pairs states up

    def interleavings(self, left: int) -> int:
        """The number of interleavings when each player has `left` cards left.

        Some ranks are held by both players, and each player alone holds the same number of others. Ranks that neither
        holds are not part of the interleaving, but there must be enough of them to account for the cards played.
        """
        alone = range(min(left, self.num_cards - left) + 1)
        return sum(factorial(left + s) // (factorial(left - s) * factorial(s) ** 2) for s in alone)

    def with_size(self, size: int) -> Goofspiel:
        return replace(self, num_cards=size)

    def smallest(self) -> Goofspiel:
        return replace(self, num_cards=3)

    def check(self, state: GoofspielState) -> None:
        carries = self.ties == "carry"
        check_state(state, self.cards, self.prizes, carries, self.keeps_score, self.view == "word")
        if self.hidden:
            hidden.check_played(state, self.cards, carries, self.keeps_score)
        elif state.played != ():
            raise ValueError(f"state has played {state.played}, which must be () unless bids='hidden'")


@lru_cache(maxsize=4096)
def _actions_of(hand: Hand) -> tuple[int, ...]:
    return tuple(dict.fromkeys(card - 1 for card in hand))


def _listed(cards: Hand) -> str:
    return " ".join(map(str, cards)) or "-"
