"""Who still has to commit, as far as it can be told from outside."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.play import AECPlay, legal_actions


def has_choice(play: AECPlay, agent: Any) -> bool:
    """Whether an agent has more than one way to act, or does not say.

    Many environments show an all-zero mask to whom they are not asking just now, so that counts as not saying.
    """
    mask, space = play.mask(agent), play.env.action_space(agent)
    return mask is None or not mask.any() or len(legal_actions(space, mask)) > 1


class Turn:
    """A joint action of an AEC environment in the making.

    Whoever has one single action gives nothing away by committing to it, so a turn counts as decided as
    soon as all have committed who had a choice when it began.

    Attributes:
        open: Who has a choice in this turn and has not been asked yet.
        asked: Who has been asked, in order.
    """

    def __init__(self, play: AECPlay) -> None:
        self.open = [agent for agent in play.masks() if has_choice(play, agent)]
        self.asked: list[Any] = []

    def goes_on(self, play: AECPlay) -> bool:
        """Whether the agent selected now is asked in this turn; if not, another has begun."""
        agent = play.env.agent_selection
        if play.dead(agent) or agent in self.asked:
            return False
        return bool(self.open) or not has_choice(play, agent)

    def ask(self, agent: Any) -> None:
        """Notes that the agent commits."""
        self.asked.append(agent)
        if agent in self.open:
            self.open.remove(agent)
