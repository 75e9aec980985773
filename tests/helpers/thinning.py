"""Which cases of a parametrised test run every time, and which only with `--wide`.

Most faults show with one value of one parameter, or with two values together. So of all combinations of
parameters as few are run as show each value (`thin` tests) or each pair of values (`tiny_games`) at least once.
"""

import functools
import inspect
from itertools import combinations

import pytest


def covering(cases, strength):
    """Chooses few of the cases that together show what all show, each time the one that adds the most.

    With strength 1, each value of each feature is shown; with strength 2, each pair of values of two features.

    Args:
        cases: A dict for each case: feature -> value (hashable).
        strength: How many features are looked at together.

    Returns:
        The places of those chosen, ascending.
    """
    shown = [set(combinations(sorted(case.items(), key=lambda item: item[0]), strength)) for case in cases]
    missing, chosen = set().union(*shown), []
    while missing:
        chosen.append(max(range(len(shown)), key=lambda place: len(shown[place] & missing)))
        missing -= shown[chosen[-1]]
    return sorted(chosen)


def parametrize(arguments, cases, always, ids=None):
    """Like `pytest.mark.parametrize` with tuples as cases; those whose place is not in `always` need `--wide`."""
    marks = [() if place in always else (pytest.mark.wide,) for place in range(len(cases))]
    ids = ids or [None] * len(cases)
    params = [pytest.param(*case, id=name, marks=each) for case, name, each in zip(cases, ids, marks, strict=True)]
    return pytest.mark.parametrize(arguments, params)


def pairwise(arguments, cases, features):
    """Like `parametrize`; always run are those that show each pair of values of `features(*case)`, a dict."""
    return parametrize(arguments, cases, covering([features(*case) for case in cases], 2))


def mark_the_rest_as_wide(items):
    """Of each test marked `thin`, marks as `wide` the cases that are not needed to show each value once."""
    tests = {}
    for item in items:
        if item.get_closest_marker("thin") and not item.get_closest_marker("wide"):
            tests.setdefault((item.parent, item.originalname), []).append(item)
    for cases in tests.values():
        kept = covering([{name: id(value) for name, value in case.callspec.params.items()} for case in cases], 1)
        for place, case in enumerate(cases):
            if place not in kept:
                case.add_marker("wide")


def each_row(arguments, rows):
    """Runs one test on all rows of a table, where `pytest.mark.parametrize` would make a test of each.

    It stops at the first row that fails, and the error names that row.
    """
    names = [arguments] if isinstance(arguments, str) else list(arguments)

    def decorate(test):
        @functools.wraps(test)
        def on_each_row(**fixtures):
            for row in rows:
                values = dict(zip(names, [row] if isinstance(arguments, str) else row, strict=True))
                try:
                    test(**fixtures, **values)
                except BaseException as error:
                    error.add_note(f"on the row {values}")
                    raise

        kept = [each for each in inspect.signature(test).parameters.values() if each.name not in names]
        on_each_row.__signature__ = inspect.Signature(kept)  # pytest hands in what stands here
        return on_each_row

    return decorate
