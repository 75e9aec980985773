"""Any game as a Gymnasium vector environment: the agent has one seat in each of many games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.streams import draw, streams_of
from cardwar_envs.drawing.window import Window
from cardwar_envs.envs import spaces
from cardwar_envs.envs.courses import Courses
from cardwar_envs.envs.engines.choice import new_engine
from cardwar_envs.envs.engines.engine import Engine, Views, chosen_actions
from cardwar_envs.envs.render import RENDER_FPS, RENDER_MODES, Frame, picture, show
from cardwar_envs.envs.session import Session, checked_seed, resolved_game
from cardwar_envs.envs.single_agent import MAX_STARTS, Opponent, seated_opponents

Seed = int | Sequence[int | None] | None
Step = tuple[spaces.Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]
# The engine draws from the policy of this name itself, without asking for probabilities.
UNIFORM = "uniform"


class GameVectorEnv(VectorEnv[spaces.Observation, NDArray[np.int64], NDArray[Any]]):
    """One player against policies, in many games at once; each game goes as in `SingleAgentEnv`.

    A finished game restarts in the same step (SAME_STEP) with the options of the last `reset`.
    Every game has a random stream of its own, for chance and for the opponents' draws.

    Args:
        game: A game or its name.
        num_envs: Number of games, at least 1.
        opponent: A policy or the name of one, for all other seats; or a sequence of them, one
            per other seat.
        seat: The agent's seat.
        render_mode: "ansi" (text of each game), "rgb_array" (pixels `[height, width, 3]` of each), "human" (the
            first game in a window, drawn by itself after each step; text where no window can be had) or None.
        illegal_action: "raise" or "forfeit", as for `PettingZooSkin`.
        engine: "compiled", "rules", or "auto": compiled rules if the game has them.
        **parameters: Parameters of the game, if its name was given.
    """

    metadata = {  # noqa: RUF012  # Gymnasium declares it so
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str | Game[Any],
        num_envs: int = 1,
        *,
        opponent: Opponent | Sequence[Opponent] = UNIFORM,
        seat: int = 0,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        engine: str = "auto",
        **parameters: Any,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs ({num_envs}) must be at least 1")
        self.game, self.num_envs = resolved_game(game, parameters), num_envs
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.seat = int(one_of("seat", seat, tuple(range(self.game.facts.num_players))))
        self._session = Session(self.game, illegal_action)  # checks options, and says whether illegal moves forfeit
        self._opponents = seated_opponents(opponent, self.game, self.seat)
        self._uniform = isinstance(opponent, str) and opponent == UNIFORM
        # The caller gets copies of the engine's views, so the engine may use the same arrays again.
        self._engine: Engine[Any] = new_engine(self.game, streams_of([None] * num_envs), engine, reuse=True)
        self._options: dict[str, Any] = {}
        self._views: Views | None = None
        self._window = Window()
        self._courses = Courses(self.game, self.seat, kept=self.render_mode is not None)
        # What the agent was paid in each game so far, and the part that no step has returned yet.
        self._paid, self._owed = np.zeros(num_envs), np.zeros(num_envs)
        self.single_observation_space: Space[Any] = spaces.observation_space(self.game)
        self.single_action_space: Space[Any] = spaces.action_space(self.game)
        self.observation_space: Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: Space[Any] = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[spaces.Observation, dict[str, Any]]:
        """Starts every game anew.

        Args:
            seed: Seed of chance and of the opponents' draws: a number per game, or one number for
                the first game, which goes up by one from game to game.
            options: As for `SingleAgentEnv.reset`; they hold until the next `reset`.

        Returns:
            Observations and infos. Observations are fresh arrays: `observation` `[num_envs, observation_size]` and
            `action_mask` `[num_envs, num_actions]`. Infos hold the same `action_mask`.

        Raises:
            ValueError: For a bad option or seed, a wrong number of seeds, if an opponent does not answer
                with probabilities, or if the agent is not asked once in 100 games; the games in
                progress are then untouched.
        """
        seeds = None if seed is None else self._checked_seeds(seed)
        self._session.check_options(options, needed=self.seat)
        with self._all_or_nothing():
            if seeds is not None:
                self._engine.streams[:] = streams_of(seeds)
                super().reset(seed=seeds[0])
            self._options = dict(options or {})
            self._start_games(np.ones(self.num_envs, dtype=np.bool_))
        self._show()
        return self._seen()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Restores everything if an error is raised, for example by an opponent."""
        kept = dict(vars(self))
        engine, paid, owed = deepcopy((self._engine, self._paid, self._owed))
        revealed = self._courses.revealed
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(kept)
            self._engine, self._paid, self._owed, self._courses.revealed = engine, paid, owed, revealed
            if self._views is not None:
                self._views = engine.views()
            raise

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Plays one joint action in every game, and plays on until the agent must choose again.

        Args:
            actions: `[num_envs]`.

        Returns:
            Observations (of the next game where one has ended), rewards `[num_envs]` (payoff
            points), terminations `[num_envs]`, truncations (always False), infos. Where a game has
            ended, `final_obs` and `final_info` show its last state.

        Raises:
            IllegalActionError: If an action is illegal; all games are then as they were.
            ResetNeeded: If `reset` was not called.
            ValueError: If `actions` is not one integer per game.
        """
        chosen, offends = self._checked(actions)
        going_on = ~offends
        self._play(chosen, going_on)
        self._play_until_asked(going_on)
        least = self.game.facts.min_payoff
        self._pay(np.where(offends, least - self._paid, 0.0))
        rewards, self._owed = self._owed, np.zeros(self.num_envs)
        ended = offends | ~self._engine.live()[:, self.seat]
        final = self._final_info(ended)
        self._start_games(ended)
        self._show()
        observations, infos = self._seen()
        return observations, rewards, ended, np.zeros(self.num_envs, dtype=np.bool_), {**infos, **final}

    def render(self) -> tuple[Frame, ...] | None:
        """What the agent's seat sees of each game, as text (mode "ansi") or pixels (mode "rgb_array").

        In mode "human" the first game is shown, and nothing is returned.

        Raises:
            ResetNeeded: If `reset` was not called.
            ImportError: In mode "rgb_array", if pygame-ce is not installed; the message names the extra.
        """
        if self.render_mode is None:
            return None
        self._require_start()
        if self.render_mode == "human":
            show(self.game, self._courses.revealed[0], self._window, self.metadata["render_fps"])
            return None
        return tuple(picture(self.game, revealed, self.render_mode) for revealed in self._courses.revealed)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the window, if there is one."""
        self._window.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def action_masks(self) -> NDArray[np.bool_]:
        """What the agent may play, `[num_envs, num_actions]`; the name is sb3-contrib's."""
        return self._require_start().masks[:, self.seat].astype(np.bool_)

    def _checked_seeds(self, seed: int | Sequence[int | None]) -> list[int | None]:
        """One seed per game."""
        listed = seed.tolist() if isinstance(seed, np.ndarray) else seed
        if not isinstance(listed, Sequence):
            first = checked_seed(listed) or 0
            return [first + i for i in range(self.num_envs)]
        if len(listed) != self.num_envs:
            raise ValueError(f"{len(listed)} seeds given for {self.num_envs} games")
        return [checked_seed(each) for each in listed]

    # -- the games ------------------------------------------------------------------------

    def _require_start(self) -> Views:
        if self._views is None:
            raise ResetNeeded("there are no games yet: call reset() first")
        return self._views

    def _checked(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The agent's actions, and `[num_envs]` which of them are illegal and so forfeit the game."""
        masks = self._require_start().masks[:, self.seat]
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            given = f"actions of shape {chosen.shape} and type {chosen.dtype}"
            raise ValueError(f"{given} must be {self.num_envs} integers")
        known = (chosen >= 0) & (chosen < masks.shape[1])
        offends = ~known | (masks[np.arange(self.num_envs), np.where(known, chosen, 0)] == 0)
        if offends.any() and not self._session.forfeits:
            place = int(offends.argmax())
            raise self._engine.illegal_action_error(place, self.seat, int(chosen[place]))
        return chosen.astype(np.int64), offends

    def _start_games(self, where: NDArray[np.bool_]) -> None:
        """Starts games, and starts those again in which the agent is not asked."""
        for _ in range(MAX_STARTS):
            if not where.any():
                self._views = self._engine.views()
                return
            state = self._options.get("state")
            if state is not None:
                self._engine.place([state], where)
                dealt = np.zeros(self._engine.shape)
            else:
                dealt = self._engine.deal(where, self._options.get("start") == "random")
            self._courses.start(self._engine, where, dealt)
            self._paid = np.where(where, 0.0, self._paid)
            self._owed = np.where(where, 0.0, self._owed)
            self._pay(dealt[:, self.seat])
            self._play_until_asked(where)
            where = where & ~self._engine.acting()[:, self.seat]
        raise ValueError(f"{self._session.agents[self.seat]} was not asked once in {MAX_STARTS} games")

    def _pay(self, rewards: NDArray[np.float64]) -> None:
        self._paid += rewards
        self._owed += rewards

    def _play_until_asked(self, where: NDArray[np.bool_]) -> None:
        while True:
            without = where & self._engine.live()[:, self.seat] & ~self._engine.acting()[:, self.seat]
            if not without.any():
                return
            self._play(None, without)

    def _play(self, actions: NDArray[np.int64] | None, where: NDArray[np.bool_]) -> None:
        """Plays the agent's actions, if it acts, and the opponents'."""
        joint = self._drawn(where, None if actions is None else self._views)
        if actions is not None:
            joint[:, self.seat] = actions
        paid = self._engine.play(joint, where)[0]
        self._pay(paid[:, self.seat])
        self._courses.play(self._engine, where, joint, paid)

    def _drawn(self, where: NDArray[np.bool_], views: Views | None) -> NDArray[np.int64]:
        """`[num_envs, num_players]`: what the opponents play; `views` of all games, if known."""
        joint = np.zeros((self.num_envs, self.game.facts.num_players), dtype=np.int64)
        if self._uniform:
            for player in self._opponents:
                joint[:, player] = self._engine.uniform(player, where)
            return joint
        acting, answers = self._engine.acting() & where[:, None], []
        for player, policy in self._opponents.items():
            places = np.flatnonzero(acting[:, player])
            if len(places):
                seen = self._views_at(places, views)
                probabilities = checked_probabilities(policy, seen.observations[:, player], seen.masks[:, player])
                answers.append((player, places, probabilities))
        # Nothing is drawn before all have answered, so an answer that is refused changes nothing.
        for player, places, probabilities in answers:
            joint[places, player] = chosen_actions(probabilities, draw(self._engine.streams, places))
        return joint

    def _views_at(self, places: NDArray[np.intp], views: Views | None) -> Views:
        if views is None:
            return self._engine.views(places)
        if len(places) == self.num_envs:
            return views
        return Views(views.observations[places], views.masks[places])

    # -- what the agent is told --------------------------------------------------------------

    def _seen(self) -> tuple[spaces.Observation, dict[str, Any]]:
        views = self._require_start()
        seen: spaces.Observation = {
            "observation": views.observations[:, self.seat].copy(),
            "action_mask": views.masks[:, self.seat].copy(),
        }
        told = self._engine.info(self.seat, np.arange(self.num_envs), seen["observation"])
        infos = {"action_mask": seen["action_mask"], **told}
        return seen, _marked(infos, np.ones(self.num_envs, dtype=np.bool_))

    def _final_info(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """`final_obs` and `final_info` with their marks; nothing if no game has ended."""
        places = np.flatnonzero(ended)
        if not len(places):
            return {}
        observations = self._engine.views(places).observations[:, self.seat]
        masks = np.zeros((len(places), self.game.facts.num_actions), dtype=np.int8)
        final_obs = np.full(self.num_envs, None, dtype=object)
        final_obs[places] = [
            {"observation": seen, "action_mask": mask} for seen, mask in zip(observations, masks, strict=True)
        ]
        infos = {}
        for key, told in {"action_mask": masks, **self._engine.info(self.seat, places, observations)}.items():
            infos[key] = np.zeros((self.num_envs, *told.shape[1:]), dtype=told.dtype)
            infos[key][places] = told
        return _marked({"final_obs": final_obs, "final_info": _marked(infos, ended)}, ended)


def _marked(infos: dict[str, Any], where: NDArray[np.bool_]) -> dict[str, Any]:
    """Each entry together with `_entry`, the mask of the games that have it."""
    return {name: value for key, told in infos.items() for name, value in ((key, told), (f"_{key}", where.copy()))}
