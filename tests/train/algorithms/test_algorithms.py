"""The list of algorithms and their arguments."""

import dataclasses
import subprocess
import sys

import pytest
from thinning import each_row

from train.algorithms.contract import CommonArgs
from train.algorithms.registry import ALGORITHMS, algorithm_named


@each_row("algorithm", ALGORITHMS.values())
def test_every_argument_has_a_default_and_a_line_of_help(algorithm):
    assert issubclass(algorithm.args_type(), CommonArgs)
    for field in dataclasses.fields(algorithm.args_type()):
        assert field.default is not dataclasses.MISSING
        assert field.metadata["help"]
        assert "\n" not in field.metadata["help"]
    assert algorithm.args() == algorithm.args_type()()


@each_row(
    ("values", "message"),
    [
        ({"final_rate": 1.2}, r"final_rate \(1.2\) must be in \[0, 1\]"),
        ({"steps": 0}, r"steps \(0\) must be at least 1"),
        ({"steps": 1.5}, r"steps \(1.5\) must be an integer"),
        ({"steps": True}, r"steps \(True\) must be an integer"),
        ({"learning_rate": "fast"}, r"learning_rate \('fast'\) must be a number"),
        ({"learning_rate": float("nan")}, r"learning_rate \(nan\) must be at least 1e-09"),
        ({"learning_rate": float("inf")}, r"learning_rate \(inf\) must be at least 1e-09"),
        ({"learning": 1}, r"minimax_q has no argument 'learning'; it has steps, "),
    ],
)
def test_a_bad_argument_is_named_with_its_range(values, message):
    with pytest.raises(ValueError, match=message):
        ALGORITHMS["minimax_q"].args(**values)


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ValueError, match="unknown algorithm 'sarsa'; known are minimax_q, fitted_value, ppo"):
        algorithm_named("sarsa")


def test_the_list_does_not_import_torch():
    code = "import sys, train, train.algorithms.registry; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
