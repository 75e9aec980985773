"""One game in progress, shared by all environment APIs (AEC, Parallel, Gymnasium) so that they cannot differ.

In AEC players act one after the other, but moves are simultaneous: an agent commits to its action, which stays hidden
until all have committed:

    player_0 commits to 3     nothing happens; player_1 sees the same as before
    player_1 commits to 1     now the joint action {0: 3, 1: 1} is played

A session knows only the current state. The API passes all commitments together to `resolve`, and only `resolve` uses
the generator, so a session cannot reveal a committed move.

With `illegal_action="forfeit"` an illegal action ends the game, and the offender gets the game's minimal payoff
(`facts.min_payoff`), e.g. -1 for each card in a duel with `payoff="margin"`. Other players gain only if the game is
zero-sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Generic

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import FORFEIT, Game, GameFacts, S
from cardwar_envs.core.parameters import nearest, one_of, unexpected_keyword
from cardwar_envs.core.play import drawn, random_state, require_playable
from cardwar_envs.core.rules import illegal_action_error, random_moves
from cardwar_envs.core.scene import Revealed
from cardwar_envs.envs.spaces import Observation
from cardwar_envs.games import make_game

ILLEGAL_ACTION = ("raise", "forfeit")
START = ("initial", "random")
# `reset_mask` is for Gymnasium's vector environments.
RESET_OPTIONS = ("state", "start", "reset_mask")
# Minimum similarity at which a key counts as a misspelt option: "stat" counts, "stage_mask" does not.
MISTYPED = 0.75
# Joint actions of random games in which `refuse_late_payments` looks for payments.
PROBED = 1000
MASKED_EVALUATION = (
    ". Stable-Baselines3's own evaluation ignores masks: to evaluate MaskablePPO, use evaluate_policy of "
    "sb3_contrib.common.maskable.evaluation or MaskableEvalCallback of sb3_contrib.common.maskable.callbacks"
)
WITHOUT_MASKS = (
    f'{MASKED_EVALUATION}. For a learner without masks, make the environment with illegal_action="forfeit": an illegal '
    "action then loses the game"
)


def resolved_game(game: str | Game[Any], parameters: Mapping[str, Any]) -> Game[Any]:
    """Returns `game` itself if it is a game; otherwise makes the game of that name with `parameters`.

    Raises:
        ValueError: If `game` is neither a game nor a name, if parameters are given with a game (which has
            its own), or for an unknown game or parameter.
    """
    if isinstance(game, str):
        return make_game(game, **parameters)
    if not isinstance(game, Game):
        raise ValueError(f"game ({game!r}) must be a game or the name of a game")
    if parameters:
        reason = f"parameters {sorted(parameters)} can only be given with the name of a game, not with a Game object"
        raise unexpected_keyword(next(iter(parameters)), reason)
    return game


def own_stream(generator: np.random.Generator) -> np.random.Generator:
    """Spawns an independent generator for an environment.

    Without spawning, a policy seeded with the environment's seed would draw the same numbers as chance and the
    opponents.
    """
    return generator.spawn(1)[0]


def checked_seed(seed: Any) -> int | None:
    """Checks a seed by Gymnasium's rules.

    Raises:
        ValueError: If it is neither None nor an integer of at least 0.
    """
    try:
        number = None if seed is None else index(seed)
    except TypeError:
        number = -1
    if number is not None and number < 0:
        raise ValueError(f"seed ({seed!r}) must be an integer of at least 0, or None")
    return number


def forfeit_payoffs(
    facts: GameFacts, paid: Sequence[float], live: Sequence[int], offenders: Sequence[int]
) -> list[float]:
    """Returns the total payoffs of a game ended by illegal actions; each offender gets the game's minimal payoff.

    Players already out keep their payoffs so far. In a zero-sum game the players who did not offend (or all offenders,
    if all offended) share the rest equally, so that payoffs sum to 0. In other games they keep their payoffs so far.

    Args:
        facts: The facts of the game.
        paid: Each player's payoff so far, in payoff points.
        live: The players who are still in the game.
        offenders: The live players who chose an illegal action.
    """
    payoffs = list(paid)
    sharing = [player for player in live if player not in offenders] or offenders
    for player in offenders:
        payoffs[player] = facts.min_payoff
    if facts.zero_sum:
        rest = sum(payoff for player, payoff in enumerate(payoffs) if player not in sharing)
        for player in sharing:
            payoffs[player] = (0.0 - rest) / len(sharing)
    return payoffs


def require_paid_in_time(game: Game[Any], live: Sequence[int], rewards: Sequence[float]) -> None:
    """Raises a ValueError if a move pays a player who is not among the `live` players of its state."""
    if any(paid for player, paid in enumerate(rewards) if player not in live):
        remedy = "keep the player in live_players until its last payment"
        raise ValueError(f"{game.facts.name}: pays a player who has left, which environments cannot return; {remedy}")


@cached_by_game(64)
def refuse_late_payments(game: Game[Any]) -> None:
    """Refuses games that pay players who have left, for environments that stop when their own seat is out.

    Looks at `PROBED` joint actions of random games, so a rare payment can escape; `check_game` looks at every state.

    Raises:
        ValueError: If there is such a payment.
    """
    if type(game).live_players is Game.live_players:
        return  # nobody leaves before the end
    for state, outcomes in random_moves(game, PROBED):
        for outcome in outcomes:
            require_paid_in_time(game, game.live_players(state), outcome.rewards)


def _check_spelling(options: Mapping[str, Any]) -> None:
    """Raises a ValueError for a misspelt option; other unknown keys may be meant for wrappers."""
    for key in options:
        near = nearest(key, RESET_OPTIONS, MISTYPED) if isinstance(key, str) and key not in RESET_OPTIONS else None
        if near is not None:
            allowed = ", ".join(map(repr, RESET_OPTIONS))
            raise ValueError(f"reset has no option {key!r}; did you mean {near!r}? Its options are {allowed}")


class Session(Generic[S]):
    """A game in progress.

    Attributes:
        game: The rules.
        agents: The name of each player.
        state: The current state.
        acting: The players who choose an action now; empty when the game is over.
        live: The players who are still in the game.
        last_actions: The joint action that led here, or None.
        before: The state in which `last_actions` were played, or None.
    """

    state: S

    def __init__(self, game: Game[S], illegal_action: str) -> None:
        self.game = game
        self.agents = [f"player_{player}" for player in range(game.facts.num_players)]
        self.forfeits = one_of("illegal_action", illegal_action, ILLEGAL_ACTION) == "forfeit"
        self.acting: tuple[int, ...] = ()
        self.live: tuple[int, ...] = ()
        self.last_actions: dict[int, int] | None = None
        self.before: S | None = None
        self._paid: tuple[float, ...] = (0.0,) * len(self.agents)
        # Payments not yet returned as rewards: no API can return those of the deal before the first step.
        self._owed = self._paid

    def check_options(self, options: Mapping[str, Any] | None, needed: int | None = None) -> None:
        """Checks the options of `reset`; ignores unknown keys, except misspelt options.

        Args:
            options: The options.
            needed: A player who must still be in the game.

        Raises:
            ValueError: For an impossible state, a state in which the game is over or the needed player
                is out, an unknown start, a misspelt option, or options that are not a mapping.
        """
        if options is None:
            return
        if not isinstance(options, Mapping):
            raise ValueError(f"options ({options!r}) must be a mapping or None")
        _check_spelling(options)
        one_of("start", options.get("start", "initial"), START)
        if options.get("state") is not None:
            if "start" in options:
                raise ValueError("options 'state' and 'start' cannot be given together")
            require_playable(self.game, options["state"])
            if needed is not None and needed not in self.game.live_players(options["state"]):
                raise ValueError(f"state ({options['state']!r}) must not be one in which {self.agents[needed]} is out")

    def reset(self, rng: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Starts a game; the options must have passed `check_options`."""
        options = options or {}
        self._paid = (0.0,) * len(self.agents)
        if options.get("state") is not None:
            self.state = options["state"]
        elif options.get("start") == "random":
            self.state = random_state(self.game, rng)
        else:
            _, self.state, self._paid = drawn(self.game, self.game.initial(), rng)
        self._owed = self._paid
        self.acting = self.game.acting_players(self.state)
        self.live = self.game.live_players(self.state)
        self.last_actions, self.before = None, None

    def require_start(self) -> None:
        """Raises ResetNeeded before the first `reset`."""
        if not hasattr(self, "state"):
            raise ResetNeeded("there is no game yet: call reset() first")

    def observe(self, player: int) -> Observation:
        """Returns a player's observation and mask, as fresh arrays."""
        return {"observation": self.game.observation(self.state, player), "action_mask": self.mask(player)}

    def info(self, player: int) -> dict[str, Any]:
        """Returns the mask, as a fresh array, and the game's own infos for the player."""
        return {"action_mask": self.mask(player), **self.game.info(self.state, player)}

    def mask(self, player: int) -> NDArray[np.int8]:
        """Returns a player's action mask, `[num_actions]`; all 0 if the player is out of the game."""
        if player in self.live:
            return self.game.action_mask(self.state, player)
        return np.zeros(self.game.facts.num_actions, dtype=np.int8)

    def global_state(self) -> NDArray[np.float32]:
        """Returns the concatenated observations of all players, which include hidden information."""
        self.require_start()
        players = range(len(self.agents))
        return np.concatenate([self.game.observation(self.state, player) for player in players])

    def revealed(self, viewer: int | None) -> Revealed[S]:
        """Returns the information that a player, or a spectator (None), may see, without pending commitments."""
        self.require_start()
        return Revealed(self.state, viewer, self.last_actions, self._handed_out(), not self.acting, self.before)

    def _handed_out(self) -> tuple[float, ...]:
        """The rewards so far; a picture that showed more would predict the next reward."""
        return tuple(paid - owed for paid, owed in zip(self._paid, self._owed, strict=True))

    def committed(self, player: int, action: Any) -> int:
        """Returns the action as an int, or FORFEIT if it is illegal and illegal actions forfeit the game.

        Raises:
            IllegalActionError: If it is illegal and illegal actions raise an error.
        """
        legal = self.game.legal_actions(self.state, player)
        try:
            # Before version 2, NumPy treats its bools as integers.
            number = -1 if isinstance(action, np.bool_) else index(action)
            if number in legal:
                return number
        except TypeError:
            pass  # not an integer, so not an action
        if self.forfeits:
            return FORFEIT
        raise illegal_action_error(self.agents[player], action, legal, WITHOUT_MASKS)

    def resolve(self, actions: dict[int, int], rng: np.random.Generator) -> tuple[float, ...]:
        """Plays the acting players' joint action; returns each player's reward (the first includes the deal's).

        Raises:
            ValueError: If the rules pay a player who has left the game; the state is then unchanged.
        """
        before, offenders = self.state, [player for player, action in actions.items() if action == FORFEIT]
        payments = self._forfeit(offenders) if offenders else self._play(actions, rng)
        self.before, self.last_actions, self._owed = before, actions, (0.0,) * len(self.agents)
        return payments

    def _play(self, actions: dict[int, int], rng: np.random.Generator) -> tuple[float, ...]:
        _, state, rewards = drawn(self.game, self.game.transitions(self.state, actions), rng)
        if len(self.live) < len(self.agents):
            require_paid_in_time(self.game, self.live, rewards)
        self.state = state
        self.acting = self.game.acting_players(self.state)
        self.live = self.game.live_players(self.state)
        self._paid = tuple(paid + reward for paid, reward in zip(self._paid, rewards, strict=True))
        return tuple(reward + owed for reward, owed in zip(rewards, self._owed, strict=True))

    def _forfeit(self, offenders: list[int]) -> tuple[float, ...]:
        """Ends the game; returns each player's final payoff (see `forfeit_payoffs`) minus the rewards so far."""
        handed_out = self._handed_out()
        self._paid = tuple(forfeit_payoffs(self.game.facts, self._paid, self.live, offenders))
        self.acting, self.live = (), ()
        return tuple(payoff - paid for payoff, paid in zip(self._paid, handed_out, strict=True))
