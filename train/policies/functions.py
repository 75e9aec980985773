"""Functions and network files as policies: ONNX, TorchScript, and any function on arrays, such as one of JAX."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.system.files import require_plain
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import Masks, Observations, Probabilities

OUTPUTS = ("logits", "probabilities")


def masked_softmax(outputs: NDArray[np.float64], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Returns the softmax of outputs over legal actions, `[batch, num_actions]`."""
    logits = np.where(masks == 1, outputs, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


class FunctionPolicy:
    """Plays what a function returns for observations.

    Args:
        function: Maps observations `[batch, observation_size]`, float32, to `[batch, num_actions]` numbers in any array
            that NumPy reads, e.g. JAX's.
        outputs: "logits": the policy is their softmax over legal actions. "probabilities": they are played as they
            are, so exact measures report those of illegal actions.
        name: What errors call the function.

    Raises:
        ValueError: If `outputs` is neither of the two.
    """

    def __init__(self, function: Callable[[Observations], Any], outputs: str, name: str = "function") -> None:
        self._function, self._name, self._outputs = function, name, one_of("outputs", outputs, OUTPUTS)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns probabilities `[batch, num_actions]`; raises ValueError if the function fails to return them."""
        try:
            answer = np.asarray(self._function(observations)).astype(np.float64)
        except Exception as error:  # the function can raise anything
            raise ValueError(f"{self._name} cannot play: {' '.join(str(error).split())}") from error
        if answer.shape != action_masks.shape:
            raise ValueError(f"{self._name} must return numbers of shape {action_masks.shape}, not of {answer.shape}")
        if self._outputs == "probabilities":
            return answer
        if not np.isfinite(answer[action_masks == 1]).all():
            raise ValueError(f"{self._name} must return finite logits of legal actions")
        return masked_softmax(answer, action_masks)


def from_onnx(path: str | Path, outputs: str) -> FunctionPolicy:
    """Reads a network in ONNX format (extra `onnx`).

    Args:
        path: The file. The network takes observations, float32, in batches of any size.
        outputs: "logits" or "probabilities". If the network has several outputs, one has this name.

    Raises:
        ValueError: If the file is damaged, or none of several outputs has that name.
    """
    import onnxruntime

    require_plain(Path(path))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has errors of many kinds
        raise ValueError(f"{path} is not a valid ONNX network: {' '.join(str(error).split())}") from None
    names = [each.name for each in session.get_outputs()]
    if len(names) > 1 and outputs not in names:
        raise ValueError(f"{path}: one of its outputs, {', '.join(names)}, must be called {outputs}")
    played, seen = outputs if outputs in names else names[0], session.get_inputs()[0].name
    return FunctionPolicy(lambda observations: session.run([played], {seen: observations})[0], outputs, str(path))


def from_torchscript(path: str | Path, outputs: str) -> FunctionPolicy:
    """Reads a network in TorchScript format, a program that can read and write files: load only files that you trust.

    The arguments and errors are those of `from_onnx`, but there is only one output.
    """
    import torch

    require_plain(Path(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch.jit is kept, but not developed
            network = torch.jit.load(str(path), "cpu").eval()
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = str(error).strip().partition("\n")[0]
        raise ValueError(f"{path} is not a TorchScript network, which torch.jit.save writes: {reason}") from None
    played = torch.no_grad()(lambda observations: network(torch.from_numpy(observations)))
    return FunctionPolicy(played, outputs, str(path))
