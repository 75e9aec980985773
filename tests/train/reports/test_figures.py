"""Pictures: the same bytes for the same drawing, axes that say what a step is; and numbers in tables."""

import math
from dataclasses import replace

import pytest
from matplotlib.figure import Figure
from thinning import each_row

from cardwar_envs import make_game
from train.reports.curves import _scale_of_learning, draw_game, picture, plot_runs
from train.reports.groups import arrange, read_run
from train.runs.log import ExploitabilityLog
from train.text.printing import points


@each_row(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_drawing_gives_the_same_bytes(kind, start):
    def draw(figure):
        figure.subplots().plot([1, 2, 4], label="$x_1$")
        figure.legend()

    first, second = (picture(draw, 3.0, 2.0, kind) for _ in range(2))
    assert first == second
    assert first.startswith(start)


@each_row(
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


@each_row("units", [("games", "games"), ("games", "epochs")])
def test_curves_that_count_different_steps_share_no_axis(tmp_path, units):
    game = make_game("jujitsu", num_cards=2)
    for number, unit in enumerate(units):
        log = ExploitabilityLog(game, tmp_path / f"{units} {number}", label=f"curve {number}", seed=0, step=unit)
        log.record(1, "uniform")
    figure = plot_runs([tmp_path / f"{units} {number}" for number in (0, 1)])
    shown = {axes.get_xlabel(): axes.get_legend_handles_labels()[1] for axes in figure.axes}
    for number, unit in enumerate(units):
        assert [f"steps ({unit})"] == [axis for axis, names in shown.items() if f"curve {number}" in str(names)]
    assert len(shown) == len(set(units))


def test_runs_of_different_games_share_no_picture(tmp_path):
    for number in (2, 3):
        game = make_game("jujitsu", num_cards=number)
        ExploitabilityLog(game, tmp_path / str(number), label="curve").record(1, "uniform")
    for names, message in (("23", "runs of different games cannot be plotted together"), ("", "no run to plot")):
        with pytest.raises(ValueError, match=message):
            plot_runs([tmp_path / name for name in names], tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_a_picture_of_many_runs_has_room_for_its_legend(tmp_path):
    """Matplotlib warns if a legend leaves no room for the panels, and every warning is an error here."""
    log = ExploitabilityLog(make_game("jujitsu", num_cards=2), tmp_path / "run", label="curve", seed=0, step="games")
    log.record(1, "uniform")
    (game,) = arrange([read_run(tmp_path / "run")])
    many = [replace(game.groups[0], differs={"number": str(number)}) for number in range(150)]
    assert b"number=149" in draw_game(replace(game, groups=many))
    plot_runs([tmp_path / "run"] * 80)
