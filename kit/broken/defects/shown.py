"""A committed move is drawn, written or kept where all can look."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.leaks import attribute, described, drawn, leaks, printed, refused, state

SHOWN, AEC, AEC_BESIDE = Kind.SHOWN, Skins.AEC, Skins.AEC_BESIDE


@broken(SHOWN, AEC_BESIDE, leaks(drawn, render_mode="ansi"), Bidding)
def AnsiNamesTheCard(self, render):
    """The text drawing names the cards that have been laid face down."""
    laid = [f"{agent} bids {card + 1}" for agent, card in self._committed.items()]
    return "\n".join([render(), *laid])


@broken(SHOWN, AEC, leaks(drawn, render_mode="ansi"), Bidding)
def AnsiHandShrinks(self, render):
    """A card that has been laid face down is missing from the hand that is drawn."""
    hands, laid = self._hands, self._committed
    shown = {agent: hands[agent] * (np.arange(5) != laid.get(agent, -1)) for agent in self.players}
    self._hands = shown
    text = render()
    self._hands = hands
    return text


@broken(SHOWN, AEC, leaks(drawn, render_mode="ansi"), Pennies)
def AnsiTrailingBlank(self, render):
    """The text drawing ends with a blank if the face-down penny shows tails."""
    return self.text() + " " * sum(self._committed.values())


@broken(SHOWN, AEC, leaks(drawn, render_mode="rgb_array"), Lowest)
def OnePixel(self, render):
    """One pixel of the picture, in a corner, has the number that was named."""
    frame = render()
    if self.render_mode == "rgb_array":
        frame[-1, -1, 2] -= sum(self._committed.values())
    return frame


@broken(SHOWN, AEC_BESIDE, leaks(drawn, render_mode="rgb_array"), Lowest)
def WiderPicture(self, render):
    """The picture leaves as many columns for a face-down ticket as the number on it."""
    frame = render()
    columns = sum(self._committed.values())
    return np.pad(frame, [(0, 0), (0, columns), (0, 0)]) if self.render_mode == "rgb_array" else frame


@broken(SHOWN, AEC, leaks(printed, render_mode="human"), Pennies)
def PrintedForHumans(self, render):
    """The mode for people prints the penny that lies face down; the text mode does not."""
    text = render()
    if self.render_mode == "human" and self._committed:
        print(f"face down: {self._committed}")
    return text


@broken(SHOWN, AEC, leaks(state), Bidding)
def StateHandShrinks(self, state):
    """The state no longer has the card that has been laid face down."""
    numbers = state()
    for agent, card in self._committed.items():
        numbers[card + 5 * self.players.index(agent)] = 0
    return numbers


@broken(SHOWN, AEC, leaks(state), Bidding)
def StateLastBit(self, state):
    """The score in the state is off by as many last bits as the card that was laid."""
    numbers = state()
    for _ in range(sum(self._committed.values())):
        numbers[-1] = np.nextafter(numbers[-1], 99)
    return numbers


@broken(SHOWN, AEC, leaks(state), Lowest)
def StateSignOfZero(self, state):
    """The first zero of the state is -0.0 if an even number was named."""
    numbers = state()
    if 1 in self._committed.values() or 3 in self._committed.values():
        numbers[np.flatnonzero(numbers == 0)[:1]] = -0.0
    return numbers


@broken(SHOWN, AEC, leaks(refused), Bidding)
def ErrorListsBids(self, refusal, agent, why):
    """The text of an error lists what has been laid so far."""
    return refusal(agent, f"{why}; laid so far: {self._committed}")


@broken(SHOWN, AEC, leaks(refused), Lowest)
def ErrorOfAnotherType(self, refusal, agent, why):
    """After a high number has been named, an impossible action raises IndexError instead of ValueError."""
    return IndexError(why) if max(self._committed.values(), default=0) > 1 else refusal(agent, why)


@broken(SHOWN, AEC, leaks(lambda env, others: str(env)), Bidding)
def StrOfTheTable(self, __str__):
    """str(env) describes the table with the cards that lie face down."""
    return f"{self.metadata['name']}: prize {self.prize()}, on the table {sorted(self._committed.values())}"


@broken(SHOWN, AEC, leaks(described), Pennies)
def ReprOfEverything(self, __repr__):
    """repr(env) lists the fields of the environment, as a dataclass does."""
    fields = {name: value for name, value in vars(self).items() if name.endswith(("memory", "committed"))}
    return f"{type(self).__name__}({fields})"


@broken(SHOWN, AEC, leaks(attribute("last_action")), Bidding, last_action=None)
def PublicLastAction(self, commit, agent, action):
    """The action that was handed in last is a public attribute."""
    self.last_action = action
    commit(agent, action)


@broken(SHOWN, AEC, leaks(attribute("history")), Lowest, _fresh={"history": []})
def PublicHistory(self, commit, agent, action):
    """The public history of the game is written at commitment, not when moves are revealed."""
    self.history.append((agent, action))
    commit(agent, action)


@broken(SHOWN, AEC, leaks(attribute("num_tails")), Pennies, num_tails=0)
def PublicCounter(self, commit, agent, action):
    """A public counter of tails for statistics goes up at commitment."""
    self.num_tails += action
    commit(agent, action)


@broken(SHOWN, AEC, leaks(attribute("pending_tie")))
class AttributeAppears(Pennies):
    """A public attribute is there only after heads."""

    def commit(self, agent, action):
        super().commit(agent, action)
        if action == 0:
            self.pending_tie = True

    def resolve(self):
        vars(self).pop("pending_tie", None)
        super().resolve()


class Seat:
    """A player at the table, as an object of its own."""

    chosen = None


class Seats:
    """The players at the table."""

    def __init__(self):
        self.first = Seat()


@broken(SHOWN, AEC, leaks(attribute("seats", "first", "chosen")))
class NestedObject(Lowest):
    """A player object that hangs on the environment keeps the number that was named."""

    def deal(self):
        super().deal()
        self.seats = Seats()

    def commit(self, agent, action):
        super().commit(agent, action)
        if agent == "ann":
            self.seats.first.chosen = action

    def resolve(self):
        super().resolve()
        self.seats.first.chosen = None


@broken(SHOWN, AEC, leaks(lambda env, others: env.metadata.get("last_move")), Pennies)
def MetadataKeepsTheMove(self, commit, agent, action):
    """The metadata keeps the last move, for an overlay of the video recorder."""
    commit(agent, action)
    self.metadata["last_move"] = action


@broken(SHOWN, AEC, leaks(lambda env, others: hasattr(env, "__len__") and len(env)), Bidding)
def LengthOfTheEnvironment(self, __len__):
    """len(env) counts the cards that both still hold above the lowest card laid."""
    lowest = min(self._committed.values(), default=0)
    return int(sum(hand[lowest:].sum() for hand in self._hands.values())) + 1
