"""Captures output while an environment is called: printed, warned and logged."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator

from cardwar_envs.conformance.look import ADDRESS

PETTINGZOO = "pettingzoo"


@contextlib.contextmanager
def heard() -> Iterator[list[str]]:
    """Collects the output, without memory addresses; the list is complete afterwards."""
    words: list[str] = []
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        _logged(words),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        yield words
    words += [f"{each.category.__name__}: {each.message}" for each in caught]
    words += filter(None, [printed.getvalue()])
    words[:] = [ADDRESS.sub("0x", word) for word in words]


@contextlib.contextmanager
def _logged(words: list[str]) -> Iterator[None]:
    """Collects records of the root logger and PettingZoo's, at their levels or above."""
    handler = logging.Handler()
    handler.emit = lambda record: words.append(f"{record.levelname}: {record.getMessage()}")  # type: ignore[method-assign]
    root, own = logging.getLogger(), logging.getLogger(PETTINGZOO)
    disabled, propagates = root.manager.disable, own.propagate
    logging.disable(logging.NOTSET)
    own.propagate = False
    for logger in (root, own):
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in (root, own):
            logger.removeHandler(handler)
        own.propagate = propagates
        logging.disable(disabled)
