"""A game whose texts try to become markup or script wherever they are shown."""

from dataclasses import dataclass

from cardwar_envs.games.jujitsu import Jujitsu

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\"'`${1}\u2028\x00"


@dataclass(frozen=True)
class Hostile(Jujitsu):
    """A game whose every text is hostile."""

    name = f"evil {EVIL}"

    @property
    def how_to_play(self):
        return EVIL

    def describe(self, state):
        return f"{EVIL} {state}"

    def describe_action(self, action, player=0):
        return f"{action} {EVIL}"
