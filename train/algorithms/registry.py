"""The registry of all learning algorithms.

Importing this module imports neither torch nor pydantic: each algorithm's module is loaded on first use.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import baselines
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import check_names, did_you_mean
from train.policies.learned_policy import has_many_actions
from train.text.parsing import fields_from

if TYPE_CHECKING:
    from train.learner.contract import CommonArgs, Learner


DUELS = "two-player zero-sum games"
PUBLIC_DUELS = f"{DUELS} with a public state"


@dataclass(frozen=True)
class Algorithm:
    """An entry of `ALGORITHMS`."""

    name: str  # its key in `ALGORITHMS`
    label: str  # its name in plots and sentences
    summary: str  # one line of description
    learner_class: str = ""  # MODULE:CLASS in `train.algorithms`; by default `Learner` in the module of its name
    step: str = "joint actions"  # the unit of steps, in the plural
    learns: str = ""  # the kind of games that it supports: `DUELS` or `PUBLIC_DUELS`; empty for all games

    def require(self, game: Game[Any]) -> None:
        """Raises ValueError if the game is not of this kind; `learner` can also refuse a game for other reasons."""
        facts = game.facts
        is_duel = facts.num_players == 2 and facts.zero_sum
        if (self.learns and not is_duel) or (self.learns == PUBLIC_DUELS and not facts.public_state):
            from train.learner.contract import refusal  # needs pydantic

            raise refusal(f"{facts.name}: {self.label} supports only {self.learns}")

    def args(self, game: Game[Any] | None = None, /, **values: int | float | str) -> CommonArgs:
        """Creates the algorithm's arguments; arguments that are not given have their `defaults` for the game.

        Raises:
            ValueError: If an argument is unknown, or a value has the wrong type or is out of range.
        """
        from train.text.validation import one_line  # needs pydantic, which most commands do not need

        kind = self.args_type()
        check_names(kind, values, self.name)
        with one_line():
            return kind(**{**self.defaults(game), **values})

    def args_from(self, words: Mapping[str, str], game: Game[Any] | None = None) -> CommonArgs:
        """Like `args`, but parses the values from strings."""
        return self.args(game, **fields_from(self.args_type(), words, self.name))

    def defaults(self, game: Game[Any] | None = None) -> dict[str, Any]:
        """Returns each argument's default; some defaults differ in games with many actions (`has_many_actions`)."""
        from train.learner.contract import WITH_MANY_ACTIONS  # needs pydantic

        fields = dataclasses.fields(self.args_type())
        defaults = {field.name: field.default for field in fields}
        if game is not None and has_many_actions(game):
            others = {field.name: field.metadata.get(WITH_MANY_ACTIONS) for field in fields}
            defaults |= {name: default for name, default in others.items() if default is not None}
        return defaults

    def args_type(self) -> type[CommonArgs]:
        """Returns the dataclass of the algorithm's arguments; `field.metadata["description"]` describes a field."""
        from train.learner.arguments import ARGUMENTS  # needs pydantic

        return ARGUMENTS[self.name]

    def learner(self, game: Game[Any], args: CommonArgs, seed: int) -> Learner:
        """Creates a learner; raises ValueError if the algorithm does not support the game."""
        self.require(game)
        module, _, name = (self.learner_class or f"{self.name}:Learner").partition(":")
        return getattr(import_module(f"train.algorithms.{module}"), name)(game, args, seed)


def _tabular(name: str, label: str, summary: str, learner: str) -> Algorithm:
    """Creates the entry of an algorithm that iterates over all states, without a network."""
    return Algorithm(name, label, f"{summary}, without a network", f"tabular:{learner}", "iterations", DUELS)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("minimax_q", "minimax-Q", "deep minimax-Q with exact matrix games", learns=PUBLIC_DUELS),
        Algorithm(
            "fitted_value",
            "fitted value iteration",
            "state values learned backwards, with one-step lookahead",
            step="updates",
            learns=PUBLIC_DUELS,
        ),
        Algorithm("ppo", "PPO", "maskable PPO in self-play"),
        Algorithm("mmd", "MMD", "maskable PPO regularized towards a moving magnet, with averaged weights"),
        Algorithm("nfsp", "NFSP", "neural fictitious self-play: DQN and the average of its policies"),
        Algorithm("joint_critic", "joint critic", "actor and a critic of joint actions", learns=PUBLIC_DUELS),
        Algorithm("best_response", "PPO best response", "maskable PPO against fixed policies", "responses:PPOResponse"),
        Algorithm(
            "dqn_response", "DQN best response", "DQN with masks against fixed policies", "responses:DQNResponse"
        ),
        Algorithm(
            "psro",
            "PSRO",
            "population of PPO best responses to its own equilibrium",
            "",
            "best responses",
            PUBLIC_DUELS,
        ),
        _tabular("fictitious_play", "fictitious play", "fictitious play on all states", "FictitiousPlay"),
        _tabular("cfr_plus", "CFR+", "regret matching+ on all states, averaged linearly", "CFRPlus"),
        _tabular(
            "tabular_mmd", "tabular MMD", "magnetic mirror descent on all states with a moving magnet", "TabularMMD"
        ),
    )
}


def algorithm_named(name: str) -> Algorithm:
    """Looks up an algorithm by name; raises ValueError for an unknown name."""
    if name not in ALGORITHMS:
        raise ValueError(
            f"unknown algorithm {name!r}{did_you_mean(name, ALGORITHMS)}; expected one of {', '.join(ALGORITHMS)}"
        )
    return ALGORITHMS[name]


# Minimum number of evaluations of a run if the user does not set the interval.
EVALUATIONS = 10


def often_enough(evaluate_every: int, steps: int) -> int:
    """Shortens the interval between evaluations in short runs, so that they also have a curve."""
    return max(1, min(evaluate_every, steps // EVALUATIONS))


DEFAULTS = "minimax_q", "ppo"
# With more actions minimax-Q learns slowly, because its network has an output per joint action.
MOST_ACTIONS_JOINTLY = 32


def default_algorithm(game: Game[Any]) -> Algorithm:
    """Returns minimax-Q for small two-player zero-sum games with a public state, where it learns well; else PPO."""
    facts = game.facts
    public = facts.num_players == 2 and facts.zero_sum and facts.public_state
    small = public and facts.num_actions <= MOST_ACTIONS_JOINTLY and baselines.within_reach(game)
    return ALGORITHMS[DEFAULTS[0] if small else DEFAULTS[1]]
