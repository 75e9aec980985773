"""Writes any policy as a table, and policies of networks as networks for other programs."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from baselines.system.files import write_atomically
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.policies.functions import LOGITS
from train.policies.table_files import ENDINGS, table_bytes

NETWORKS = (".onnx", ".pt")
EXPORTED = (*ENDINGS, *NETWORKS)


def export_policy(policy: Policy, game: Game[Any], path: str | Path) -> None:
    """Writes a policy to a file that the command reads as a policy.

    Args:
        policy: The policy.
        game: The game that it plays.
        path: The file. A table (.csv, .json, .npz) has the probabilities at all information states, or at those that a
            `TablePolicy` contains; a network (.onnx with the extra `onnx`, TorchScript as .pt) has the logits of a
            `SoftmaxPolicy` in single precision, for batches of any size.

    Raises:
        ValueError: If the file's ending is unknown, the policy is no such network, or the game is too large.
    """
    path = Path(path)
    if path.suffix not in EXPORTED:
        raise ValueError(f"{path} must end in one of {', '.join(EXPORTED)}")
    network = path.suffix in NETWORKS
    write_atomically(path, _network(policy, path) if network else table_bytes(policy, game, path.suffix))


def _network(policy: Policy, path: Path) -> bytes:
    import torch

    from train.policies.networks import SoftmaxPolicy

    if not isinstance(policy, SoftmaxPolicy) or policy.network.parts is not None:
        raise ValueError(
            f"{path}: {policy!r} is not the softmax of a network with one output per action; export it as a table "
            f"({', '.join(ENDINGS)})"
        )
    network, file = torch.nn.Sequential(*policy.network), BytesIO()  # tracing would read the properties of `Network`
    example = torch.zeros(2, policy.game.facts.observation_size)
    with warnings.catch_warnings():
        # torch.export's own exporter takes 11 s of CPU time for a small network, and the deprecated one 0.1 s.
        warnings.simplefilter("ignore", DeprecationWarning)
        if path.suffix == ".pt":
            torch.jit.save(torch.jit.trace(network, example), file, {"outputs": LOGITS})
        else:
            names: dict[str, Any] = {"input_names": ["observations"], "output_names": [LOGITS]}
            free = {"observations": {0: "batch"}, LOGITS: {0: "batch"}}
            torch.onnx.export(network, (example,), cast(Any, file), dynamic_axes=free, dynamo=False, **names)
    return file.getvalue()
