"""Makes the functions `env`, `raw_env` and `parallel_env`, which PettingZoo expects in an environment's module."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar

from cardwar_envs.core.parameters import block_below, described
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.games.by_name import GAMES

Env = TypeVar("Env", AECGameEnv, ParallelGameEnv)

# Further arguments of environments, each with its default and its text for `help`.
OF_ENVIRONMENTS: dict[str, tuple[str | None, str]] = {
    "render_mode": (None, 'None, "ansi" (text), "rgb_array" (pictures) or "human" (a window).'),
    "illegal_action": ("raise", 'What an illegal action does: "raise" an error, or "forfeit" the game.'),
}

OBSERVATION = """An observation is `{"observation": float32[...], "action_mask": int8[num_actions]}`. Rewards are payoff
points. The entries of "observation", in order, each with its number:"""


def makers(game: str) -> tuple[Callable[..., AECGameEnv], Callable[..., AECGameEnv], Callable[..., ParallelGameEnv]]:
    """Makes `env`, `raw_env` and `parallel_env` of a game, for its module `NAME_v0`.

    `env` and `raw_env` are the same, because no PettingZoo wrapper is needed. All three take the game's parameters,
    `render_mode` and `illegal_action`; see `PettingZooSkin`.
    """
    aec = _maker("env", AECGameEnv, game, "PettingZoo AEC")
    return aec, aec, _maker("parallel_env", ParallelGameEnv, game, "PettingZoo Parallel")


def _maker(name: str, skin: type[Env], game: str, interface: str) -> Callable[..., Env]:
    """Makes a picklable factory of environments; `help` on it shows the parameters."""
    kind = GAMES[game]

    def make(**parameters: Any) -> Env:
        return skin(game, **parameters)

    fields = [field for field in dataclasses.fields(kind) if field.init]  # type: ignore[arg-type]  # a dataclass
    defaults = {field.name: field.default for field in fields}
    defaults |= {each: default for each, (default, _) in OF_ENVIRONMENTS.items()}
    told = described(kind) | {each: text for each, (_, text) in OF_ENVIRONMENTS.items()}
    entries: list[str] = [_entry(each, text, defaults[each]) for each, text in told.items()]
    seen = block_below(kind.observation.__doc__ or "", "Entries:").rstrip()
    make.__doc__ = "\n".join((f"The {interface} environment of {game}.", "", OBSERVATION, seen, "", "Args:", *entries))
    keywords = [Parameter(each, Parameter.KEYWORD_ONLY, default=default) for each, default in defaults.items()]
    make.__signature__ = Signature(keywords, return_annotation=skin)  # type: ignore[attr-defined]  # `help` reads it
    make.__name__ = make.__qualname__ = name
    make.__module__ = f"cardwar_envs.{game}_v{kind.version}"
    return make


def _entry(name: str, text: str, default: object) -> str:
    """The entry of a parameter in the text of `help`."""
    line = f"{name}: {text} Default: {default!r}."
    return textwrap.fill(line, 100, initial_indent=" " * 4, subsequent_indent=" " * 8)
