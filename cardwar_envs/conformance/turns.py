"""Whose turn it is: which agents still have to commit, as far as an onlooker can tell."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.choices import legal_actions
from cardwar_envs.conformance.kinds import AECPlay


def has_choice(play: AECPlay, agent: Any) -> bool:
    """Whether an agent has more than one legal action, or its mask does not say.

    Many environments show an all-zero mask to agents that they are not asking, so such a mask says nothing.
    """
    mask, space = play.mask(agent), play.env.action_space(agent)
    return mask is None or not mask.any() or len(legal_actions(space, mask)) > 1


class Turn:
    """A joint action of an AEC environment in the making.

    An agent with one single action gives nothing away by committing to it, so a turn is decided as soon as
    all agents have committed that had a choice when it began.

    Attributes:
        open: The agents that have a choice in this turn and have not been asked yet.
        asked: The agents that have been asked, in order.
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
