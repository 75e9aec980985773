"""Which agents still have to commit, as far as an observer can tell."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.choices import legal_actions
from cardwar_envs.conformance.kinds import AECPlay


def has_choice(play: AECPlay, agent: Any) -> bool:
    """Whether an agent has more than one legal action, or its mask is missing or all zero.

    Many environments show an all-zero mask to agents that are not selected, so such a mask is uninformative.
    """
    mask, space = play.mask(agent), play.env.action_space(agent)
    return mask is None or not mask.any() or len(legal_actions(space, mask)) > 1


class Turn:
    """A joint action of an AEC environment in progress.

    An agent with a single action reveals nothing by committing to it, so a turn ends as soon as all agents
    that had a choice when it began have committed.

    Attributes:
        open: The agents that have a choice in this turn and have not been selected yet.
        asked: The agents that have been selected, in order.
    """

    def __init__(self, play: AECPlay) -> None:
        self.open = [agent for agent in play.masks() if has_choice(play, agent)]
        self.asked: list[Any] = []

    def goes_on(self, play: AECPlay) -> bool:
        """Whether the selected agent acts in this turn; if not, a new turn has begun."""
        agent = play.env.agent_selection
        if play.dead(agent) or agent in self.asked:
            return False
        return bool(self.open) or not has_choice(play, agent)

    def ask(self, agent: Any) -> None:
        """Records the agent's commitment."""
        self.asked.append(agent)
        if agent in self.open:
            self.open.remove(agent)
