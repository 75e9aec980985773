"""Pictures of runs, from what their folders hold."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from train.storage.archive import write_atomically
from train.storage.run_folder import RunFolder

PLOT_FILE = "exploitability.png"
INCHES, DOTS_PER_INCH = (8.0, 5.0), 120
# So many labels of ten digits fit beside each other.
MOST_STEPS_MARKED = 6
# Below this the logarithmic axis goes on linearly, so that 0 is on it.
LINEAR_BELOW = 1e-3


def plot_runs(folders: Sequence[str | Path], out_path: str | Path) -> Path:
    """Draws the exploitability of one or several runs of the same game over the steps played.

    Reads `config.json` and `metrics.csv` of each run.

    Args:
        folders: The runs' folders.
        out_path: The PNG file to write.

    Returns:
        `out_path`.

    Raises:
        ValueError: If there are no runs, one cannot be read or they are of different games.
    """
    runs = [RunFolder(Path(folder)) for folder in folders]
    if not runs:
        raise ValueError("there must be at least one run to draw")
    configs = [run.config() for run in runs]
    games = {config["title"] for config in configs}
    if len(games) > 1:
        raise ValueError(f"runs of different games cannot share a picture: {', '.join(sorted(games))}")
    figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.subplots()
    for run, config in zip(runs, configs, strict=True):
        rows = run.read_metrics()
        last = f"{rows[-1]['exploitability']:.4f} after {rows[-1]['seconds']:.0f} s"
        axes.plot(
            [row["steps"] for row in rows],
            [row["exploitability"] for row in rows],
            marker="o",
            markersize=3,
            label=f"{config['label']}, seed {config['seed']}: {last}",
        )
    _draw_frame(axes, configs[0]["reference"])
    steps = dict.fromkeys(config["step"] for config in configs)
    axes.set_xlabel(f"steps ({', '.join(steps)})")
    axes.set_title(f"Distance from optimal play: {configs[0]['title']}")
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    picture = io.BytesIO()
    FigureCanvasAgg(figure).print_figure(picture, format="png")
    write_atomically(Path(out_path), picture.getvalue())
    return Path(out_path)


def _draw_frame(axes: Axes, reference: dict[str, float]) -> None:
    """Scales, names of the axes, and the lines of uniform and of optimal play."""
    axes.axhline(
        reference["uniform_exploitability"],
        color="black",
        linestyle="--",
        label=f"uniform play: {reference['uniform_exploitability']:.4f}",
    )
    axes.axhline(0.0, color="green", label=f"optimal play: 0 (minimax value {reference['value']:.4g})")
    axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    axes.set_ylim(-LINEAR_BELOW / 5, 2 * axes.dataLim.y1)
    axes.set_xlim(left=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(MOST_STEPS_MARKED, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_ylabel(f"exploitability (payoff points; log scale above {LINEAR_BELOW:g})")
    axes.grid(True, which="both", alpha=0.25)
