"""The list of mutants outlives changes of the code, and a run that was killed goes on."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="the extra `mutants` is not installed")


@pytest.fixture
def program():
    spec = importlib.util.spec_from_file_location("mutants", Path(__file__).with_name("mutants.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("a = 1 < 2\nb = 3 < 4\n", (2, 1)),
        ("import os\na = 0\n\nif a:\n    b = 3 < 4\n", (5, 0)),
        ("b = 3 < 4\n\n\na = 1 < 2\nb = 3 < 4\n", (1, 0)),
        ("a = 1 < 2\nb = 3 < 5\n", None),
        ("", None),
        (None, None),
    ],
    ids=["as drawn", "moved", "the nearest of two", "rewritten", "empty", "removed"],
)
def test_a_mutant_is_found_where_its_line_is_now(program, tmp_path, source, place):
    operator = "core/ReplaceComparisonOperator_Lt_GtE"
    drawn = {"path": "it.py", "operator": operator, "text": "b = 3 < 4", "line": 2, "occurrence_in_line": 0}
    if source is not None:
        (tmp_path / "it.py").write_text(source)
    found = program.located(drawn, tmp_path)
    assert (found and (found["line"], found["occurrence"])) == place


def test_a_run_that_was_killed_goes_on_with_what_was_not_tried(program, tmp_path, monkeypatch):
    tried = []

    def try_or_die(mutant, *_):
        tried.append(mutant["line"])
        if tried == [1, 2]:
            raise KeyboardInterrupt
        return program.WorkResult(program.WorkerOutcome.NORMAL, "", program.TestOutcome.KILLED, "")

    monkeypatch.setattr(program, "BUILD", tmp_path)
    monkeypatch.setattr(program, "try_mutant", try_or_die)
    mutants = {
        str(line): {"path": "it.py", "operator": "core/AddNot", "occurrence": 0, "line": line} for line in (1, 2, 3)
    }
    folders = program.SimpleQueue()
    folders.put(tmp_path)
    arguments = ("default", mutants, folders, tmp_path, {}, float("inf"), 1)
    with pytest.raises(KeyboardInterrupt):
        program.run_session(*arguments)
    assert program.run_session(*arguments).keys() == mutants.keys()
    assert sorted(tried) == [1, 2, 2, 3]  # what was being tried when it was killed is tried once more
