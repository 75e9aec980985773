"""Any game as a Gymnasium vector environment: the agent has one seat in each of many games."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.error import ResetNeeded
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import ArgumentError, one_of
from cardwar_envs.core.streams import streams_of
from cardwar_envs.drawing.pixels import Window
from cardwar_envs.envs import spaces
from cardwar_envs.envs.engines.memory import zeros
from cardwar_envs.envs.game_batch import checked_actions, checked_count, checked_mask
from cardwar_envs.envs.infos import FINAL_OBS, Ends, Infos
from cardwar_envs.envs.opponents import UNIFORM, Opponent, seated_opponents
from cardwar_envs.envs.render import RENDER_FPS, RENDER_MODES, Frame, picture, show
from cardwar_envs.envs.seat_games import SeatGames
from cardwar_envs.envs.session import WITHOUT_MASKS, Session, checked_seed, resolved_game

try:
    from gymnasium.vector import AutoresetMode as AutoresetMode
except ImportError as error:
    raise ImportError("vector environments need gymnasium>=1.1") from error

RESET_MASK = "reset_mask"
MODES = {mode.value: mode for mode in AutoresetMode}
Seed = int | Sequence[int | None] | None
Step = tuple[spaces.Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class GameVectorEnv(VectorEnv[spaces.Observation, NDArray[np.int64], NDArray[Any]]):
    """A vector environment in which one agent plays many games against policies, each as in `SingleAgentEnv`.

    A finished game restarts according to `autoreset_mode`, with the options of the last `reset`; until then its
    observation is the final one, with a mask of zeros. Every game has its own random stream, for chance and for the
    opponents' draws, so a seed produces the same game in any slot and with any number of games. `SingleAgentEnv` draws
    different numbers from the same seed, because it uses a NumPy generator.

    Args:
        game: A game or its name.
        num_envs: Number of games, from 1 to 10 million.
        opponent: For all other seats, a policy, its name ("uniform" and "random" both mean uniform play), or a `Pool`
            from which one is drawn per game; or a sequence of these, one per other seat.
        seat: The agent's seat.
        render_mode: "ansi" (text of each game), "rgb_array" (pixels `[height, width, 3]` of each), "human" (the
            first game in a window, updated after each step; text if no window is available) or None.
        illegal_action: "raise" or "forfeit", as for `PettingZooSkin`.
        engine: "compiled", "rules", or "auto": compiled rules if the game has them.
        autoreset_mode: Gymnasium's mode or its value. SAME_STEP restarts a finished game in the same step and returns
            its end as `final_obs` and `final_info`. NEXT_STEP restarts it in the next step, which ignores the action
            and gives reward 0. DISABLED restarts no game: call `reset` with the option `reset_mask`.
        **parameters: Parameters of the game, if it is given by name.
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **parameters: Any,
    ) -> None:
        num_envs = checked_count("num_envs", num_envs)
        self.game, self.num_envs = resolved_game(game, parameters), num_envs
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.seat = int(one_of("seat", seat, tuple(range(self.game.facts.num_players))))
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = MODES[one_of("autoreset_mode", mode, tuple(MODES))]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._session = Session(self.game, illegal_action)  # checks options and illegal actions
        self._games = SeatGames(
            self.game,
            num_envs,
            self.seat,
            seated_opponents(opponent, self.game, self.seat),
            engine=engine,
            revealing=self.render_mode is not None,
        )
        self._options: dict[str, Any] = {}
        # Marks the games that have ended and not restarted; never true in mode SAME_STEP.
        self._over = np.zeros(num_envs, dtype=np.bool_)
        self._window = Window()
        self.single_observation_space: Space[Any] = spaces.observation_space(self.game)
        self.single_action_space: Space[Any] = spaces.action_space(self.game)
        self.observation_space: Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: Space[Any] = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[spaces.Observation, dict[str, Any]]:
        """Starts new games.

        Args:
            seed: Seed for chance and the opponents' draws: one per game, or a single seed `s`, which gives game `i`
                the seed `s + i`.
            options: As for `SingleAgentEnv.reset`; they hold until the next `reset`. With `reset_mask`, an array of
                `[num_envs]` bools, only the games selected restart; the first call must start all games.

        Returns:
            Observations and infos. Observations are fresh arrays: `observation` `[num_envs, observation_size]` and
            `action_mask` `[num_envs, num_actions]`. Infos hold the same `action_mask` for the games that start.

        Raises:
            ValueError: For an invalid option or seed, a wrong number of seeds, if an opponent does not return
                probabilities, or if the agent never acts in 100 games; the games in progress are then
                unchanged.
            ResetNeeded: If `reset_mask` leaves out games that have never been started.
        """
        seeds = None if seed is None else self._checked_seeds(seed)
        self._session.check_options(options, needed=self.seat)
        where = np.ones(self.num_envs, dtype=np.bool_)
        if options is not None and RESET_MASK in options:
            where = checked_mask(RESET_MASK, options[RESET_MASK], self.num_envs)
            if not where.any():
                raise ArgumentError(f"reset_mask ({where!r}) must be true for at least one game")
        if not self._games.started and not where.all():
            raise ResetNeeded("there are no games yet: in the first reset, reset_mask must be true for all games")
        with self._games.all_or_nothing():
            if seeds is not None:
                self._games.engine.streams[where] = streams_of(seeds)[where]
            self._games.start(where, options or {})
        if seeds is not None:
            super().reset(seed=seeds[0])
        self._options = dict(options or {})
        self._over = self._over & ~where
        self._show()
        return self._seen(where)

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Plays one joint action in every game, then continues until the agent must choose again.

        Args:
            actions: `[num_envs]`.

        Returns:
            Observations, rewards `[num_envs]` (payoff points), terminations `[num_envs]`, truncations (always False),
            infos. In mode SAME_STEP, if a game has ended, observations show the start of the next game, and `final_obs`
            and `final_info` show the last state of the finished game.

        Raises:
            IllegalActionError: If an action is illegal; all games are then unchanged.
            ResetNeeded: If `reset` was not called or, in mode DISABLED, was not called for every finished game.
            ValueError: If `actions` is not one integer per game, or an opponent does not return probabilities; all
                games are then unchanged.
        """
        games, restarting = self._games, self._over
        chosen, offends = self._checked(actions)
        playing = ~restarting
        with games.all_or_nothing() if games.fails_late else nullcontext():
            games.play(chosen, playing, offends)
            rewards = games.collected(playing)
            ended = offends | (playing & games.out)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final, over, restarting = self._final_info(ended), self._over, ended
            else:
                final, over = {}, ended
            games.start(restarting, self._options)
        self._over = over
        self._show()
        observations, infos = self._seen(np.ones(self.num_envs, dtype=np.bool_))
        return (
            observations,
            rewards,
            ended,
            np.zeros(self.num_envs, dtype=np.bool_),
            Infos(infos | final) if final else infos,
        )

    def render(self) -> tuple[Frame, ...] | None:
        """Renders the agent's view of each game as text ("ansi") or pixels ("rgb_array").

        In mode "human", shows the first game and returns None.

        Raises:
            ResetNeeded: If `reset` was not called.
            ImportError: In mode "rgb_array", if pygame-ce is not installed; the message names the extra.
        """
        if self.render_mode is None:
            return None
        self._require_start()
        if self.render_mode == "human":
            show(self.game, self._games.revealed[0], self._window, self.metadata["render_fps"])
            return None
        return tuple(picture(self.game, revealed, self.render_mode) for revealed in self._games.revealed)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the window, if there is one."""
        self._window.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def action_masks(self) -> NDArray[np.bool_]:
        """The action masks, `[num_envs, num_actions]`, under the name that sb3-contrib expects."""
        self._require_start()
        return self._views()["action_mask"].astype(np.bool_)

    def _require_start(self) -> None:
        if not self._games.started:
            raise ResetNeeded("there are no games yet: call reset() first")

    # -- inputs -----------------------------------------------------------------------------

    def _checked_seeds(self, seed: int | Sequence[int | None]) -> list[int | None]:
        """One seed per game."""
        listed = seed.tolist() if isinstance(seed, np.ndarray) else seed
        if not isinstance(listed, Sequence):
            first = checked_seed(listed) or 0
            return [first + i for i in range(self.num_envs)]
        if len(listed) != self.num_envs:
            raise ValueError(f"{len(listed)} seeds given for {self.num_envs} games")
        return [checked_seed(each) for each in listed]

    def _checked(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The agent's actions, and whether each is illegal and forfeits its game, `[num_envs]`."""
        self._require_start()
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            over = ", ".join(map(str, np.flatnonzero(self._over)))
            raise ResetNeeded(f"games {over} are over: reset them first, with the option reset_mask")
        chosen = checked_actions(actions, self.num_envs)
        offends = self._games.offends(chosen, ~self._over)  # the action of a game that restarts is ignored
        if offends.any() and not self._session.forfeits:
            place = int(offends.argmax())
            raise self._games.engine.illegal_action_error(place, self.seat, int(chosen[place]), WITHOUT_MASKS)
        return chosen, offends

    # -- outputs ----------------------------------------------------------------------------

    def _seen(self, told: NDArray[np.bool_]) -> tuple[spaces.Observation, dict[str, Any]]:
        """Observations of all games, and infos of the games `told`."""
        seen = self._views()
        observations, masks = seen["observation"], seen["action_mask"]
        if not told.all():
            observations, masks = observations[told], masks * told[:, None]
        return seen, self._infos(told, observations, masks)

    def _views(self) -> spaces.Observation:
        """Fresh observations of all games; masks are all 0 in games that are over, e.g. by a forfeit."""
        observations, masks = self._games.engine.views(player=self.seat)
        if self._over.any():
            masks[self._over] = 0
        return {"observation": observations, "action_mask": masks}

    def _infos(
        self, where: NDArray[np.bool_], observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> dict[str, Any]:
        """Infos for the games `where`, given the agent's observations of these games, and the masks of all games."""
        places, infos = np.flatnonzero(where), dict[str, Any](action_mask=masks)
        for key, told in self._games.engine.info(self.seat, places, observations).items():
            infos[key] = told
            if len(places) < self.num_envs:  # zeros elsewhere, as in Gymnasium
                infos[key] = np.zeros((self.num_envs, *told.shape[1:]), told.dtype)
                infos[key][places] = told
        return _marked(infos, where)

    def _final_info(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """`final_obs` and `final_info` with their masks; empty if no game has ended."""
        places = np.flatnonzero(ended)
        if not len(places):
            return {}
        observations = self._games.engine.views(places, self.seat).observations
        num_actions = self.game.facts.num_actions
        infos = self._infos(ended, observations, zeros((self.num_envs, num_actions), np.dtype(np.int8)))
        ends = Ends(self.num_envs, places, observations, num_actions)
        return _marked({FINAL_OBS: ends, "final_info": infos}, ended)


def _marked(infos: dict[str, Any], where: NDArray[np.bool_]) -> dict[str, Any]:
    """Adds to each entry its mask, whose key begins with `_`."""
    return {name: value for key, told in infos.items() for name, value in ((key, told), (f"_{key}", where.copy()))}
