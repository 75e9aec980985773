"""The duel family, which includes Dinosaur War, Jujitsu and Dice Wars.

Rules. Each of two players holds a hand with the same number of cards, and both see both hands. In each trick both play
a card simultaneously. The higher card wins the trick. Two parameters determine what a tie is worth and what is paid:

* `ties="discard"`: a tied trick counts for neither player. `ties="carry"`: the winner of the next
  decided trick also wins the tied trick; tricks still tied at the end count for neither player.
* `payoff="margin"`: the loser of each trick immediately pays one point to its winner.
  `payoff="win"`: at the end, the player with fewer tricks pays one point to the other.

All tricks are played, even once the game is decided.

The game has two views. `view="cards"` shows the cards. `view="word"` shows only how the two hands interleave, from the
lowest rank to the highest, which is enough if only the order of ranks matters. After every trick the hands are packed
(renumbered): adjacent ranks held by the same player alone become one rank, of which the player holds several cards:

    player 0 holds 2 and 9, player 1 holds 4 and 7     packed: 1 and 3 against 2 and 2
    player 0 holds 1 and 5, player 1 holds 2 and 3     packed: 1 and 3 against 2 and 2

The score is omitted where it cannot matter. Many states of equal value then coincide; values and optimal play do not
change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules
from cardwar_envs.core.game import CERTAIN, ActionImage, Canonical, Game, GameFacts, Transition, same_rules_as
from cardwar_envs.core.parameters import one_of, whole_number
from cardwar_envs.core.rules import MASK, OBSERVED, new_transition
from cardwar_envs.core.scene import Revealed, Scene
from cardwar_envs.core.texts import numbers_in_words
from cardwar_envs.games.duel import interleaving as order
from cardwar_envs.games.duel.how_to_play import hands_in_columns, how_to_play
from cardwar_envs.games.duel.interleaving import Hand, Hands
from cardwar_envs.games.duel.scene import duel_scene
from cardwar_envs.games.duel.state import (
    DuelState,
    SeenHands,
    check_held,
    check_score,
    checked_hand,
    checked_state,
    new_state,
    odds_of,
    sign,
)

MAX_CARDS = 1000
# Compiled rules store the odds of all pairs of ranks.
MAX_COMPILED_RANKS = 200


@dataclass(frozen=True)
class Duel(Game[DuelState]):
    """A duel of two hands.

    Attributes:
        num_cards: Cards in each hand, 1 to 1000; the default hand is 1, 2, ..., `num_cards`.
        hand_0: Cards of player 0, duplicates allowed.
        hand_1: Cards of player 1, as many as in `hand_0`.
        ties: Treatment of tied tricks: "discard" or "carry".
        payoff: "margin" of tricks, or "win" (+1 / 0 / -1).
        view: How players see the hands and choose actions: "cards", or "word", which shows only the order of the ranks,
            renumbered from 1.

    Raises:
        ValueError: If a parameter is invalid, the hands are of unequal size, or
            `view` is "word" although the numbers of ranks matter, not only their order.
    """

    default_cards: ClassVar[int] = 10
    own_words: ClassVar[tuple[str, ...]] = ("card", "trick")
    lowest_rank: ClassVar[int | None] = None
    trick_word: ClassVar[str] = "trick"  # name of a trick
    rank_units: ClassVar[tuple[str, str]] = ("", "")  # unit of a rank, singular and plural

    num_cards: int | None = None
    hand_0: Hand | None = None
    hand_1: Hand | None = None
    ties: str = "discard"
    payoff: str = "margin"
    view: str = "cards"

    def __post_init__(self) -> None:
        one_of("ties", self.ties, ("discard", "carry"))
        one_of("payoff", self.payoff, ("margin", "win"))
        if one_of("view", self.view, ("cards", "word")) == "word" and not self.ranks_are_ordinal:
            raise ValueError(f"view ({self.view}) must be cards unless only the order of ranks matters")
        num_cards, hands = self._resolved_hands()
        if self.view == "word":
            hands = order.packed_from_one(hands)
        # The fields always store the hands, even if `num_cards` was given, so that equal games compare equal.
        for field, value in zip(("num_cards", "hand_0", "hand_1"), (num_cards, *hands), strict=True):
            object.__setattr__(self, field, value)

    def _resolved_hands(self) -> tuple[int, Hands]:
        if self.hand_0 is None and self.hand_1 is None:
            given = self.default_cards if self.num_cards is None else self.num_cards
            num_cards = whole_number("num_cards", given, range(1, MAX_CARDS + 1))
            return num_cards, (tuple(range(1, num_cards + 1)),) * 2
        if self.hand_0 is None or self.hand_1 is None:
            raise ValueError("hand_0 and hand_1 must be given together")
        hands = (
            checked_hand("hand_0", self.hand_0, self.lowest_rank),
            checked_hand("hand_1", self.hand_1, self.lowest_rank),
        )
        size, other = map(len, hands)
        if size != other or not 1 <= size <= MAX_CARDS:
            raise ValueError(f"hands of {size} and {other} cards must be of equal size, 1..{MAX_CARDS}")
        if self.num_cards is not None and whole_number("num_cards", self.num_cards) != size:
            raise ValueError(f"num_cards ({self.num_cards}) must be the size of the hands given, {size}")
        return size, hands

    @cached_property
    def hands(self) -> Hands:
        """Both hands at the start, ascending."""
        return cast(Hand, self.hand_0), cast(Hand, self.hand_1)  # __post_init__ has set both

    @cached_property
    def ranks(self) -> Hand:
        """All ranks of both hands, ascending; action `i` plays `ranks[i]`."""
        return tuple(sorted({*self.hands[0], *self.hands[1]}))

    @cached_property
    def _action_of(self) -> dict[int, int]:
        return {rank: action for action, rank in enumerate(self.ranks)}

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; the hands bound the counts per rank, and one point per trick bounds the payoffs."""
        size = len(self.hands[0])
        if self.view == "word":
            most = tuple(map(float, order.most_held(self.hands)))
        else:
            most = tuple(float(max(hand.count(rank) for hand in self.hands)) for rank in self.ranks)
        nothing = (0.0,) * len(most)
        score = float(size) if self.keeps_score else 0.0
        bound = float(size) if self.payoff == "margin" else 1.0
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=len(self.ranks),
            observation_low=(*nothing, *nothing, 0.0 - score, 0.0),
            observation_high=(*most, *most, score, float(size)),
            min_payoff=-bound,
            max_payoff=bound,
            zero_sum=True,
            seat_symmetric=True,
            public_state=True,
            max_length=size,
            chance="none" if same_rules_as(self, Duel) else "moves",  # a trick of a subclass may have chance
        )

    # -- rules ---------------------------------------------------------------------------

    def trick_outcomes(self, rank_0: int, rank_1: int) -> tuple[tuple[Fraction, int], ...]:
        """The possible outcomes of a trick: (probability, winner); 1 for player 0, -1 for player 1, 0 for a tie."""
        return ((CERTAIN, (rank_0 > rank_1) - (rank_0 < rank_1)),)

    @property
    def ranks_are_ordinal(self) -> bool:
        """Whether only the order of ranks matters, not their numbers."""
        return True

    @cached_property
    def keeps_score(self) -> bool:
        """Whether states include the score even where it does not matter."""
        return self.view == "cards" or self.payoff == "win"

    def initial(self) -> Sequence[Transition[DuelState]]:
        """The only start, since nothing is dealt at random."""
        return (Transition(CERTAIN, DuelState(self.hands), (0.0, 0.0)),)

    def acting_players(self, state: DuelState) -> tuple[int, ...]:
        """Both players act as long as they hold cards."""
        return (0, 1) if state.hands[0] else ()

    def legal_actions(self, state: DuelState, player: int) -> tuple[int, ...]:
        """The ranks that the player holds."""
        return tuple(dict.fromkeys(map(self._action_of.__getitem__, state.hands[player])))

    def transitions(self, state: DuelState, actions: Mapping[int, int]) -> Sequence[Transition[DuelState]]:
        """The outcomes of one trick."""
        (hand_0, hand_1), score, ties = state
        ranks, keeps_score, margin, carry, words, seen = self._settings
        rank_0, rank_1 = ranks[actions[0]], ranks[actions[1]]
        at_0, at_1 = hand_0.index(rank_0), hand_1.index(rank_1)
        hands = (hand_0[:at_0] + hand_0[at_0 + 1 :], hand_1[:at_1] + hand_1[at_1 + 1 :])
        if words:
            hands = self._packed(hands)
        else:
            seen.trick = state[0], hands, rank_0, rank_1
        at_end = not hands[0]
        outcomes = []
        for probability, winner in self.trick_outcomes(rank_0, rank_1):
            won = winner * (1 + ties)
            carried = ties + 1 if carry and not winner else 0
            after = score + won if keeps_score else 0
            paid = float(won) if margin else sign(after) if at_end else 0.0
            rewards = (paid, 0.0 - paid)  # -paid could be -0.0
            outcomes.append(new_transition((probability, new_state((hands, after, carried)), rewards)))
        return outcomes

    @cached_property
    def _settings(self) -> tuple[Hand, bool, bool, bool, bool, SeenHands]:
        """What `transitions` needs, because looking up attributes of a dataclass takes long."""
        margin, carry, words = self.payoff == "margin", self.ties == "carry", self.view == "word"
        return self.ranks, self.keeps_score, margin, carry, words, self._seen

    def settled(self, state: DuelState) -> tuple[float, float] | None:
        """The winner is known once the lead exceeds the number of tricks that can still be won."""
        (hand, _), score, ties = state
        if self.payoff == "win" and hand and abs(score) > len(hand) + ties:
            return sign(score), -sign(score)
        return None

    # -- what players see -----------------------------------------------------------------

    def observation(self, state: DuelState, player: int) -> NDArray[np.float32]:
        """Both hands, the score and the carried ties, as the player sees them.

        Entries:
            num_actions: own cards of each rank, from the lowest rank
            num_actions: the other player's cards of each rank
            1: own score minus the other player's, in tricks
            1: carried ties
        """
        hands, score, ties = state
        row = self._seen.row(hands, player)
        row[-2] = score if player == 0 else -score
        row[-1] = ties
        return np.frombuffer(row, OBSERVED)

    def action_mask(self, state: DuelState, player: int) -> NDArray[np.int8]:
        return np.frombuffer(self._seen.mask(state[0], player), MASK)

    @cached_property
    def _seen(self) -> SeenHands:
        return SeenHands(self._action_of, others=2)

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The number of cards of each rank that the observer holds."""
        return np.asarray(observations[:, : len(self.ranks)] * action_masks, dtype=np.float64)

    def opponent_masks(self, observations: NDArray[np.float32]) -> NDArray[np.int8]:
        return (observations[:, len(self.ranks) : 2 * len(self.ranks)] > 0).astype(np.int8)

    def moves_left(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """The number of own cards."""
        return np.asarray(observations[:, : len(self.ranks)].sum(axis=1), dtype=np.int64)

    def state_of(self, observation: NDArray[np.float32]) -> tuple[DuelState, int]:
        size = len(self.ranks)
        numbers = observation.astype(int).tolist()
        own, other = (
            tuple(r for r, n in zip(self.ranks, counts, strict=True) for _ in range(n))
            for counts in (numbers[:size], numbers[size : 2 * size])
        )
        return new_state(((own, other), *numbers[2 * size :])), 0

    def compiled_rules(self) -> CompiledRules[DuelState] | None:
        """Compiled rules for hands of at most 200 ranks; a row is player 0's observation."""
        if len(self.ranks) > MAX_COMPILED_RANKS:
            return None
        from cardwar_envs.games.duel import kernel  # compiles on first use

        start = self.observation(DuelState(self.hands), 0)
        odds = odds_of(self.ranks, self.trick_outcomes)
        tables = (start, *odds, self.ties == "carry", self.payoff == "margin", self.view == "word")
        return CompiledRules(kernel, tables, len(start), most_outcomes=1 if self.facts.chance == "none" else 3)

    def describe(self, state: DuelState) -> str:
        """Both hands in columns by rank, the score and, if `ties="carry"`, the number of carried ties."""
        hands, ranks = self._as_shown(state.hands), tuple(map(self.shown, self.ranks))
        lines = hands_in_columns(hands, ranks, self._as_shown(self.hands) if self.view == "cards" else hands)
        carried = f", carried ties {state.ties}" if self.ties == "carry" else ""
        return f"{lines}\nscore {state.score:+d} for player_0{carried}"

    def describe_action(self, action: int, player: int = 0) -> str:
        return str(self.shown(self.ranks[action]))

    @property
    def how_to_play(self) -> str:
        """Explains the hands, how to win a trick, what a tie is worth and what is paid."""
        return how_to_play(self._as_shown(self.hands), self.ties, self.payoff, self.view)

    @property
    def ordinal_ranks(self) -> Sequence[int]:
        """The ranks of all cards, if they are ordinal and players see them."""
        return self.ranks if self.ranks_are_ordinal and self.view == "cards" else ()

    def _as_shown(self, hands: Hands) -> Hands:
        first, second = hands
        return tuple(map(self.shown, first)), tuple(map(self.shown, second))

    def seat_in_words(self, player: int) -> str:
        own, other = self.hands
        return "" if own == other else f"You hold {self.card_word}s {numbers_in_words(self.hands[player])}."

    def scene(self, revealed: Revealed[DuelState]) -> Scene:
        return duel_scene(self, revealed)

    def count_states(self, canonical: bool) -> int | None:
        return order.count_states(self.hands, canonical, self.ranks_are_ordinal, shown=self.view == "cards")

    # -- equal situations -----------------------------------------------------------------

    def canonical(self, state: DuelState) -> Canonical[DuelState]:
        """Packs ranks, swaps the seats if the result is lower, and drops the score where it cannot matter."""
        score = state.score if self.payoff == "win" else 0
        hands = self._packed(state.hands)
        mirrored = hands[::-1]
        if (mirrored, -score) < (hands, score):
            return Canonical(new_state((mirrored, -score, state.ties)), (1, 0))
        return Canonical(new_state((hands, score, state.ties)), (0, 1))

    def canonical_actions(self, state: DuelState, player: int) -> tuple[ActionImage, ...]:
        """Interchangeable ranks share the probability of their image in proportion to the cards held of each."""
        shares = order.interchangeable(state.hands[player], self._packed(state.hands)[player])
        return tuple(ActionImage(self._action_of[rank], self._action_of[image], share) for rank, image, share in shares)

    def _packed(self, hands: Hands) -> Hands:
        """Packs both hands onto the lowest of this game's ranks, if only the order of ranks matters."""
        if not self.ranks_are_ordinal:
            return hands
        hand_0, hand_1 = order.interleaving(hands)
        return tuple(self.ranks[i] for i in hand_0), tuple(self.ranks[i] for i in hand_1)

    def uniform_is_optimal(self) -> bool:
        """True if each trick is paid separately: against uniform play, every order of one's cards has the same payoff.

        Source: D. Fetterman, "Dinosaur War" (2023), section 3. The proof holds for any odds of a trick.
        """
        return self.ties == "discard" and self.payoff == "margin"

    def smallest(self) -> Duel:
        return replace(self, num_cards=3, hand_0=None, hand_1=None)

    def check(self, state: DuelState) -> None:
        hands, _, _ = state = checked_state(state)
        if self.view == "word":
            order.check_packed(self.hands, hands, self._packed)
        else:
            check_held(self.hands, hands)
        played = len(self.hands[0]) - len(hands[0])
        check_score(state, played, self._possible_ties(hands), carry=self.ties == "carry", kept=self.keeps_score)

    def _possible_ties(self, hands: Hands) -> int:
        """An upper bound on the number of tied tricks: the pairs of equal cards gone from both hands."""
        if self.view == "word":
            return order.most_ties(self.hands, hands) or 0
        gone_0, gone_1 = (Counter(all_) - Counter(left) for all_, left in zip(self.hands, hands, strict=True))
        return (gone_0 & gone_1).total()
