"""Keeps torch from importing its compiler, which no learner uses and whose import takes more than a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import unwrap

import torch
from torch.optim import Adam, Optimizer


@contextmanager
def without_compiler() -> Iterator[None]:
    """Runs optimizers without the calls that tell torch's compiler what not to compile.

    Each such call imports torch._dynamo. Otherwise the optimizers work as before.
    """
    for method in (Optimizer.add_param_group, Optimizer.zero_grad, Optimizer.state_dict, Optimizer.load_state_dict):
        function = unwrap(method)
        vars(function).setdefault("__dynamo_disable", function)  # the attribute that torch sets in the first call
    step = Adam.step
    Adam.step = torch.no_grad()(unwrap(step))  # type: ignore[method-assign]
    try:
        yield
    finally:
        Adam.step = step  # type: ignore[method-assign]
