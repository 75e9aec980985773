"""Pictures come out the same, byte for byte, and numbers in tables have no sign of a rounded zero."""

import math

import pytest
from matplotlib.figure import Figure

from train.reports.curves import _scale_of_learning
from train.reports.figures import picture
from train.words import points


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_drawing_gives_the_same_bytes(kind, start):
    def draw(figure):
        figure.subplots().plot([1, 2, 4], label="$x_1$")
        figure.legend()

    first, second = (picture(draw, 3.0, 2.0, kind) for _ in range(2))
    assert first == second
    assert first.startswith(start)


@pytest.mark.parametrize(
    ("payoff", "digits", "text"),
    [(-1e-9, 3, "0.000"), (0.12345, 4, "0.1235"), (-2.0, 6, "-2.000000"), (None, 6, ""), (math.nan, 3, "")],
)
def test_payoff_points(payoff, digits, text):
    assert points(payoff, digits) == text


def test_an_axis_of_steps_begins_at_step_0():
    axes = Figure().subplots()
    axes.plot([0.0, 100.0, 1000.0], [0.3, 0.2, 0.1])
    _scale_of_learning(axes)
    assert axes.get_xlim()[0] == 0.0
