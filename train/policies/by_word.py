"""Policies as the command line names them: a name, a run folder, a policy file, `module:Class` or `agent:COMMAND`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from inspect import signature
from pathlib import Path
from typing import Any

from cardwar_envs import Game, Policy
from cardwar_envs.core.policy import as_policy, named_policy, names_a_policy, seated_policies
from cardwar_envs.games.by_name import loaded_object
from train.agents import AGENT

MODULE_AND_CLASS = re.compile(r"[^\W\d]\w*(\.\w+)*:[^\W\d]\w*(\.\w+)*")


def is_program(word: str) -> bool:
    """Whether the word is the command of a program that plays."""
    return word.startswith(AGENT)


def policy_from(word: str, game: Game[Any]) -> Policy:
    """The policy with this name, of this class, or in this run folder or policy file.

    Raises:
        ValueError: If there is none, or it does not fit the game.
    """
    policy = _name_or_policy(word, game)
    return named_policy(policy, game) if isinstance(policy, str) else policy


def split_policies(words: str) -> list[str]:
    """Splits policy names at commas, which an existing path may contain; raises ValueError if a name is empty."""
    names = [words] if os.path.exists(words) or is_program(words) else [word.strip() for word in words.split(",")]
    if not all(names):
        raise ValueError(f"a name is missing in the policies {words!r}")
    return names


def line_up_from(words: Iterable[str], game: Game[Any]) -> list[Policy]:
    """A policy for each seat, as in `policy_from`; one of them may depend on the others.

    Raises:
        ValueError: If one does not fit the game, their number is wrong, or more than one depends on the others.
    """
    return seated_policies([_name_or_policy(word, game) for word in words], game)


def accept_moves(policies: Iterable[Policy]) -> None:
    """Lets programs answer with a move, which suffices where games are sampled."""
    for policy in policies:
        if hasattr(policy, "accepts_moves"):
            policy.accepts_moves = True


def _name_or_policy(word: str, game: Game[Any]) -> str | Policy:
    if is_program(word):
        from train.agents.policy import typed_agent  # needs pydantic, which takes a while

        return typed_agent(word, game)
    known = names_a_policy(word)
    if not known and os.path.exists(word):  # also false for an invalid path, e.g. one too long
        from train.policies.files import load_policy  # needs torch, which most commands do without

        return load_policy(Path(word), game)
    if not known and MODULE_AND_CLASS.fullmatch(word) and not names_a_policy(word.partition(":")[0]):
        return _instance(loaded_object(word, word), game)
    if not known and len(Path(word).parts) > 1:
        raise ValueError(f"no run folder or policy file {word!r}")
    return word


def _instance(found: Any, game: Game[Any]) -> Policy:
    """The user's policy: an instance as it is, or one made by calling the class, with the game if it takes one."""
    if isinstance(found, type):
        needed = [each for each in signature(found).parameters.values() if each.default is each.empty]
        found = found(*[game][: len(needed)])
    return as_policy(found, game)
