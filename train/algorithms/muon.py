"""Muon, an optimizer for the weight matrices of hidden layers.

Source: K. Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import hardshrink

from train.policies.networks import Network

# The quintic polynomial of Jordan et al., chosen for a large slope at zero.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
# Root mean square of an update, which matches that of Adam (Liu et al.).
SIZE = 0.2
# Matrices of a smaller norm count as almost zero.
LEAST_NORM = 1e-7
# Entries below this fraction of the norm become 0: they move no weight in float32, but they, or their products, would
# decay into denormal numbers, with which processors multiply fifty times more slowly. All weights of a unit that no
# input activates any more have such entries, since their gradients are 0 while the momentum decays.
NEGLIGIBLE = 1e-9


class Muon(torch.optim.Optimizer):
    """Updates weight matrices by Nesterov momentum that is made nearly orthogonal; there is no weight decay.

    The scale is that of J. Liu et al., "Muon is scalable for LLM training" (2025), equation 4, which gives updates the
    size of Adam's. torch's own Muon multiplies in bfloat16, which is some thirty times slower than float32 on
    processors without bfloat16 units (most laptops).

    Args:
        params: Matrices.
        lr: Learning rate; values that suit Adam suit Muon.
        momentum: Fraction of the momentum that each step keeps.
        orthogonal_steps: Newton-Schulz iterations per step; they take most of the time.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float = 1e-3, momentum: float = 0.95, orthogonal_steps: int = 5
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "orthogonal_steps": orthogonal_steps})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]  # no loss to return
        """Updates every matrix that has a gradient."""
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                momentum = self.state[matrix].setdefault("momentum_buffer", torch.zeros_like(matrix))
                momentum.lerp_(matrix.grad, 1 - group["momentum"])
                momentum.copy_(hardshrink(momentum, NEGLIGIBLE * LEAST_NORM))
                update = orthogonal(matrix.grad.lerp(momentum, group["momentum"]), group["orthogonal_steps"])
                matrix.sub_(update, alpha=group["lr"] * SIZE * max(matrix.shape) ** 0.5)


def orthogonal(matrix: Tensor, steps: int) -> Tensor:
    """Returns a matrix `[m, n]` with the same singular vectors and with singular values of about 1, in float32.

    After four Newton-Schulz iterations, singular values of at least 0.01 of the norm lie between 0.68 and 1.21.
    """
    a, b, c = COEFFICIENTS
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = hardshrink(wide / wide.norm().clamp(min=LEAST_NORM), NEGLIGIBLE)  # now no singular value exceeds 1
    for _ in range(steps):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return wide if matrix.shape[0] <= matrix.shape[1] else wide.T


# Newton-Schulz iterations in a step of Muon; five are common, but four are accurate enough here.
ORTHOGONAL_STEPS = 4


def optimizers(network: Network) -> dict[str, torch.optim.Optimizer]:
    """Returns Muon for the weight matrices of hidden layers and Adam for the rest; the caller sets learning rates.

    Muon's updates are orthogonal matrices, so a layer learns equally fast in every direction. They have the scale of
    Adam's (J. Liu et al., "Muon is scalable for LLM training", 2025), so one learning rate suits both optimizers.
    """
    *hidden, _ = (layer for layer in network if isinstance(layer, torch.nn.Linear))
    matrices = [layer.weight for layer in hidden]
    rest = [each for each in network.parameters() if not any(each is matrix for matrix in matrices)]
    return {
        "muon": Muon(matrices, orthogonal_steps=ORTHOGONAL_STEPS),
        "adam": torch.optim.Adam(rest, fused=True),
    }
