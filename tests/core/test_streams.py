"""Random streams: two ways to draw the same numbers."""

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs.core.streams import draw, new_streams, streams_of


@pytest.mark.plain_kernels
def test_the_first_numbers_are_the_published_ones():
    """SplitMix64 from 1234567; values from the task "Pseudo-random numbers/Splitmix64" of Rosetta Code."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    streams = np.array([1234567], dtype=np.uint64)
    drawn = [float(draw(streams, np.array([0]))[0]) for _ in published]
    assert drawn == [(number >> 11) / 2**53 for number in published]


@pytest.mark.plain_kernels
def test_compiled_draws_are_the_same():
    from cardwar_envs.core import streams_kernel

    first = new_streams(0, 5)
    second = first.copy()
    for _ in range(100):
        assert draw(first, np.arange(5)).tolist() == [streams_kernel.draw(second, g) for g in range(5)]
    assert np.array_equal(first, second)


def test_only_the_streams_asked_go_on():
    streams = new_streams(1, 4)
    before = streams.copy()
    draw(streams, np.array([1, 3]))
    assert (streams == before).tolist() == [True, False, True, False]


def test_streams_do_not_depend_on_their_number():
    assert np.array_equal(new_streams(7, 3), new_streams(7, 9)[:3])
    assert len(set(new_streams(7, 1000).tolist())) == 1000
    assert streams_of([3, 4])[1] == streams_of([4])[0] != streams_of([3])[0]


def test_draws_are_uniform():
    """Chi-square over 64 cells, the seed fixed; 99.99 % of such draws lie below 114."""
    streams, cells = new_streams(2, 1000), np.zeros(64)
    for _ in range(64):
        np.add.at(cells, (draw(streams, np.arange(1000)) * 64).astype(int), 1)
    assert ((cells - 1000) ** 2 / 1000).sum() < 114


@pytest.mark.plain_kernels
@each_row(("drawn", "chosen"), [(0.0, 1), (0.24, 1), (0.25, 3), (0.74, 3), (0.75, 4), (1 - 2**-53, 4), (1.0, 4)])
def test_choices_lie_where_their_weight_does(drawn, chosen):
    """A number on a border belongs to what follows; nothing without weight is ever chosen, not even by rounding."""
    from cardwar_envs.core import streams_kernel

    weights, actions = np.array([[0.0, 1.0, 0.0, 2.0, 1.0, 0.0]]), np.zeros(1, dtype=np.int64)
    for more in (0, streams_kernel.FEW):  # rows of few and of many weights
        streams_kernel.choose(np.pad(weights, ((0, 0), (0, more))), np.array([drawn]), actions)
        assert actions.tolist() == [chosen]
    if drawn < 1:
        assert streams_kernel.held_card(weights[0], 4.0, drawn) == chosen


@each_row("seed", [-1, 1.5])
def test_bad_seeds_are_refused(seed):
    with pytest.raises((ValueError, TypeError)):
        new_streams(seed, 2)
