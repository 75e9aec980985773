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
# ONNX's names of number types -> NumPy's.
TYPES = {"float16": "f2", "float": "f4", "double": "f8", "bool": "?", "int8": "i1", "int32": "i4", "int64": "i8"}


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
        masks: Whether the function takes masks of legal actions `[batch, num_actions]`, int8, as its second argument.
        name: What errors call the function.

    Raises:
        ValueError: If `outputs` is neither of the two.
    """

    def __init__(self, function: Callable[..., Any], outputs: str, masks: bool = False, name: str = "function") -> None:
        self._function, self._masks, self._name = function, masks, name
        self._outputs = one_of("outputs", outputs, OUTPUTS)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._outputs} of {self._name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns probabilities `[batch, num_actions]`; raises ValueError if the function fails to return them."""
        try:
            answer = np.asarray(self._function(observations, *[action_masks] * self._masks)).astype(np.float64)
        except Exception as error:  # the function can raise anything
            raise ValueError(f"{self._name} cannot play: {' '.join(str(error).split())}") from error
        if answer.shape != action_masks.shape:
            raise ValueError(f"{self._name} must return numbers of shape {action_masks.shape}, not of {answer.shape}")
        if self._outputs == "probabilities":
            return answer
        if not np.isfinite(answer[action_masks == 1]).all():
            raise ValueError(f"{self._name} must return finite logits of legal actions")
        return masked_softmax(answer, action_masks)


def from_onnx(path: str | Path, outputs: str | None = None) -> FunctionPolicy:
    """Reads a network in ONNX format (extra `onnx`).

    Args:
        path: The file. The network's inputs are observations and, if there are two, masks, in batches of any size.
        outputs: "logits" or "probabilities", by default the name of its output; of several, one has this name.

    Raises:
        ValueError: If the file is damaged, or it is unknown what the network's output is.
    """
    import onnxruntime

    require_plain(Path(path))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        inputs = [(each.name, TYPES[each.type[7:-1]]) for each in session.get_inputs()]  # tensor(TYPE)
    except Exception as error:  # onnxruntime has errors of many kinds
        raise ValueError(f"{path} is not an ONNX network of a known type: {' '.join(str(error).split())}") from None
    output, kind = _output_of(path, [each.name for each in session.get_outputs()], outputs)

    def run(*arrays: NDArray[Any]) -> Any:
        given = zip(inputs, arrays, strict=False)  # onnxruntime names an input that is missing
        return session.run([output], {name: array.astype(number) for (name, number), array in given})[0]

    return FunctionPolicy(run, kind, len(inputs) > 1, str(path))


def from_torchscript(path: str | Path, outputs: str | None = None) -> FunctionPolicy:
    """Reads a network in TorchScript format, a program that can read and write files: load only files that you trust.

    The arguments and errors are those of `from_onnx`, but `outputs` is required.
    """
    import torch

    require_plain(Path(path))
    _, kind = _output_of(path, ["output"], outputs)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch.jit is kept, but not developed
            network = torch.jit.load(str(path), "cpu").eval()
        inputs = len(list(network.graph.inputs())) - 1  # without `self`
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = str(error).strip().partition("\n")[0]
        raise ValueError(f"{path} is not a TorchScript network, which torch.jit.save writes: {reason}") from None
    number = next((each.dtype for each in network.parameters()), torch.float32)

    def run(observations: NDArray[np.float32], *masks: NDArray[np.int8]) -> Any:
        with torch.no_grad():
            return network(torch.from_numpy(observations).to(number), *map(torch.from_numpy, masks)).double()

    return FunctionPolicy(run, kind, inputs > 1, str(path))


def _output_of(path: str | Path, names: list[str], outputs: str | None) -> tuple[str, str]:
    """Returns the name of a network's output, and which of `OUTPUTS` it is."""
    named = [name for name in names if name in OUTPUTS and outputs in (None, name)]
    if len(named) == 1:
        return named[0], named[0]
    if outputs is not None and len(names) == 1 and names[0] not in OUTPUTS:
        return names[0], outputs
    raise ValueError(
        f"{path}: an output must be called logits or probabilities, not {', '.join(names)}; if it is the only one, "
        f"write {path}:logits or {path}:probabilities, or give outputs= in Python"
    )
