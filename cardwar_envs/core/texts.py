"""Texts and pictures of a game, made from the revealed information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from cardwar_envs.core.rules import FORFEIT, Rules, S
from cardwar_envs.core.scene import Revealed, Scene, in_points, plain_scene, spoken, with_names

# A description of what to pick, and the items, which can be picked in any order.
Picks = tuple[str, tuple[str, ...]]

CHANCE = {"deal": "Chance decides how the game begins.", "moves": "Chance may play a part."}
# Maximum number of moves that the default text lists.
FEW = 12
# Longer lists of numbers are shortened to this many numbers and the last one.
MOST_LISTED = 12


class WorkedRound(NamedTuple):
    """The moves of a short game, which the game's page shows.

    Attributes:
        moves: The names of the acting players' actions, per joint move.
        parameters: The game's parameters, as in "num_cards=4".
        outcomes: Index of the chance outcome of each joint move; 0 if not given.
        deal: Index of the outcome of the deal.
    """

    moves: tuple[tuple[str, ...], ...]
    parameters: str = ""
    outcomes: tuple[int, ...] = ()
    deal: int = 0


class Texts(Rules[S]):
    """Default texts and pictures, made from `describe` and `describe_action`; a game may override them."""

    card_word: ClassVar[str] = "card"  # name of a card
    worked_round: ClassVar[WorkedRound | None] = None  # of each game of this package
    own_words: ClassVar[tuple[str, ...]] = ()  # words that a disguise replaces by new ones: the texts explain them
    # Of a disguised copy: ranks, and their numbers in texts; immutable, as results are cached by a game's attributes.
    shown_ranks: ClassVar[tuple[tuple[int, int], ...]] = ()
    checksum: ClassVar[str] = ""  # the parameter that alone identifies the game in stored files, if it has one

    @property
    def how_to_play(self) -> str:
        """Explains the game and its goal to a player in a few plain sentences that fit the parameters.

        The default text follows from the facts. A subclass that overrides a rule loses an inherited text, which may be
        wrong for it, and gets the default.
        """
        facts = self.facts
        others = facts.num_players - 1
        losers = "the other loses" if others == 1 else "the others lose"
        sentences = (
            f"You play against {counted(others, 'opponent')}." if others else "You play alone.",
            f"In each turn, every player {'' if facts.everyone_acts else 'whose turn it is '}chooses a move, "
            f"{'and all moves are revealed' if facts.public_state else 'all'} at the same time.",
            self._moves_in_words(),
            "" if facts.public_state else "Some things may be hidden from you.",
            CHANCE.get(facts.chance, ""),
            f"The game lasts at most {counted(facts.max_length, 'turn')}.",
            f"In the whole game you get between {in_points(facts.min_payoff)} and {in_points(facts.max_payoff)} points"
            f"{f'; what one player wins, {losers}' if facts.zero_sum and others else ''}. Get as many as you can.",
        )
        return " ".join(filter(None, sentences))

    def seat_in_words(self, player: int) -> str:
        """What a player's seat means, in a sentence to the player, e.g. "You bid first."; "" if seats do not differ."""
        return f"You are in seat {player} of these rules." if "seat 0" in self.how_to_play else ""

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the seats in files for other programs."""
        return tuple(f"player_{player}" for player in self._everyone)

    def _moves_in_words(self) -> str:
        """A sentence that lists the moves, per seat if needed; "" for many moves or more than two differing seats."""
        actions = range(self.facts.num_actions)
        if len(actions) > FEW:
            return ""
        lists = [joined([self.describe_action(action, player) for action in actions]) for player in self._everyone]
        if len(lists) > 2 and len(set(lists)) > 1:
            return ""
        seats = len(set(lists)) > 1
        moves = f"In seat 0 the moves are {lists[0]}, in seat 1 {lists[1]}" if seats else f"The moves are {lists[0]}"
        return f"{moves}; some may not be allowed in every turn."

    @property
    def ordinal_ranks(self) -> Sequence[int]:
        """Ascending ranks whose order alone matters, so that a disguise may show other numbers; none by default."""
        return ()

    def shown(self, rank: int) -> int:
        """The number that texts show for a rank."""
        return dict(self.shown_ranks).get(rank, rank)

    def relabelled(self, words: Iterator[str]) -> tuple[Any, dict[str, str]] | None:
        """A copy with other names, and old -> new name, if the game's names are free labels; None by default."""
        return None

    def waits(self, action: int) -> bool:
        """Whether an action only lets another player move; interactive play makes it by itself."""
        return False

    def describe_play(self, action: int, player: int) -> str:
        """A short name for a player's move: `describe_action`, or "forfeits"."""
        return "forfeits" if action == FORFEIT else self.describe_action(action, player)

    def state_defaults(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of fields that a state written as text may omit, if the rules determine them from the others.

        `given` has the values of the written fields. Defaults of the state's class need not be repeated.
        """
        return {}

    def picks(self, action: int, player: int) -> tuple[Picks, ...]:
        """The steps in which a person enters an action by picking items; by default one step, the action itself.

        Each step has a description and items, which can be picked in any order: in WAR `("discards", ("2", "3", "3"))`,
        then `("battle card", ("9",))`. No two actions have the same picks. A box of the picture whose `pick` is an item
        is a button for that item.
        """
        return (("", (self.describe_action(action, player),)),)

    def scene(self, revealed: Revealed[S]) -> Scene:
        """Draws the revealed information; by default the text of `describe`, the last moves and the payoffs.

        All pictures of a game have the same size and show only what `revealed` allows. If the state is not public, the
        default draws the text of `describe_revealed`.
        """
        if not self.facts.public_state:
            text = self.describe_revealed(revealed)
            lines = (with_names(text, revealed.names) if revealed.names else text).splitlines()
            return plain_scene(spoken(self.facts.name), "the game is over" if revealed.over else "", lines, text)
        lines = self.describe(revealed.state).splitlines()
        if revealed.last_actions is not None:
            moves = (f"player_{p}  {self.describe_play(a, p)}" for p, a in revealed.last_actions.items())
            lines += ["", "last moves", *moves]
        if any(revealed.payoffs):
            payoffs = (f"player_{player}  {in_points(paid)}" for player, paid in enumerate(revealed.payoffs))
            lines += ["", "payoffs so far", *payoffs]
        aside = "the game is over" if revealed.over else ""
        if revealed.names:
            lines = with_names("\n".join(lines), revealed.names).splitlines()
        return plain_scene(spoken(self.facts.name), aside, lines, self.describe_revealed(revealed))

    def describe_revealed(self, revealed: Revealed[S]) -> str:
        """The revealed information as lines of text: the state, then `describe_course`.

        If the state is not public, the default shows the viewer's observation as numbers until the game is over.
        """
        if self.facts.public_state or revealed.over:
            return "\n".join([self.describe(revealed.state), *self.describe_course(revealed)])
        if revealed.viewer is None:
            return "what the players see is private"
        seen = " ".join(f"{entry:g}" for entry in self.observation(revealed.state, revealed.viewer).tolist())
        return f"seen by player_{revealed.viewer}: {seen}"

    def describe_course(self, revealed: Revealed[S]) -> list[str]:
        """The last moves, if any, and whether the game is over, as lines of text."""
        lines = []
        if revealed.last_actions is not None:
            moves = (f"player_{p} {self.describe_play(a, p)}" for p, a in revealed.last_actions.items())
            lines.append("played  " + "  ".join(moves))
        if revealed.over:
            lines.append("the game is over")
        return lines


def counted(number: int, noun: str) -> str:
    """A number with its noun, e.g. "1 card" or "1,000 cards"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def margin_in_words(ahead: int, noun: str, won: int | None) -> str:
    """How a game was won, e.g. "3 tricks to 2", or "by 1 trick" if it is unknown how many both players `won`."""
    if won is None:
        return f"by {counted(abs(ahead), noun)}" if ahead else f"with equally many {noun}s"
    more, less = (won + abs(ahead)) // 2, (won - abs(ahead)) // 2
    return f"{counted(more, noun)} to {less}" if ahead else f"with {counted(more, noun)} each"


def joined(words: Sequence[object]) -> str:
    """Joins a list in English, e.g. "1, 2 and 3"."""
    return " and ".join(filter(None, (", ".join(map(str, words[:-1])), str(words[-1]))))


def numbers_in_words(numbers: Sequence[int]) -> str:
    """Lists numbers in English, ascending, e.g. "1 to 13", "2, 3 and 6" or "1, 3, 5, ..., 99"."""
    low, high = numbers[0], numbers[-1]
    if len(numbers) > 2 and list(numbers) == list(range(low, high + 1)):
        return f"{low} to {high}"
    if len(numbers) <= MOST_LISTED + 1:
        return joined(numbers)
    return f"{', '.join(map(str, numbers[:MOST_LISTED]))}, ..., {high}"
