"""A game as lines of text and as a picture, made of what is revealed."""

from __future__ import annotations

from cardwar_envs.core.rules import FORFEIT, Rules, S
from cardwar_envs.core.scene import Revealed, Scene, in_points, plain_scene, spoken, with_names

# What is picked, in any order, and the items.
Picks = tuple[str, tuple[str, ...]]


class Texts(Rules[S]):
    """Default texts and pictures, made from `describe` and `describe_action`; a game may override them."""

    @property
    def how_to_play(self) -> str:
        """How the game is played and won, in a few plain sentences that fit its parameters."""
        return f"{self.facts.num_players} players choose a move at the same time, each round until the game is over."

    def describe_play(self, action: int, player: int) -> str:
        """A short name of what `player` did: `describe_action`, or that it forfeited the game."""
        return "forfeits" if action == FORFEIT else self.describe_action(action, player)

    def picks(self, action: int, player: int) -> tuple[Picks, ...]:
        """How a person makes an action by picking items, in steps; by default the action itself, in one step.

        Each step says what is picked and the items, in any order: in WAR `("discards", ("2", "3", "3"))` and then
        `("battle card", ("9",))`. No two actions have the same picks. Boxes of the picture whose `pick` is an item are
        its buttons.
        """
        return (("", (self.describe_action(action, player),)),)

    def scene(self, revealed: Revealed[S]) -> Scene:
        """A picture of what is revealed; by default the text of `describe`, the last moves and the payoffs.

        All pictures of a game have the same size and show only what `revealed` allows.
        """
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
        """What is revealed as lines of text: the state, then what `describe_course` says."""
        return "\n".join([self.describe(revealed.state), *self.describe_course(revealed)])

    def describe_course(self, revealed: Revealed[S]) -> list[str]:
        """The last moves, if there were any, and whether the game is over, as lines of text."""
        lines = []
        if revealed.last_actions is not None:
            moves = (f"player_{p} {self.describe_play(a, p)}" for p, a in revealed.last_actions.items())
            lines.append("played  " + "  ".join(moves))
        if revealed.over:
            lines.append("the game is over")
        return lines
