"""One game in progress: what all skins share, so that they cannot differ.

A session knows the current state only. What players have committed to is handed over in one
piece when all have (`resolve`), and only then is the generator used; so nothing in here can
give a committed move away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Generic

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, IllegalActionError, S
from cardwar_envs.core.play import random_state, require_playable, sample_transition
from cardwar_envs.envs.spaces import Observation, agent_names
from cardwar_envs.games import make_game

ILLEGAL_ACTION = ("raise", "forfeit")
START = ("initial", "random")
RENDER_MODES = ["human", "ansi"]
# Stands for a move that the rules do not allow, where such moves forfeit the game.
FORFEIT = -1
# An error lists so many legal actions; a war can have thousands.
LISTED = 40


def resolved_game(game: str | Game[Any], parameters: Mapping[str, Any]) -> Game[Any]:
    """The game, given it or its name and parameters.

    Raises:
        ValueError: If it is neither, parameters come with a game that has its own, or are not
            that game's.
    """
    if isinstance(game, str):
        return make_game(game, **parameters)
    if not isinstance(game, Game):
        raise ValueError(f"game ({game!r}) must be a game or the name of one")
    if parameters:
        raise ValueError(f"parameters {sorted(parameters)} go with a game's name, not with a game")
    return game


def own_stream(generator: np.random.Generator) -> np.random.Generator:
    """A stream of an environment's own.

    Whoever seeds a policy's generator with the number that seeds the environment would otherwise
    draw the very numbers that decide chance and the opponents' moves.
    """
    return generator.spawn(1)[0]


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """`value`, if it is allowed.

    Raises:
        ValueError: If not; it names the value and what is allowed.
    """
    # Arrays and the like compare in ways of their own.
    if not isinstance(value, str | int | np.integer | None) or value not in allowed:
        raise ValueError(f"{name} ({value!r}) must be one of {', '.join(map(repr, allowed))}")
    return value


def checked_seed(seed: Any) -> int | None:
    """A seed as Gymnasium wants it.

    Raises:
        ValueError: If it is neither an integer from 0 on nor None.
    """
    try:
        number = None if seed is None else index(seed)
    except TypeError:
        number = -1
    if number is not None and number < 0:
        raise ValueError(f"seed ({seed!r}) must be an integer, at least 0, or None")
    return number


def illegal_action_error(who: str, action: Any, legal: Sequence[int]) -> IllegalActionError:
    """What to raise where the rules do not allow an action."""
    listed = ", ".join(map(str, legal[:LISTED])) + (f", ... ({len(legal)} in all)" if len(legal) > LISTED else "")
    return IllegalActionError(f"{who} cannot play action {action!r}; legal actions are {listed}")


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
        # What the deal paid. No skin can pay anything before the first step, so that one does.
        self._dealt: tuple[float, ...] | None = None

    def check_options(self, options: Mapping[str, Any] | None, needed: int | None = None) -> None:
        """Checks the options of `reset`; keys that are not ours are ignored.

        Args:
            options: The options.
            needed: A player who must not be out of the game yet.

        Raises:
            ValueError: For a state that cannot be, one in which the game is over (at least for
                the player who is needed), an unknown start, or options that are not a mapping.
        """
        if options is None:
            return
        if not isinstance(options, Mapping):
            raise ValueError(f"options ({options!r}) must be a mapping or None")
        one_of("start", options.get("start", "initial"), START)
        if options.get("state") is not None:
            if "start" in options:
                raise ValueError("options 'state' and 'start' cannot be given together")
            require_playable(self.game, options["state"])
            if needed is not None and needed not in self.game.live_players(options["state"]):
                raise ValueError(f"state ({options['state']!r}) must not be one in which {self.agents[needed]} is out")

    def reset(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Starts a game; `options` have been through `check_options`."""
        options = options or {}
        self._dealt = None
        if options.get("state") is not None:
            self.state = options["state"]
        elif options.get("start") == "random":
            self.state = random_state(self.game, rng)
        else:
            _, self.state, paid = sample_transition(self.game.initial(), rng)
            self._dealt = paid if any(paid) else None
        self.acting = self.game.acting_players(self.state)
        self.live = self.game.live_players(self.state)
        self.last_actions = None
        self._paid = [0.0] * len(self.agents)

    def require_start(self) -> None:
        """Raises ResetNeeded if no game was ever started."""
        if not hasattr(self, "state"):
            raise ResetNeeded("there is no game yet: call reset() first")

    def observe(self, player: int) -> Observation:
        """What a player sees: fresh arrays."""
        return {"observation": self.game.observation(self.state, player), "action_mask": self.mask(player)}

    def info(self, player: int) -> dict[str, Any]:
        """The mask, a fresh array, and what else the game tells a player."""
        return {"action_mask": self.mask(player), **self.game.info(self.state, player)}

    def mask(self, player: int) -> NDArray[np.int8]:
        """What a player may play, `[num_actions]`; all 0 for one who is out of the game."""
        if player in self.live:
            return self.game.action_mask(self.state, player)
        return np.zeros(self.game.facts.num_actions, dtype=np.int8)

    def global_state(self) -> NDArray[np.float32]:
        """The observations of all players in a row: the one place that shows what some cannot see."""
        self.require_start()
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
        raise illegal_action_error(self.agents[player], action, legal)

    def resolve(self, actions: dict[int, int], rng: np.random.Generator) -> tuple[float, ...]:
        """Plays the joint action of the acting players; returns what each player is paid, payoff points."""
        if FORFEIT in actions.values():
            rewards = self._forfeit([player for player, action in actions.items() if action == FORFEIT])
        else:
            outcome = sample_transition(self.game.transitions(self.state, actions), rng)
            self.state, rewards = outcome.state, outcome.rewards
            self.acting = self.game.acting_players(self.state)
            self.live = self.game.live_players(self.state)
            if self._dealt is not None:
                rewards = tuple(reward + dealt for reward, dealt in zip(rewards, self._dealt, strict=True))
                self._dealt = None
        self.last_actions = actions
        if self.forfeits:  # only a forfeit asks what has been paid so far
            self._paid = [paid + reward for paid, reward in zip(self._paid, rewards, strict=True)]
        return rewards

    def _forfeit(self, offenders: list[int]) -> tuple[float, ...]:
        """Ends the game: over the whole of it offenders get the least payoff, and the sum over all players is 0.

        Who was out already keeps what it was paid; if all others offend, they share alike.
        """
        least = self.game.facts.min_payoff
        payoffs = self._paid[:]
        sharing = [player for player in self.live if player not in offenders]
        if sharing:
            for player in offenders:
                payoffs[player] = least
        else:
            sharing = offenders
        rest = sum(payoff for player, payoff in enumerate(payoffs) if player not in sharing)
        for player in sharing:
            payoffs[player] = (0.0 - rest) / len(sharing)
        self.acting, self.live = (), ()
        return tuple(payoff - paid for payoff, paid in zip(payoffs, self._paid, strict=True))
