"""The program that measures public defects believes no report on other versions than its row names."""

import subprocess
from pathlib import Path

import pytest

from history import measure, pages
from zoocheck.grounds import grounds

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


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (2, ("load", "no such game")),
        (-11, ("load", "making it killed the process with SIGSEGV: no such game")),
        (-9, "the kit ended with code -9: no such game"),
        (1, "the kit ended with code 1: no such game"),
    ],
)
def test_a_crash_is_a_failure_of_the_check_that_made_it(code, said):
    done = subprocess.CompletedProcess([], code, stdout="", stderr="no such game\n")
    report = measure.told(ROW, "true", done)
    found = [(each["check"], each["reason"]) for each in report.get("checks", ())]
    assert [report.get("error"), *found] == ([said] if isinstance(said, str) else [None, said])


def test_every_judgement_names_a_check_and_a_witness_and_stands_on_the_page_of_its_package():
    for name, rows in pages.packages().items():
        page = (pages.PACKAGES / f"{name}.md").read_text()
        assert page == pages.package_page(name, rows), f"run {pages.COMMAND}"
        for subject, judged in rows:
            assert set(judged) <= set(grounds(subject.gymnasium))
            assert all(
                pages.told((pages.WITNESSES / f"{each}.py").read_text()) for each in pages.witnessed(judged) if each
            )
    assert pages.index("packages") in (pages.PACKAGES / "README.md").read_text()
