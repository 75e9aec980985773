"""Policy files: safetensors files with the game, the kind of policy and its parameters."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import torch

from baselines.system.files import kind_of_file
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.policy import Policy
from train.policies.learned_policy import LearnedPolicy, Unfinished
from train.policies.lookahead import LookaheadPolicy
from train.policies.networks import GreedyPolicy, MatrixPolicy, MirroredMatrixPolicy, PolicyValue, SoftmaxPolicy
from train.policies.table import LearnedTable
from train.storage.archive import Archive, read_archive, write_archive
from train.storage.formats import OWN
from train.storage.run_folder import CONFIG_FILE, RUN, STEPS, RunFolder
from train.text.game_names import is_stored, json_parameters, title_words
from train.text.parsing import MODULE_AND_CLASS

POLICY_FILE = "policy.safetensors"
FORMAT = "cardwar policy 1"
GIVEN = (
    "give a policy's name, a run folder, the policy.safetensors of a run, a table (.csv, .json, .npz), a network with "
    "its output (FILE.onnx:logits, FILE.pt:probabilities), or module:Class, a class of your own with the method "
    "action_probabilities, which can load others"
)
POLICY_KINDS: dict[str, type[LearnedPolicy]] = {
    kind.kind: kind
    for kind in (
        SoftmaxPolicy,
        GreedyPolicy,
        MatrixPolicy,
        MirroredMatrixPolicy,
        LookaheadPolicy,
        LearnedTable,
        PolicyValue,
    )
}


def save_policy(
    path: Path, policy: LearnedPolicy, run: Mapping[str, Any] | None = None, steps: int | None = None
) -> None:
    """Writes a policy and its game to a safetensors file, atomically.

    Args:
        path: The file.
        policy: The policy.
        run: The identity of the run that trained the policy; the folder of another run then rejects the file.
        steps: The training steps of the policy; if they are fewer than the run's `args` say, the policy is labelled.

    Raises:
        ValueError: If `policy` cannot be stored.
    """
    kind = stored_kind(policy)
    tensors, architecture = policy.to_archive()
    data = {
        "format": FORMAT,
        "game": policy.game.facts.name,
        "version": policy.game.facts.version,
        "parameters": json_parameters(policy.game),
        "kind": kind,
        "architecture": architecture,
        **({} if run is None else {RUN: dict(run)}),
        **({} if steps is None else {STEPS: steps}),
    }
    write_archive(path, Archive(tensors, data))


def stored_kind(policy: Policy) -> str:
    """Returns the kind by which a file names a policy's class: a key of `POLICY_KINDS`, else `module:Class`.

    Raises:
        ValueError: If the policy cannot be stored.
    """
    kind, name = type(policy), getattr(policy, "kind", "")
    if POLICY_KINDS.get(name) is kind:
        return str(name)
    if callable(getattr(kind, "to_archive", None)) and callable(getattr(kind, "from_archive", None)):
        return _class_name(kind)
    takes = ", ".join(each.__name__ for each in POLICY_KINDS.values())
    raise ValueError(
        f"policy ({policy!r}) cannot be stored in a file: save_policy takes learned policies of this package "
        f"({takes}) and classes with the methods to_archive and from_archive; for other policies of your own, "
        "ExploitabilityLog makes a table that can be stored"
    )


def _class_name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def load_policy(path: str | Path, game: Game[Any], kind: type[LearnedPolicy] | None = None) -> Policy:
    """Reads a learned policy. The file's content is data: a class of your own is never looked up by its stored name.

    Args:
        path: A policy file, or the folder of a run. If the run has not finished, that is its policy at the last
            evaluation, and the attribute `unfinished` has the steps taken.
        game: The game that the policy will play.
        kind: The class of the policy, if it is a class of your own.

    Raises:
        ValueError: If there is no policy, it needs another class, the file is damaged, the policy was learned for
            another game, or, in the folder of a run, the policy was learned by another run.
    """
    require_game(game)
    path, folder = _found(Path(path))
    tensors, data = _read(path, folder)
    learned = (data.get("game"), data.get("version"), data.get("parameters"))
    wanted = (game.facts.name, game.facts.version, json_parameters(game))
    if not is_stored(game, learned[0], learned[2]) or learned[1] != wanted[1]:
        raise ValueError(f"{path} was learned for {_in_words(*learned)}, not for {_in_words(*wanted)}")
    run = data.get(RUN)
    if folder is not None and os.path.lexists(folder / CONFIG_FILE):  # a broken link is refused later
        RunFolder(folder).check_policy(path, data)
        run = RunFolder(folder).config()
    made_by = _class_of(data.get("kind"), path, kind)
    try:
        if not all(torch.isfinite(tensor).all() for tensor in tensors.values()):
            raise ValueError("some numbers are not finite")
        policy = made_by.from_archive(game, tensors, data["architecture"])
        policy.unfinished = _unfinished(data.get(STEPS), run)
        return policy
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{path} does not contain a valid policy ({reason}){_renewed(folder)}") from None


def _class_of(stored: Any, path: Path, own: type[LearnedPolicy] | None) -> type[LearnedPolicy]:
    """Returns the class of the kind that a file names; raises ValueError unless it is ours, or is the class `own`."""
    if own is not None and stored == _class_name(own):
        return own
    if isinstance(stored, str) and stored in POLICY_KINDS:
        return POLICY_KINDS[stored]
    if isinstance(stored, str) and MODULE_AND_CLASS.fullmatch(stored):
        raise ValueError(
            f"{path} needs the class {stored}, which is not in this package, and a file's code is never imported; "
            f"if you trust it, load_policy({str(path)!r}, game, {stored.rpartition(':')[2]}) takes the class"
        )
    raise ValueError(
        f"{path} contains a policy of the unknown kind {stored!r}; known kinds are {', '.join(POLICY_KINDS)}"
    )


def _unfinished(steps: Any, run: Any) -> Unfinished | None:
    """Returns the progress of the run; None if it had finished, or if the policy has no `steps`.

    Raises a ValueError unless the file, or its run folder, says how many steps the run is to take.
    """
    if steps is None:
        return None
    args = run.get("args") if isinstance(run, Mapping) else None
    of = args.get("steps") if isinstance(args, Mapping) else None
    if not (type(steps) is type(of) is int and steps >= 0):
        raise ValueError(f"{STEPS} ({steps!r}) and the steps of its run ({of!r}) must be integers, at least 0")
    return Unfinished(steps, of) if steps < of else None


def _found(path: Path) -> tuple[Path, Path | None]:
    """Returns the policy file, and the run folder that contains it if `path` is a folder."""
    if path.is_dir():
        if not (path / POLICY_FILE).exists():
            raise ValueError(f"{path} contains no learned policy{_how_to_get_one(path)}")
        return path / POLICY_FILE, path
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is {kind_of_file(path)}, neither a policy file nor the folder of a run")
    if path.suffix == ".py":
        raise ValueError(f"{path} is not a policy file; name a class in it as {path.stem}:Class")
    return path, None


def _how_to_get_one(folder: Path) -> str:
    """Returns how to resume the run in a folder, if its learner produces policies."""
    config = RunFolder(folder).config() if os.path.lexists(folder / CONFIG_FILE) else {"algorithm": OWN}
    if config["algorithm"] == OWN:
        return ""
    words = ["cardwar", "train", *title_words(config["title"]), f"--out={folder}", "--resume"]
    return f": its run was stopped before the first evaluation; resume it with {shlex.join(words)}"


def _read(path: Path, folder: Path | None) -> Archive:
    try:
        archive = read_archive(path, folder)
    except ValueError as error:
        if folder is not None or not path.is_file():
            raise ValueError(f"{error}{_renewed(folder)}") from None
        if path.suffix == ".zip" and is_zipfile(path):
            raise ValueError(
                f"{path} is a zip archive, such as a model of stable-baselines3: load it in a class of your own, which "
                "wraps it by cardwar_envs.sb3.from_sb3, and name this class as module:Class"
            ) from None
        if path.suffix != Path(POLICY_FILE).suffix:
            raise ValueError(f"{path} is not a policy file; {GIVEN}") from None
        raise ValueError(f"{error}; {GIVEN}") from None
    if archive.data.get("format") != FORMAT:
        raise ValueError(
            f"{path} contains a policy of format {archive.data.get('format')!r}, not {FORMAT!r}{_renewed(folder)}"
        )
    if type(archive.data.get("version")) is not int:
        raise ValueError(
            f"{path} has the game's version {archive.data.get('version')!r}, which must be an integer{_renewed(folder)}"
        )
    return archive


def _renewed(folder: Path | None) -> str:
    """Says what makes a run's policy file anew."""
    return "" if folder is None else "; resuming its run (--resume) writes it again"


def _in_words(name: Any, version: Any, parameters: Any) -> str:
    if isinstance(parameters, dict):
        parameters = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    return f"{name} v{version} with {parameters}"
