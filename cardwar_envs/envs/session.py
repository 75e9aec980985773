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

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import add, index
from typing import Any, Generic

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import FORFEIT, Game, GameFacts, S
from cardwar_envs.core.parameters import nearest, one_of, unexpected_keyword
from cardwar_envs.core.play import Starts, drawn, random_state, require_playable
from cardwar_envs.core.rules import illegal_action_error, random_moves
from cardwar_envs.core.scene import Revealed
from cardwar_envs.envs.kept import Kept, Known, kept_of
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


def _number(action: Any) -> int:
    """The action as an int; -1, which is never legal, if it is not an integer."""
    try:
        # Before version 2, NumPy treats its bools as integers.
        return -1 if isinstance(action, np.bool_) else index(action)
    except TypeError:
        return -1


class Session(Generic[S]):
    """A game in progress.

    Attributes:
        game: The rules.
        agents: The name of each player.
        player_of: The player of each name.
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
        self.player_of = {agent: player for player, agent in enumerate(self.agents)}
        self.forfeits = one_of("illegal_action", illegal_action, ILLEGAL_ACTION) == "forfeit"
        self.acting: tuple[int, ...] = ()
        self.live: tuple[int, ...] = ()
        self.last_actions: dict[int, int] | None = None
        self.before: S | None = None
        # What the players see in this state, as far as they were asked for.
        self._masks: list[NDArray[np.int8] | None] = [None] * len(self.agents)
        self._seen: list[NDArray[np.float32] | None] | None = None  # if it is None, observations are not kept
        self._kept: Kept | None = kept_of(game)
        self._last_start: tuple[S, Known] | None = None  # most games of a kind start in the same state
        # Methods that are not overridden need not be called.
        self._nobody_leaves, self._no_info = type(game).live_players is Game.live_players, type(game).info is Game.info
        self._everyone = tuple(range(len(self.agents)))
        self._nothing: tuple[float, ...] = (0.0,) * len(self.agents)
        self._paid = self._nothing
        # Payments not yet returned as rewards: no API can return those of the deal before the first step.
        self._owed = self._nothing

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
        self._paid = self._nothing
        if options and options.get("state") is not None:
            self._enter(options["state"])
        elif options and options.get("start") == "random":
            self._enter(random_state(self.game, rng))
        else:
            _, start, self._paid = self._starts.drawn(rng)
            self._enter_start(start)
        self._owed = self._paid
        self.last_actions, self.before = None, None

    @cached_property
    def _starts(self) -> Starts[S]:
        return Starts(self.game)

    def _enter_start(self, state: S) -> None:
        if self._last_start is not None and self._last_start[0] is state:
            self.state = state
            self.acting, self.live, self._masks, self._seen = self._last_start[1]
            return
        self._enter(state)
        self._seen = self._seen or [None] * len(self.agents)
        self._last_start = state, (self.acting, self.live, self._masks, self._seen)

    def _enter(self, state: S) -> None:
        self.state, kept = state, self._kept
        if kept is not None:
            known = kept.get(state)
            if known is not None:
                self.acting, self.live, self._masks, self._seen = known
                return
            if kept.full:
                self._kept = kept = None
        self._masks, self._seen = [None] * len(self.agents), None
        self.acting = acting = self.game.acting_players(state)
        if self._nobody_leaves:
            self.live = self._everyone if acting else ()
        else:
            self.live = self.game.live_players(state)
        if kept is not None:
            self._seen = [None] * len(self.agents)
            kept.keep(state, (acting, self.live, self._masks, self._seen))

    def require_start(self) -> None:
        """Raises ResetNeeded before the first `reset`."""
        if not hasattr(self, "state"):
            raise ResetNeeded("there is no game yet: call reset() first")

    def observe(self, player: int) -> Observation:
        """Returns a player's observation and mask, as fresh arrays."""
        mask = self._masks[player]
        if mask is None:
            mask = self._new_mask(player)
        if self._seen is None:
            return {"observation": self.game.observation(self.state, player), "action_mask": mask.copy()}
        seen = self._seen[player]
        if seen is None:
            seen = self._seen[player] = self.game.observation(self.state, player)
        return {"observation": seen.copy(), "action_mask": mask.copy()}

    def infos(self, agents: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Returns, for each agent, the mask, as a fresh array, and the game's own infos."""
        infos: dict[str, dict[str, Any]] = {}
        masks, player_of = self._masks, self.player_of
        for agent in agents:
            mask = masks[player_of[agent]]
            if mask is None:
                mask = self._new_mask(player_of[agent])
            infos[agent] = {"action_mask": mask.copy()}
        if not self._no_info:
            for agent, info in infos.items():
                info.update(self.game.info(self.state, player_of[agent]))
        return infos

    def mask(self, player: int) -> NDArray[np.int8]:
        """Returns a player's action mask, `[num_actions]`; all 0 if the player is out of the game."""
        mask = self._masks[player]
        return (self._new_mask(player) if mask is None else mask).copy()

    def _new_mask(self, player: int) -> NDArray[np.int8]:
        """Makes the mask of a player in this state; only copies of it are returned to callers."""
        if player in self.live:
            mask = self.game.action_mask(self.state, player)
        else:
            mask = np.zeros(self.game.facts.num_actions, dtype=np.int8)
        self._masks[player] = mask
        return mask

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
        number = action if type(action) is int else _number(action)
        mask = self._masks[player]
        if mask is None:
            mask = self._new_mask(player)
        if 0 <= number < len(mask) and mask.item(number):
            return number
        if self.forfeits:
            return FORFEIT
        legal = self.game.legal_actions(self.state, player)
        raise illegal_action_error(self.agents[player], action, legal, WITHOUT_MASKS)

    def resolve(self, actions: dict[int, int], rng: np.random.Generator) -> tuple[float, ...]:
        """Plays the acting players' joint action; returns each player's reward (the first includes the deal's).

        Raises:
            ValueError: If the rules pay a player who has left the game; the state is then unchanged.
        """
        before, game, payments = self.state, self.game, self._owed
        if self.forfeits and FORFEIT in actions.values():
            payments = self._forfeit(actions)
        else:
            _, state, rewards = drawn(game, game.transitions(before, actions), rng)
            if len(self.live) < len(self._everyone):
                require_paid_in_time(game, self.live, rewards)
            self._enter(state)
            if any(rewards):
                self._paid = tuple(map(add, self._paid, rewards))
                payments = tuple(map(add, rewards, payments))
        self.before, self.last_actions, self._owed = before, actions, self._nothing
        return payments

    def _forfeit(self, actions: dict[int, int]) -> tuple[float, ...]:
        """Ends the game; returns each player's final payoff (see `forfeit_payoffs`) minus the rewards so far."""
        handed_out = self._handed_out()
        offenders = [player for player, action in actions.items() if action == FORFEIT]
        self._paid = tuple(forfeit_payoffs(self.game.facts, self._paid, self.live, offenders))
        self.acting, self.live, self._masks = (), (), [None] * len(self.agents)
        return tuple(payoff - paid for payoff, paid in zip(self._paid, handed_out, strict=True))
