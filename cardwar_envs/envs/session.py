"""One game in progress: what all skins share, so that they cannot differ.

A session knows the current state only. What players have committed to is handed over in one
piece when all have (`resolve`), and only then is the generator used; so nothing in here can
give a committed move away.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, IllegalActionError, S
from cardwar_envs.core.play import random_state, sample_transition
from cardwar_envs.envs.spaces import Observation, agent_names
from cardwar_envs.games import make_game

ILLEGAL_ACTION = ("raise", "forfeit")
START = ("initial", "random")
RENDER_MODES = ["human", "ansi"]
# Stands for a move that the rules do not allow, where such moves forfeit the game.
FORFEIT = -1


def resolved_game(game: str | Game[Any], parameters: Mapping[str, Any]) -> Game[Any]:
    """The game, given it or its name and parameters.

    Raises:
        ValueError: If parameters come with a game that has its own, or are not that game's.
    """
    if isinstance(game, str):
        return make_game(game, **parameters)
    if parameters:
        raise ValueError(f"parameters {sorted(parameters)} go with a game's name, not with a game")
    return game


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """`value`, if it is allowed.

    Raises:
        ValueError: If not; it names the value and what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{name} ({value!r}) must be one of {', '.join(map(repr, allowed))}")
    return value


class Session(Generic[S]):
    """A game in progress.

    Attributes:
        game: The rules.
        agents: The name of each player.
        state: Where the game stands.
        acting: The players who are to choose now; empty when the game is over.
        live: The players who are still in the game.
        last_actions: The joint action that led here, or None.
    """

    state: S

    def __init__(self, game: Game[S], illegal_action: str) -> None:
        self.game = game
        self.agents = agent_names(game)
        self.forfeits = one_of("illegal_action", illegal_action, ILLEGAL_ACTION) == "forfeit"
        self.acting: tuple[int, ...] = ()
        self.live: tuple[int, ...] = ()
        self.last_actions: dict[int, int] | None = None
        self._paid = [0.0] * len(self.agents)

    def check_options(self, options: Mapping[str, Any] | None) -> None:
        """Checks the options of `reset`; keys that are not ours are ignored.

        Raises:
            ValueError: For a state that cannot be, one in which the game is over, or an
                unknown start.
        """
        options = options or {}
        one_of("start", options.get("start", "initial"), START)
        if options.get("state") is not None:
            if "start" in options:
                raise ValueError("options 'state' and 'start' cannot be given together")
            self.game.check(options["state"])
            if not self.game.acting_players(options["state"]):
                raise ValueError(f"state ({options['state']!r}) must not be one in which the game is over")

    def reset(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Starts a game; `options` have been through `check_options`."""
        options = options or {}
        if options.get("state") is not None:
            self.state = options["state"]
        elif options.get("start") == "random":
            self.state = random_state(self.game, rng)
        else:
            self.state = sample_transition(self.game.initial(), rng).state
        self.acting = self.game.acting_players(self.state)
        self.live = self.game.live_players(self.state)
        self.last_actions = None
        self._paid = [0.0] * len(self.agents)

    def observe(self, player: int) -> Observation:
        """What a player sees: fresh arrays."""
        return {"observation": self.game.observation(self.state, player), "action_mask": self.mask(player)}

    def mask(self, player: int) -> NDArray[np.int8]:
        """What a player may play, `[num_actions]`; all 0 for one who is out of the game."""
        if player in self.live:
            return self.game.action_mask(self.state, player)
        return np.zeros(self.game.facts.num_actions, dtype=np.int8)

    def global_state(self) -> NDArray[np.float32]:
        """The observations of all players in a row: the one place that shows what some cannot see."""
        players = range(len(self.agents))
        return np.concatenate([self.game.observation(self.state, player) for player in players])

    def committed(self, player: int, action: Any) -> int:
        """The action as a number, or FORFEIT for an illegal one where that forfeits.

        Raises:
            IllegalActionError: If the rules do not allow it and illegal actions raise.
        """
        legal = self.game.legal_actions(self.state, player)
        try:
            number = index(action)
            if number in legal:
                return number
        except TypeError:
            pass  # not a whole number, so not an action
        if self.forfeits:
            return FORFEIT
        raise IllegalActionError(
            f"{self.agents[player]} cannot play action {action!r}; legal actions are {', '.join(map(str, legal))}"
        )

    def resolve(self, actions: dict[int, int], rng: np.random.Generator) -> tuple[float, ...]:
        """Plays the joint action of the acting players; returns each player's payoff points."""
        offenders = [player for player, action in actions.items() if action == FORFEIT]
        if offenders:
            rewards = self._forfeit(offenders)
        else:
            outcome = sample_transition(self.game.transitions(self.state, actions), rng)
            self.state, rewards = outcome.state, outcome.rewards
            self.acting = self.game.acting_players(self.state)
            self.live = self.game.live_players(self.state)
        self.last_actions = actions
        if self.forfeits:  # only a forfeit asks what has been paid so far
            self._paid = [paid + reward for paid, reward in zip(self._paid, rewards, strict=True)]
        return rewards

    def _forfeit(self, offenders: list[int]) -> tuple[float, ...]:
        """Ends the game: over the whole of it offenders get the least payoff, the others share what they lose."""
        players = len(self.agents)
        lost = self.game.facts.min_payoff if len(offenders) < players else 0.0
        gained = -lost * len(offenders) / max(players - len(offenders), 1)
        self.acting, self.live = (), ()
        return tuple(
            (lost if player in offenders else gained) - self._paid[player] for player in range(players)
        )
