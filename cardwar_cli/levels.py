"""`cardwar levels`: lists the graded opponents that ship with the package."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from baselines.opponents.levels.level import levels as all_levels
from cardwar_cli.console import AsJson, new_table, out, say
from train.algorithms.registry import ALGORITHMS
from train.text.printing import points


def levels(
    game: Annotated[str | None, typer.Argument(help="Name of a game; default all games.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the graded opponents, level:1 to level:5, with their exact exploitability."""
    rows = [each for each in all_levels() if game in (None, each.game)]
    if not rows:
        known = ", ".join(dict.fromkeys(each.game for each in all_levels()))
        raise ValueError(f"game ({game}) has no graded opponents; these have: {known}")
    if as_json:
        keys = ("title", "number", "learner", "arguments", "steps", "seed", "exploitability")
        entries = [{key: getattr(each, key) for key in keys} | {"bytes": each.path.stat().st_size} for each in rows]
        print(json.dumps({"levels": entries}))
        return
    table = new_table("graded opponents", "game", "policy", "exploitability", "steps", "learner")
    for each in rows:
        level, figure = f"level:{each.number}", points(each.exploitability)
        table.add_row(each.title, level, figure, f"{each.steps:,}", each.learner)
    out.print(table)
    learners = dict.fromkeys(each.learner for each in rows)
    say(f"steps: {', '.join(f'{ALGORITHMS[name].step} of {name}' for name in learners)}")
    say("exploitability: exact, in payoff points. E.g.: cardwar match jujitsu num_cards=5 level:3 uniform")
