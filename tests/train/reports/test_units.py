"""What one step is: the axis says it if it is the same for all curves, else each curve says it."""

import pytest

from cardwar_envs import make_game
from train.reports.curves import plot_runs
from train.runs.log import ExploitabilityLog


@pytest.mark.parametrize(
    ("units", "axis", "named"),
    [
        (("games", "games"), "steps (games)", [False, False]),
        (("games", "epochs"), "steps (units in the legend)", [True, True]),
    ],
)
def test_curves_that_count_different_steps_say_so(tmp_path, units, axis, named):
    game = make_game("jujitsu", num_cards=2)
    for number, unit in enumerate(units):
        log = ExploitabilityLog(game, tmp_path / str(number), label=f"curve {number}", seed=0, step=unit)
        log.record(1, "uniform")
    (axes,) = plot_runs([tmp_path / "0", tmp_path / "1"]).axes
    labels = [label for label in axes.get_legend_handles_labels()[1] if label.startswith("curve")]
    assert axes.get_xlabel() == axis
    assert [f"({unit})" in label for unit, label in zip(units, labels, strict=True)] == named
