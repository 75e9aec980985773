"""Measures the exact exploitability of a Stable-Baselines3 model during training."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.process import installed
from cardwar_envs.sb3.model_policy import from_sb3

# Group of entry points through which measures are found, so that environments do not import solvers.
MEASURES = "cardwar_envs.measures"


class ExploitabilityCallback(BaseCallback):
    """Computes the model's exact exploitability before training, about every `every` steps, and after training.

    A model is measured between two rollouts, after its update on the first.

    Logs it to SB3's logger as `cardwar/exploitability`; for games that are not two-player zero-sum, computes NashConv
    and logs it as `cardwar/nash_conv`.

    If the model's environments have an attribute `game`, as all of this package do, training starts only if it is equal
    to the callback's game. With other environments, a wrong game of the same shapes is not noticed and gives a wrong
    figure.

    Attributes:
        history: `(steps, figure)` of each measurement: SB3's total number of steps, and the figure in payoff points.
    """

    def __init__(
        self,
        game: Game[Any],
        every: int = 10_000,
        *,
        illegal: str = "raise",
        legal_only: bool = False,
        verbose: int = 0,
    ) -> None:
        """Sets up the callback.

        Args:
            game: The game, small enough for an oracle (see `baselines.within_reach`).
            every: Number of SB3's steps between measurements.
            illegal: As for `baselines.nash_conv`: "renormalise" for models without action masks.
            legal_only: As for `from_sb3`.
            verbose: With 1, prints each figure.

        Raises:
            ValueError: If an argument is invalid.
        """
        super().__init__(verbose)
        require_game(game)
        if "nash_conv" not in installed(MEASURES):
            raise ValueError("the measure 'nash_conv' is not installed: reinstall cardwar-envs")
        self.game, self.every = game, whole_number("every", every, range(1, 2**62))
        self.history: list[tuple[int, float]] = []
        self._illegal, self._legal_only = illegal, legal_only
        self._nash_conv: Any = installed(MEASURES)["nash_conv"].load()
        self._name = "exploitability" if is_constant_sum(game) else "nash_conv"

    def _on_training_start(self) -> None:
        self._require_same_game()
        self._measure()

    def _on_rollout_start(self) -> None:
        # Here the model has trained on all steps so far; in `_on_step` it lacks the update on the current rollout.
        if self.num_timesteps >= self.history[-1][0] + self.every:
            self._measure()

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._measure()

    def _require_same_game(self) -> None:
        """Raises a ValueError if the model trains on another game, where the environments tell which it is."""
        envs = self.training_env
        for game in envs.get_attr("game") if envs.has_attr("game") else []:
            if isinstance(game, Game) and game != self.game:
                raise ValueError(f"the callback measures {self.game}, but the model trains on {game}")

    def _measure(self) -> None:
        current = self.model.get_vec_normalize_env()  # what the model trains with, whatever it has had before
        policy = from_sb3(self.model, legal_only=self._legal_only, normalize=False if current is None else current)
        total = self._nash_conv(self.game, policy, illegal=self._illegal).total
        figure = total / 2 if self._name == "exploitability" else total
        if self.history and self.history[-1][0] == self.num_timesteps:
            self.history.pop()  # the model has since trained on the last rollout
        self.history.append((self.num_timesteps, figure))
        self.logger.record(f"cardwar/{self._name}", figure)
        if self.verbose:
            print(f"{self.num_timesteps:>9,} steps   {self._name} {figure:.4f}")
