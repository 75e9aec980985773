"""The registry of all learning algorithms, and the user's own by `module:Class`.

Importing this module imports neither torch nor pydantic: each algorithm's module is loaded on first use.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import baselines
from cardwar_envs.core.constant_sum import is_constant_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import check_names, did_you_mean
from cardwar_envs.games.by_name import loaded_object
from train.algorithms.presets import PRESETS, Value
from train.policies.learned_policy import UNLIMITED, has_many_actions
from train.text.parsing import fields_from

if TYPE_CHECKING:
    from train.learner.contract import CommonArgs, Learner


DUELS = "two-player zero-sum games"
PUBLIC_DUELS = f"{DUELS} with a public state"

# What a learner may use of a game: it plays games and nothing else; it tries actions in states of its choice; it reads
# the probabilities of transitions; it enumerates all states.
PLAYS, SIMULATOR, RULES, WHOLE_TABLE = CLASSES = "plays only", "simulator", "rules", "whole table"


# Networks learn in floats of 32 bits, in which squares of larger payoffs overflow.
LARGEST_PAYOFF = 1e15


@dataclass(frozen=True)
class Algorithm:
    """An entry of `ALGORITHMS`."""

    name: str  # its key in `ALGORITHMS`, or `module:Class`
    label: str  # its name in plots and sentences
    summary: str  # one line of description
    learner_class: str = ""  # MODULE:CLASS in `train.algorithms`; by default `Learner` in the module of its name
    step: str = "joint actions"  # the unit of steps, in the plural
    learns: str = ""  # the kind of games that it supports: `DUELS` or `PUBLIC_DUELS`; empty for all games
    uses: str = PLAYS  # an entry of `CLASSES`
    base: str = ""  # for a preset: the algorithm whose arguments it sets
    settings: Mapping[str, Value] = field(default_factory=dict, hash=False)  # of a preset

    def require(self, game: Game[Any]) -> None:
        """Raises ValueError if the game is not of this kind; `learner` can also refuse a game for other reasons."""
        facts, most = game.facts, max(-game.facts.min_payoff, game.facts.max_payoff)
        if (self.learns and not is_constant_sum(game)) or (self.learns == PUBLIC_DUELS and not facts.public_state):
            from train.learner.contract import refusal  # needs pydantic

            raise refusal(f"{facts.name}: {self.label} supports only {self.learns}")
        if most > LARGEST_PAYOFF and self.uses != WHOLE_TABLE and not self.is_own:
            raise ValueError(
                f"{facts.name}: payoffs of up to {most:g} points are too large for {self.label}, which learns in "
                f"32-bit floats (at most {LARGEST_PAYOFF:g}); divide all payoffs by the same number"
            )

    def args(self, game: Game[Any] | None = None, /, **values: int | float | str) -> CommonArgs:
        """Creates the algorithm's arguments; arguments that are not given have their `defaults` for the game.

        Raises:
            ValueError: If an argument is unknown, or a value has the wrong type or is out of range.
        """
        from train.text.validation import one_line  # needs pydantic, which most commands do not need

        kind = self.args_type()
        check_names(kind, values, self.name)
        with one_line():
            return kind(**{**self.defaults(game, bool(values.get("cpu_seconds"))), **values})

    def args_from(self, words: Mapping[str, str], game: Game[Any] | None = None) -> CommonArgs:
        """Like `args`, but parses the values from strings."""
        return self.args(game, **fields_from(self.args_type(), words, self.name))

    def defaults(self, game: Game[Any] | None = None, timed: bool = False) -> dict[str, Any]:
        """Returns each argument's default; some defaults differ in games with many actions (`has_many_actions`).

        A run with a budget of CPU seconds (`timed`) has no limit on its steps. The settings of a preset are the same in
        all games.
        """
        from train.learner.contract import WITH_MANY_ACTIONS  # needs pydantic

        fields = dataclasses.fields(self.args_type())
        defaults = {field.name: field.default for field in fields}
        if game is not None and has_many_actions(game):
            others = {field.name: field.metadata.get(WITH_MANY_ACTIONS) for field in fields}
            defaults |= {name: default for name, default in others.items() if default is not None}
        unlimited = {"steps": UNLIMITED, "evaluate_every": UNLIMITED} if timed else {}
        return {**defaults, **self.settings, **unlimited}

    def args_type(self) -> type[CommonArgs]:
        """Returns the dataclass of the algorithm's arguments; `field.metadata["description"]` describes a field."""
        from train.learner.arguments import ARGUMENTS  # needs pydantic
        from train.learner.contract import CommonArgs

        if self.is_own:
            return getattr(loaded_object(self.name, self.name), "Args", CommonArgs)
        return ARGUMENTS[self.base or self.name]

    @property
    def is_own(self) -> bool:
        """Whether it is a class of the user's."""
        return ":" in self.name

    def learner(self, game: Game[Any], args: CommonArgs, seed: int) -> Learner:
        """Creates a learner; raises ValueError if the algorithm does not support the game.

        Learners of the suite get the zero-sum form of a constant-sum game, unless they play named policies, which may
        be made for the game itself.
        """
        self.require(game)
        if self.is_own:
            made: Learner = loaded_object(self.name, self.name)(game, args, seed)
            if type(getattr(made, "steps", None)) is not int:
                raise ValueError(f"{self.name} must have an attribute steps, an integer: how many it has taken")
            return made
        module, _, name = (self.learner_class or f"{self.base or self.name}:Learner").partition(":")
        named = getattr(args, "opponent", "") or getattr(args, "opponents", "")
        played = game if named else zero_sum_form(game)
        return getattr(import_module(f"train.algorithms.{module}"), name)(played, args, seed)


_LEARNERS = (
    Algorithm("minimax_q", "minimax-Q", "deep minimax-Q from replayed games", learns=PUBLIC_DUELS),
    Algorithm(
        "minimax_q_model",
        "minimax-Q with a model",
        "deep minimax-Q that tries all joint actions in chosen states",
        learns=PUBLIC_DUELS,
        uses=SIMULATOR,
    ),
    Algorithm(
        "fitted_value",
        "fitted value iteration",
        "state values learned backwards, with one-step lookahead",
        step="updates",
        learns=PUBLIC_DUELS,
        uses=RULES,
    ),
    Algorithm("ppo", "PPO", "maskable PPO in self-play"),
    Algorithm("mmd", "MMD", "maskable PPO regularized towards a moving magnet, with averaged weights"),
    Algorithm("nfsp", "NFSP", "neural fictitious self-play: DQN and the average of its policies"),
    Algorithm(
        "joint_critic",
        "joint critic",
        "policy gradients from a critic of joint actions, with a moving magnet",
        learns=PUBLIC_DUELS,
    ),
    Algorithm(
        "alphazero",
        "AlphaZero",
        "a policy and value network that learns from searches in self-play",
        learns=PUBLIC_DUELS,
        uses=SIMULATOR,
    ),
    Algorithm("independent_q", "independent Q-learning", "DQN with masks in self-play", "responses:IndependentQ"),
    Algorithm("best_response", "PPO best response", "maskable PPO against fixed policies", "responses:PPOResponse"),
    Algorithm("dqn_response", "DQN best response", "DQN with masks against fixed policies", "responses:DQNResponse"),
    Algorithm(
        "cfr_plus",
        "CFR+",
        "regret matching+ in every state, averaged linearly, without a network",
        step="iterations",
        learns=DUELS,
        uses=WHOLE_TABLE,
    ),
)
ALGORITHMS: dict[str, Algorithm] = {learner.name: learner for learner in _LEARNERS}
ALGORITHMS |= {
    preset.name: dataclasses.replace(
        ALGORITHMS[preset.base],
        name=preset.name,
        label=preset.label,
        summary=f"{preset.base} with the settings of {preset.source}",
        base=preset.base,
        settings=preset.settings,
    )
    for preset in PRESETS
}


def algorithm_named(name: str) -> Algorithm:
    """Looks up an algorithm by name, or the user's learner by `module:Class`.

    The latter imports the module, so such a name must come from the user.

    Raises:
        ValueError: If there is no such algorithm or class, or the class is not a learner.
    """
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    module, _, path = name.partition(":")
    if module and path:
        return _own_algorithm(name)
    raise ValueError(
        f"unknown algorithm {name!r}{did_you_mean(name, ALGORITHMS)}; expected one of {', '.join(ALGORITHMS)}, or "
        "module:Class, a learner of your own"
    )


def _own_algorithm(name: str) -> Algorithm:
    """Returns the entry of a user's class; its attributes `label`, `step` and `uses` are optional."""
    from train.learner.contract import CommonArgs  # needs pydantic

    kind = loaded_object(name, name)
    methods = "advance", "policy", "state", "restore"
    if lacking := [method for method in methods if not callable(getattr(kind, method, None))]:
        raise ValueError(f"{name} is not a learner: it lacks {', '.join(lacking)} (docs/learners.md, your own learner)")
    if not isinstance(kind, type):
        raise ValueError(f"{name} is not a class, of which a run makes a learner: Class(game, args, seed)")
    args = getattr(kind, "Args", CommonArgs)
    if not (isinstance(args, type) and issubclass(args, CommonArgs) and "__dataclass_fields__" in vars(args)):
        raise ValueError(f"{name}: its Args ({args!r}) must be a dataclass and a train.learner.contract.CommonArgs")
    if undefined := [each.name for each in dataclasses.fields(args) if each.default is dataclasses.MISSING]:
        raise ValueError(f"{name}: its Args need a default for {', '.join(undefined)}")
    uses = getattr(kind, "uses", PLAYS)
    if uses not in CLASSES:
        raise ValueError(f"{name}: uses ({uses!r}) must be one of {', '.join(CLASSES)}")
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    label, step = getattr(kind, "label", kind.__name__), getattr(kind, "step", "joint actions")
    return Algorithm(name, label, summary, step=step, uses=uses)


# Minimum number of evaluations of a run if the user does not set the interval.
EVALUATIONS = 10


def often_enough(evaluate_every: int, steps: int) -> int:
    """Shortens the interval between evaluations in short runs, so that they also have a curve."""
    if evaluate_every == UNLIMITED:  # CPU seconds determine the evaluations
        return evaluate_every
    return max(1, min(evaluate_every, steps // EVALUATIONS))


DEFAULTS = "minimax_q", "ppo"
# With more actions minimax-Q learns slowly, because its network has an output per joint action.
MOST_ACTIONS_JOINTLY = 32


def default_algorithm(game: Game[Any]) -> Algorithm:
    """Returns minimax-Q for small two-player constant-sum games with a public state, where it learns well; else PPO."""
    facts = game.facts
    small = (
        facts.public_state
        and facts.num_actions <= MOST_ACTIONS_JOINTLY
        and is_constant_sum(game)
        and baselines.within_reach(game)
    )
    return ALGORITHMS[DEFAULTS[0] if small else DEFAULTS[1]]
