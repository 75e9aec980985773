"""`kill -9` at any moment: nothing is lost, doubled or broken.

`tests/train/test_run.py` and `tests/train/test_cli_solve.py` have the small versions: a kill before every
single write, kills of one process, a kill in the middle of a layer.
"""

import pytest
from forked import run_program

KILLS = 20


@pytest.mark.soak
def test_what_is_killed_again_and_again_ends_like_what_is_not(tmp_path):
    answer = run_program("program_kills.py", tmp_path, KILLS)
    trained, solved = answer["train"], answer["solve"]
    assert trained["code"] == 0, trained["errors"]
    assert trained["rows"] == trained["unbroken"]
    assert trained["left"] == []
    assert trained["progress"] == sorted(trained["progress"]), "no row is lost"
    assert len(set(trained["progress"])) > 2, "it was killed in the middle"
    assert all(solved["same"])
    assert len(set(solved["layers"])) > 3, "it was killed in the middle"
