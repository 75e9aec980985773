"""Reduces a session of cosmic-ray to a random sample: some mutants of each module, by a fixed seed.

    python tests/mutation/draw.py SESSION [MUTANTS OF EACH MODULE]

Mutants that change nothing at run time are never drawn: those of annotations, docstrings and decorators.
"""

import ast
import random
import sys
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db

SEED, OF_EACH_MODULE = 27, 2


def spans_without_effect(source):
    """Positions, first and after the last, of annotations, docstrings and decorators."""
    nodes = []
    for node in ast.walk(ast.parse(source)):
        nodes += getattr(node, "decorator_list", [])
        nodes += [part for name in ("annotation", "returns") if (part := getattr(node, name, None))]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            nodes.append(node)
    return [((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in nodes]


def main(session, of_each="2"):
    with use_db(session, WorkDB.Mode.open) as database:
        modules = {}
        for item in database.work_items:
            modules.setdefault(str(item.mutations[0].module_path), []).append(item)
        drawn = []
        for path, items in sorted(modules.items()):
            spans = spans_without_effect(Path(path).read_text())
            effective = [
                item
                for item in items
                if not any(first <= item.mutations[0].start_pos < last for first, last in spans)
                and "RemoveDecorator" not in item.mutations[0].operator_name
            ]
            effective.sort(key=lambda item: (item.mutations[0].start_pos, item.mutations[0].operator_name, item.job_id))
            drawn += random.Random(f"{SEED}:{path}").sample(effective, min(int(of_each), len(effective)))
        database.clear()
        database.add_work_items(drawn)
    print(f"{session}: {len(drawn)} mutants of {len(modules)} modules")


if __name__ == "__main__":
    main(*sys.argv[1:])
