"""The program that measures public defects believes no report on other versions than its row names."""

from pathlib import Path

import pytest

from tests.history import measure

ROW = measure.Defect("wrong", "", "pettingzoo", "1.22.4", "1.23.0", "env", sign="wrong", pins=("numpy==1.26.4",))
NAMED = {"pettingzoo": "1.22.4", "numpy": "1.26.4"}


@pytest.mark.parametrize(
    ("loaded", "said"),
    [
        (NAMED, "caught"),
        (NAMED | {"pettingzoo": "1.27.0"}, "pettingzoo 1.27.0 was loaded instead of 1.22.4"),
        (NAMED | {"numpy": "2.0.0"}, "numpy 2.0.0 was loaded instead of 1.26.4"),
        ({}, "pettingzoo ? was loaded instead of 1.22.4"),
    ],
)
def test_a_row_fails_if_the_child_loaded_other_versions(monkeypatch, tmp_path, loaded, said):
    monkeypatch.setattr(measure, "BUILD", tmp_path)
    failure = {"check": "ends_are_final", "status": "failed", "reason": "wrong"}
    monkeypatch.setattr(measure, "checked", lambda *_: {"versions": loaded, "checks": [failure]})
    assert measure.verdict(ROW, measure.stored(ROW, "1.22.4", Path("kit/wheel.whl")), {}) == said
