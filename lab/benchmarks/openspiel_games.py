"""Writes the table of docs/openspiel.md: OpenSpiel's games with simultaneous moves, checked and solved.

python -m lab.benchmarks.openspiel_games
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pyspiel

import baselines
from cardwar_envs import check_game
from cardwar_envs.openspiel import OpenSpielGame, from_openspiel
from train.reports.markdown import rewrite, table

COMMAND = "python -m lab.benchmarks.openspiel_games"
PAGE = Path(__file__).parents[2] / "docs" / "openspiel.md"
HEADINGS = ("game", "histories", "states", "value", "NashConv of uniform", "our checks and witnesses")
# Smaller sizes, listed within seconds, of games whose default size is not.
SIZES = {
    "capture_the_flag": "horizon=5,grid=a.b\n...",
    "coop_box_pushing": "fully_observable=true",
    "goofspiel": "num_cards=4",
    "laser_tag": "horizon=2,grid=S.S",
    "markov_soccer": "horizon=4,grid=BO\nAO",
    "nfg_game": "filename={file}",
    "normal_form_extensive_game": "game=kuhn_poker()",
    "oshi_zumo": "coins=5,size=1,horizon=5",
    "pathfinding": "players=2,horizon=3,grid=A.b\nB.a",
    "repeated_game": "stage_game=matrix_pd(),num_repetitions=3",
    "snake": "rows=4,columns=4,horizon=2",
}
# Games whose smaller size is listed by OpenSpiel's texts of its states.
BY_TEXT = {"capture_the_flag"}
BATTLE = 'NFG 1 R "a game in a file" { "1" "2" } { 2 2 }\n2 1 0 0 0 0 1 2\n'


def rows() -> Iterator[tuple[object, ...]]:
    """Yields a row for each game at its default size and, if that is refused, at a smaller one."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game.nfg"
        file.write_text(BATTLE)
        for kind in pyspiel.registered_games():
            if kind.dynamics != pyspiel.GameType.Dynamics.SIMULTANEOUS:
                continue
            names = [kind.short_name]
            if kind.short_name in SIZES:
                names.append(f"{kind.short_name}({SIZES[kind.short_name].format(file=file)})")
            for name in names:
                print(name, file=sys.stderr, flush=True)
                key: Literal["string"] | None = "string" if kind.short_name in BY_TEXT and name in names[1:] else None
                shown = f"`{name}`".replace(folder + "/", "").replace("\n", "/") + (
                    f" `state_key={key}`" if key else ""
                )
                try:
                    yield shown, *figures(from_openspiel(name, key))
                except ValueError as error:
                    reason = str(error).partition(" is refused: ")[2] or str(error).replace(f"openspiel:{name} ", "")
                    yield shown, "", "", "", "", f"refused: {reason.partition(';')[0]}"


def figures(game: OpenSpielGame) -> tuple[object, ...]:
    """The cells of a game that can be listed."""
    listed = game.listed
    two = game.facts.zero_sum and game.facts.num_players == 2
    value = f"{baselines.solve(game).value + 0.0:.4f}" if two else "general-sum"
    faults = [f"{each}" for each in check_game(game) if each.status == "failed"]
    said = "; ".join([*faults, *witnesses(game)]) or "pass"
    conv = baselines.nash_conv(game, "uniform").total
    return (
        f"{sum(listed.merged):,}",
        f"{len(listed.nodes):,}",
        value.replace("-0.0000", "0.0000"),
        f"{conv:.4f}",
        said,
    )


def witnesses(game: OpenSpielGame) -> Iterator[str]:
    """Yields the declarations of OpenSpiel about the game that the listing contradicts."""
    listed, spiel = game.listed, game.listed.game
    if listed.length > spiel.max_game_length():
        yield f"a game has {listed.length} moves, declared are at most {spiel.max_game_length()}"
    if listed.disagreement is not None:
        yield f"after {list(listed.disagreement)} `rewards()` is not the change of `returns()`"
    seen: dict[bytes, int] = {}
    for number, node in enumerate(listed.nodes):
        tensor = listed.tensors[number].tobytes()
        if node.acting and tensor and (other := seen.setdefault(tensor, number)) != number:
            one, two = (listed.nodes[each].first.history() for each in (number, other))
            yield f"different states have the same observation tensors: {one} and {two}"
            return


if __name__ == "__main__":
    if "cardwar" in " ".join(pyspiel.registered_names()):
        raise SystemExit("run this in a process of its own")
    made = table(HEADINGS, list(rows()))
    PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, lambda part: made))
