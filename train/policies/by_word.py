"""Finds policies named on the command line: a name, run folder, file, `module:Class` or `agent:COMMAND`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from inspect import Parameter, signature
from pathlib import Path
from traceback import extract_tb
from typing import Any

from cardwar_envs import Game, Policy
from cardwar_envs.core.policy_names import as_policy, named_policy, names_a_policy, seated_policies
from cardwar_envs.games.by_name import loaded_object
from train.policies.agent_process import AGENT, was_typed
from train.text.parsing import MODULE_AND_CLASS

# In `search:uct,simulations=10,uniform` only the second comma.
BETWEEN_POLICIES = re.compile(r",(?!(?:simulations|leaf|transpositions|seed)=)")

# A network with what its output is, and the endings of tables.
NETWORK = re.compile(r"(.+\.(onnx|pt)):(logits|probabilities)")
TABLES = (".csv", ".json", ".npz")


def is_program(word: str) -> bool:
    """Returns whether the word is the command of an agent."""
    return word.startswith(AGENT)


def policy_from(word: str, game: Game[Any]) -> Policy:
    """Returns the policy with this name or class, or the policy in this run folder or policy file.

    Raises:
        ValueError: If there is no such policy, or the policy cannot play the game.
    """
    policy = _name_or_policy(word, game)
    return named_policy(policy, game) if isinstance(policy, str) else policy


def split_policies(words: str) -> list[str]:
    """Splits policy names at commas, except in existing paths and before options of a search.

    Raises:
        ValueError: If a name is empty.
    """
    whole = os.path.exists(words) or is_program(words)
    names = [words] if whole else [word.strip() for word in BETWEEN_POLICIES.split(words)]
    if not all(names):
        raise ValueError(f"the policies {words!r} contain an empty name")
    return names


def line_up_from(words: Iterable[str], game: Game[Any]) -> list[Policy]:
    """Returns a policy for each seat, found as by `policy_from`; one of them may depend on the others.

    Raises:
        ValueError: If a policy cannot play the game, the number of policies is wrong, or more than one of them depends
            on the others.
    """
    return seated_policies([_name_or_policy(word, game) for word in words], game)


def accept_moves(policies: Iterable[Policy]) -> None:
    """Allows agents to answer with a move, which suffices to sample games."""
    for policy in policies:
        if hasattr(policy, "accepts_moves"):
            policy.accepts_moves = True


def _name_or_policy(word: str, game: Game[Any]) -> str | Policy:
    if is_program(word):
        from train.policies.agent import typed_agent  # needs pydantic, which takes long to import

        return typed_agent(word, game)
    known = names_a_policy(word)
    if not known and word.endswith(TABLES):
        from train.policies.table_files import load_table  # needs pydantic, which takes long to import

        return load_table(word, game)
    if not known and (network := NETWORK.fullmatch(word)):
        from train.policies.functions import from_onnx, from_torchscript

        path, ending, outputs = network.groups()
        if ending == "pt" and not was_typed(word):
            raise ValueError(f"{word} is a program: its name must be typed on the command line; a file cannot start it")
        return (from_onnx if ending == "onnx" else from_torchscript)(path, outputs)
    if not known and os.path.exists(word):  # also false for an invalid path, for example a path that is too long
        from train.policies.files import load_policy  # needs torch, which most commands do not need

        return load_policy(Path(word), game)
    if not known and MODULE_AND_CLASS.fullmatch(word) and not names_a_policy(word.partition(":")[0]):
        found = loaded_object(word, word)
        return as_policy(_made(found, word, game) if isinstance(found, type) else found, game)
    if not known and len(Path(word).parts) > 1:
        raise ValueError(f"no run folder or policy file {word!r}")
    return word


def _made(kind: type, word: str, game: Game[Any]) -> Any:
    """Calls a class, with the game for its parameter `game`, or else for its first parameter without a default."""
    try:
        taken = signature(kind).parameters
        if "game" in taken and taken["game"].kind is not Parameter.POSITIONAL_ONLY:
            return kind(game=game)
        return kind(*[game][: sum(each.default is each.empty for each in taken.values())])
    except Exception as error:  # the user's code can raise anything
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        places = [f" ({file}:{each.lineno})" for each in extract_tb(error.__traceback__) if each.filename == file]
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{word} cannot be made: {reason}{''.join(places[-1:])}") from error
