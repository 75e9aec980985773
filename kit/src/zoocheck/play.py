"""Drives an environment with legal actions, in several styles, and records all visible data."""

import copy
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pettingzoo
from gymnasium import Space, spaces
from numpy.typing import NDArray

from zoocheck.verdicts import STEPS, Budget, Failed, NotApplicable, failing

# Style 5 compares a sample of more legal actions than `MOST_COUNTED`.
STYLES, MOST_COUNTED, REPEATED_ONE_IN = 6, 64, 4
PARTS = ("rewards", "terminations", "truncations", "infos")
# Before PettingZoo 1.23, reset() of a Parallel environment returned only observations.
BEFORE_INFOS = pettingzoo.__version__.startswith("1.22.")
ATOMS = (bool, int, float, str, bytes, type(None))
# Converters between the two kinds: name -> the attribute with the converted environment.
CONVERTERS = {"aec_to_parallel_wrapper": "aec_env", "parallel_to_aec_wrapper": "env"}


class Chooser:
    """Draws legal actions in one of the `STYLES`.

    0 and 1: at random, 2: all agents alike, 3: each agent high or low, 4: each agent, or all of equal spaces alike,
    repeat an action for a while, 5: what the agent has played least. Random actions depend only on the seed, the agent
    and the number of its earlier actions; one in `REPEATED_ONE_IN` that is not Discrete repeats the one before it,
    because no word or array is drawn twice in a row by chance.
    """

    def __init__(self, seed: int, style: int = 0, played: Counter[Any] | None = None) -> None:
        self.seed, self.style = seed, style
        self._played = Counter[Any]() if played is None else played  # (agent, action) -> how often
        self._rngs: dict[Any, np.random.Generator] = {}
        self._spaces: dict[Any, Space[Any]] = {}
        self._rng = np.random.default_rng([seed, 1])  # of all styles but 0 and 1
        self._shared = 0, 0.0  # the latest turn, and the number drawn in it for all agents
        self._asked = Counter[Any]()
        self._kept: dict[Any, Any] = {}  # what an agent, or all alike, repeat in style 4
        self._drew: dict[Any, Any] = {}  # the latest action of each agent whose space is not Discrete

    def choose(self, agent: Any, space: Space[Any], mask: NDArray[Any] | None) -> Any:
        """One of the actions that the mask allows."""
        legal = legal_actions(space, mask) if isinstance(space, spaces.Discrete) else None
        if legal is not None and not legal:
            raise Failed(f"the action mask of {agent}, which must choose an action, is all zero")
        if self.style == 4:
            own = self._spaces.setdefault(agent, copy.deepcopy(space))
            alike = (other for other, known in self._spaces.items() if known == own)
            who = next(alike, agent) if self.seed % 2 else agent
            kept = self._kept.get(who)
            if kept is None or (legal is not None and kept not in legal) or self._rng.random() < 0.1:
                kept = self._kept[who] = self._drawn(agent, space, legal)
            return copy.deepcopy(kept)
        if legal is not None and self.style == 5:
            few = legal
            if len(legal) > MOST_COUNTED:
                few = [legal[place] for place in self._rng.integers(len(legal), size=MOST_COUNTED).tolist()]
            least = min(few, key=lambda action: (self._played[agent, action], self._rng.random()))
            self._played[agent, least] += 1
            return least
        if legal is not None and self.style >= 2:
            return legal[int(self._place(agent) * len(legal))]
        return self._drawn(agent, space, legal)

    def _drawn(self, agent: Any, space: Space[Any], legal: Sequence[int] | None) -> Any:
        if agent not in self._rngs:
            self._rngs[agent] = np.random.default_rng([self.seed, zlib.crc32(str(agent).encode())])
        rng = self._rngs[agent]
        if legal is not None:
            return legal[0] if len(legal) == 1 else legal[int(rng.integers(len(legal)))]
        if self.style < 2 and agent in self._drew and rng.integers(REPEATED_ONE_IN) == 0:
            return copy.deepcopy(self._drew[agent])
        own = self._spaces.setdefault(agent, copy.deepcopy(space))  # sampling changes a space
        own.seed(int(rng.integers(2**31)))
        drew = own.sample()
        self._drew[agent] = drew if self.style < 2 else at_bounds(space, drew, self._place(agent), self._rng)
        return copy.deepcopy(self._drew[agent])

    def _place(self, agent: Any) -> float:
        if self.style == 2:  # all agents alike in a turn
            self._asked[agent] += 1
            if self._asked[agent] != self._shared[0]:
                self._shared = self._asked[agent], float(self._rng.random())
            return self._shared[1]
        number = float(self._rng.random())
        tendency = zlib.crc32(f"{self.seed} {agent}".encode()) % 3
        return (number, number**4, 1 - number**4 - 1e-9)[tendency]


def styled(seed: int) -> Chooser:
    """A chooser whose style depends on its seed."""
    return Chooser(seed, seed % 4)


def legal_actions(space: Any, mask: NDArray[Any] | None) -> Sequence[int]:
    """The actions of a Discrete space that a mask allows; all of them, not listed one by one, if there is no mask."""
    start = int(space.start)
    if mask is None:
        return range(start, start + int(space.n))
    return [start + int(number) for number in np.flatnonzero(mask)]


def at_bounds(space: Any, action: Any, place: float, rng: np.random.Generator) -> Any:
    """Moves the bounded entries of a random action to the bounds of its space.

    All move to the lower bounds if `place` is below 0.3, and to the upper bounds if it is above 0.7; otherwise each
    entry moves to a bound or stays, at random.
    """

    def moved(part: Any, value: Any) -> Any:
        low, high = bounds(part)
        if low is None:
            return value
        number = np.full(np.shape(value), place) if abs(place - 0.5) > 0.2 else rng.random(np.shape(value))
        value = np.where((number < 0.3) & np.isfinite(low), low, value)
        return np.where((number > 0.7) & np.isfinite(high), high, value).astype(part.dtype)[()]

    return in_parts(space, action, moved)


def parts(space: Any, data: Any) -> dict[Any, Any]:
    """Key or place -> space of each part of data that has the form of a compound space; empty for any other."""
    if isinstance(space, spaces.Dict) and isinstance(data, Mapping) and set(data) == set(space.spaces):
        return dict(space.spaces)
    fits = isinstance(space, spaces.Tuple) and isinstance(data, tuple) and len(data) == len(space.spaces)
    return dict(enumerate(space.spaces)) if fits else {}


def in_parts(space: Any, action: Any, change: Callable[[Any, Any], Any]) -> Any:
    """An action with `change(space, part)` for each of its parts."""
    if not (inner := parts(space, action)):
        return change(space, action)
    found = {key: in_parts(part, action[key], change) for key, part in inner.items()}
    return found if isinstance(space, spaces.Dict) else tuple(found.values())


def leaves(space: Any, data: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yields each part of an observation, after its path and its space."""
    inner = parts(space, data)
    for key, part in inner.items():
        here = f"[{key}]" if isinstance(space, spaces.Tuple) else f".{key}" if path else str(key)
        yield from leaves(part, data[key], path + here)
    if not inner:
        yield path, space, data


def bounds(space: Any) -> tuple[Any, Any]:
    """The lower and upper bounds of a space's entries; None and None if it has no bounds."""
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.Discrete):
        return space.start, space.start + space.n - 1
    if isinstance(space, spaces.MultiDiscrete):
        return space.start, space.start + space.nvec - 1
    return (0, 1) if isinstance(space, spaces.MultiBinary) else (None, None)


def copied(data: Any, depth: int = 4) -> Any:
    """A deep copy, much faster than `copy.deepcopy` for arrays and numbers in dicts, which most environments return."""
    if type(data) is dict and depth:
        return {key: copied(value, depth - 1) for key, value in data.items()}
    if type(data) in (list, tuple) and depth:
        return type(data)(copied(value, depth - 1) for value in data)
    if type(data) is np.ndarray and data.dtype != object:
        return data.copy(order="K")
    return data if type(data) in ATOMS else copy.deepcopy(data)


def copy_of(seen: dict[str, Any]) -> dict[str, Any]:
    """A copy of all visible data; raises Failed, with the name of the part, if something cannot be copied."""
    taken = {}
    for name, part in seen.items():
        with failing(f"{name} cannot be copied:"):
            taken[name] = copied(part, 3)
    return taken


def on_call(text: Callable[[], str]) -> None:
    """Is called before each call of reset() and step(), with what describes it; a process may replace it."""


class Play:
    """Drives one environment, by default a Parallel one; `AECPlay` replaces what is otherwise in AEC."""

    kind: ClassVar[str]
    NAMES = ("observations", *PARTS)
    result: tuple[dict[Any, Any], ...]  # of the last step() or reset(), the latter without rewards and flags

    def __init__(self, env: Any, choices: int, blind: frozenset[str], budget: Budget) -> None:
        self.env, self.chooser, self.budget = env, Chooser(choices), budget
        self.blind = blind  # names of infos to ignore, because they always differ
        self.where = self.kind  # later with the seed, for messages
        self.log: list[Any] = []  # copies of all visible data after `reset` and after each step
        self.played: list[Any] = []  # the argument of each step
        self.calls: list[tuple[str, Any]] = []  # of reset() and step(), for a script that repeats them
        self.raised: set[int] = set()  # the indices in `calls` of the calls that raised

    def again(self, choices: int = 0) -> Self:
        """Drives the same environment with different choices."""
        return type(self)(self.env, choices, self.blind, self.budget)

    @property
    def at(self) -> str:
        """The current position in the game, for messages."""
        return f"{self.where}, after step {len(self.played)}"

    def reset(self, seed: int | None = None, **options: Any) -> Self:
        """Starts a game and a new log; `options` are passed to the environment's reset, and the chooser continues."""
        self.budget.alarm()
        self._note("reset", {"seed": seed, **options})
        self._reset(seed=seed, **options)
        self.where = f"{self.kind}, seed {seed}"
        self.log, self.played = [self.seen()], []
        return self

    def step(self, log: bool = True) -> None:
        """Steps once, with legal choices."""
        self.submit(self.choice(), log)

    def submit(self, choice: Any, log: bool = True, handed: Any = None) -> None:
        """Steps once with a given choice; `handed` is the object passed to step(), if its identity matters."""
        self.budget.alarm()
        self._note("step", choice)
        copied = dict(choice) if isinstance(choice, Mapping) else choice
        try:
            self._step(copied if handed is None else handed)
        except Exception:
            self.raised.add(len(self.calls) - 1)
            raise
        self.played.append(choice)
        if log:
            self.log.append(self.seen())

    def try_step(self, choice: Any) -> Any:
        """Steps with an argument that may be refused, although the game has not begun or is over."""
        self._note("step", choice)
        return self.env.step(choice)

    def _note(self, name: str, given: Any) -> None:
        self.calls.append((name, given))
        drawn = getattr(self.env, "render_mode", None)
        mode = f", render_mode={drawn!r}" if drawn else ""
        on_call(lambda: f"{self.at}{mode}, in or after {text_of_call(name, given)}")

    def replay(self, choices: Iterable[Any]) -> Self:
        """Steps with given choices, without a log; raises Failed if one raises, since all were legal before."""
        for choice in choices:
            with failing(f"{self.where}, step {len(self.played) + 1}: legal {choice} raises"):
                self.submit(choice, log=False)
        return self

    def goes_on(self, most: int = STEPS) -> bool:
        """Whether the game has not ended, and has had fewer than `most` steps, or fewer in slow environments."""
        return not self.over and len(self.played) < min(most, self.budget.longest)

    def run(self, steps: int = STEPS) -> list[Any]:
        """Plays at most `steps` further steps, fewer in slow environments; returns the log."""
        until = len(self.played) + min(steps, self.budget.longest)
        while not self.over and len(self.played) < until:
            self.step()
        return self.log

    def play_on(self, most: int) -> Self:
        """Steps, without a log, until the game ends or has had `most` steps."""
        while not self.over and len(self.played) < most:
            self.step(log=False)
        return self

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.env.agents

    def mask(self, agent: Any) -> NDArray[Any] | None:
        """The agent's mask, `[num_actions]`, from its observation or else its info.

        None if neither has one, or if the action space is not Discrete: then nothing defines what a mask means.
        """
        if not isinstance(self.env.action_space(agent), spaces.Discrete):
            return None
        found = (each.get("action_mask") for each in self.told(agent) if isinstance(each, Mapping))
        return next((np.asarray(mask) for mask in found if mask is not None), None)

    def told(self, agent: Any) -> tuple[Any, Any]:
        """The observation and the info of an agent, as returned."""
        return self.observation(agent), self.part("infos").get(agent)

    def steady(self, info: Any) -> Any:
        """An info without the fields that always differ."""
        return _without(info, self.blind) if self.blind else info

    def infos(self) -> dict[Any, Any]:
        """The infos of all agents, without the fields that always differ."""
        return {agent: self.steady(info) for agent, info in self.part("infos").items()}

    def masks(self) -> dict[Any, NDArray[Any] | None]:
        """The mask of each agent still in the game."""
        return {agent: self.mask(agent) for agent in self.env.agents if not self.dead(agent)}

    def legal_choice(self, agent: Any) -> Any:
        """A legal action of the agent."""
        return self.chooser.choose(agent, self.env.action_space(agent), self.mask(agent))

    def rewards(self) -> dict[Any, Any]:
        """Each agent's reward in the last step, as checked by `payment`."""
        return {agent: payment(reward, f"the reward of {agent}") for agent, reward in self.part("rewards").items()}

    def out(self) -> set[Any]:
        """The agents flagged as out in the last step."""
        terminations, truncations = self.part("terminations"), self.part("truncations")
        return {agent for agent in terminations if terminations[agent] or truncations.get(agent)}

    def _reset(self, **arguments: Any) -> None:
        found = self.env.reset(**arguments)
        if BEFORE_INFOS and isinstance(found, Mapping):
            found = found, {agent: {} for agent in found}
        if not isinstance(found, tuple) or len(found) != 2:
            raise Failed(f"reset() must return observations and infos, not {type(found).__name__}")
        self.result = found[0], {}, {}, {}, found[1]

    def _step(self, choice: Any) -> None:
        self.result = self.env.step(choice)

    def part(self, name: str) -> dict[Any, Any]:
        """One of `NAMES` by agent."""
        return self.result[self.NAMES.index(name)]

    def observation(self, agent: Any) -> Any:
        """The agent's observation, as returned."""
        return self.result[0].get(agent)

    def dead(self, agent: Any) -> bool:
        """Whether the agent is flagged as out but must still make its last step."""
        return False

    def asked(self) -> list[Any]:
        """The agents whose actions the next step needs."""
        return list(self.env.agents)

    def choice(self) -> Any:
        """A legal choice for the next step."""
        return {agent: self.legal_choice(agent) for agent in self.env.agents}

    def with_action(self, agent: Any, action: Any) -> Any:
        """The next choice with this action for that agent, which must be about to act."""
        return {**self.choice(), agent: action}

    def shown(self) -> list[tuple[Any, Any]]:
        """Each agent and its observation, as returned."""
        return list(self.result[0].items())

    def handed(self) -> Any:
        """Everything that a learner receives for its next choice."""
        return self.result[0], self.result[-1]

    def seen(self) -> dict[str, Any]:
        """A copy of all visible data."""
        named = dict(zip(self.NAMES, self.result, strict=True)) | {"infos": self.infos()}
        return copy_of({"agents": list(self.env.agents), **named})


def text_of_call(name: str, given: Any) -> str:
    """A call as source text."""
    return f"{name}({source(given) if name == 'reset' else repr(given)})"


def source(parameters: Mapping[str, Any]) -> str:
    """Keyword arguments as source text."""
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())


def info_name(path: str, key: Any) -> str:
    """The name of an entry of a nested info."""
    return f"{path}.{key}" if path else str(key)


def _without(info: Any, names: frozenset[str], path: str = "") -> Any:
    if not isinstance(info, Mapping):
        return info
    named = ((info_name(path, key), key, value) for key, value in info.items())
    return {key: _without(value, names, name) for name, key, value in named if name not in names}


def payment(reward: Any, what: str) -> Any:
    """A finite reward, or a vector of them for several objectives; raises Failed for anything else."""
    vector = isinstance(reward, np.ndarray) and reward.ndim == 1 and reward.size > 1 and reward.dtype.kind in "iuf"
    if reward is None or not (vector or np.shape(reward) == ()):
        raise Failed(f"{what} is {reward!r}, not a number")
    if not (np.isfinite(reward).all() if vector else math.isfinite(reward)):
        raise Failed(f"{what} is {reward}, not {'a vector of finite numbers' if vector else 'a finite number'}")
    return reward.astype(np.float64) if vector else float(reward)


def as_text(paid: Any) -> str:
    """Formats a payment."""
    return f"{paid:g}" if np.ndim(paid) == 0 else str(paid)


def seats(env: Any) -> list[Any]:
    """The agents in order of seat; raises NotApplicable if the environment does not declare them."""
    if not hasattr(env, "possible_agents"):
        raise NotApplicable("the environment does not declare possible_agents")
    return list(env.possible_agents)


def is_converted(env: Any) -> bool:
    """Whether PettingZoo's converter made the environment from one of the other kind."""
    return any(type(layer).__name__ in CONVERTERS for layer in layers(env))


def beneath(make: Callable[..., Any], **parameters: Any) -> Any:
    """The environment wrapped by PettingZoo's converter."""
    env = make(**parameters)
    converter = next(layer for layer in layers(env) if type(layer).__name__ in CONVERTERS)
    return vars(converter)[CONVERTERS[type(converter).__name__]]


def layers(env: Any) -> list[Any]:
    """The environment, the one that it wraps, and so on."""
    found = [env]
    for layer in found:
        inner = [vars(layer).get(name) for name in ("env", "aec_env")] + [getattr(layer, "unwrapped", None)]
        found += [below for below in inner if below is not None and all(below is not known for known in found)]
    return found
