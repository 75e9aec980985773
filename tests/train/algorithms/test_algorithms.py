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
        assert field.metadata["description"]
        assert "\n" not in field.metadata["description"]
    assert algorithm.args() == algorithm.args_type()()


@each_row(
    ("values", "message"),
    [
        ({"final_rate": 1.2}, r"final_rate \(1.2\) must be at most 1"),
        ({"steps": 0}, r"steps \(0\) must be at least 1"),
        ({"steps": 10**400}, r"steps \(1000.*000\) must be at most 9007199254740992"),
        ({"learning_rate": 10**400}, r"learning_rate \(1000.*000\) must be a number"),
        ({"steps": "3"}, r"steps \('3'\) must be an integer"),
        ({"steps": 1.5}, r"steps \(1.5\) must be an integer"),
        ({"steps": True}, r"steps \(True\) must be an integer"),
        ({"learning_rate": "fast"}, r"learning_rate \('fast'\) must be a number"),
        ({"learning_rate": float("nan")}, r"learning_rate \(nan\) must be a finite number"),
        ({"learning_rate": float("inf")}, r"learning_rate \(inf\) must be a finite number"),
        ({"learning": 1}, r"minimax_q has no parameter 'learning'; it has steps, "),
    ],
)
def test_a_bad_argument_is_named_with_its_range(values, message):
    with pytest.raises(ValueError, match=message):
        ALGORITHMS["minimax_q"].args(**values)


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ValueError, match="unknown algorithm 'sarsa'; known are minimax_q, fitted_value, ppo"):
        algorithm_named("sarsa")


def test_the_list_imports_neither_torch_nor_pydantic():
    code = "import sys, train, train.algorithms.registry; sys.exit(bool({'torch', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
