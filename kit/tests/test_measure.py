"""The measurement: a sample of it anew, against the page; going on where it was; the limit of time; its tables."""

import json
import random

import pytest

from broken import measure, tables
from broken.catalogue import all_broken, all_healthy
from broken.environments import EVERY
from broken.markdown import SECTION

HEALTHY = all_healthy()
OWN = all_broken() | HEALTHY
PAGE = (measure.ROOT / "docs" / "measured.md").read_text()
PARTS = {found["part"]: found["body"] for found in SECTION.finditer(PAGE) if found["command"] == "make broken"}


def result(name, *checks, end="done"):
    results = [[check, "failed", "why"] for check in checks] + [["another", "passed", ""]]
    return {"name": name, "seconds": 1.0, "end": end, "results": results if end == "done" else []}


@pytest.mark.parametrize("name", random.Random(1).sample(sorted(OWN), 1))
def test_the_kit_says_what_the_page_says_that_it_says(name):
    fails = any(status == "failed" for _, status, _ in measure.checked(name, OWN[name], games=16))
    if name in HEALTHY:
        assert fails <= (f"`{name}`" in PARTS["healthy"])
    else:
        assert fails == (f"`{name}`" not in PARTS["missed"])


def test_a_run_goes_on_where_it_was_and_begins_anew_for_another_kit(tmp_path, monkeypatch):
    runs = []

    def measured(name, each, seconds):
        runs.append(name)
        name, source, kit = measure.key_of(name, each)
        return {**result(name, "some_check"), "source": source, "kit": kit}

    monkeypatch.setattr(measure, "measured", measured)
    some = {name: EVERY[name] for name in ("Bidding", "Uuid", "SeedIgnored")}
    path = tmp_path / "of" / "results.jsonl"
    first = measure.measure(some, path, processes=1, seconds=9)
    path.write_text(path.read_text()[:-20])  # killed while the last line was written
    assert measure.measure(some, path, processes=1, seconds=9) == first
    assert runs == [*some, "SeedIgnored"]
    monkeypatch.setattr(measure, "kit_digest", lambda: "another kit")
    measure.measure(some, path, processes=1, seconds=9)
    assert runs[4:] == list(some)


def test_a_run_over_the_limit_is_ended():
    ended = measure.measured("Bidding", EVERY["Bidding"], seconds=0.01)
    assert ended["end"] == "time"
    assert json.loads(json.dumps(ended))["results"] == []


def test_tables_count_what_failed():
    some = {name: EVERY[name] for name in ("SeedIgnored", "ZeroIsNoSeed", "Bidding", "Uuid", "Lowest")}
    results = {
        "SeedIgnored": result("SeedIgnored", "a", "b"),
        "ZeroIsNoSeed": result("ZeroIsNoSeed", end="time"),
        "Bidding": result("Bidding", "a"),
        "Uuid": result("Uuid", "a"),
        "Lowest": result("Lowest"),
    }
    assert "| seeds and options | 2 | 1 | `a` 1, `b` 1 |" in tables.caught(some, results)
    missed = "| `ZeroIsNoSeed` | seeds and options | aec and parallel | over the time limit |"
    assert missed in tables.missed(some, results)
    assert "| `Bidding` | no fault | a |" in tables.healthy(some, results)
    assert "`Lowest`" not in tables.healthy(some, results)
    assert tables.summary(some, results).startswith(
        "Caught: 1 of 2 (50.0 %); only noted: 0; missed: 1. False alarms: 1 of 2 (50.0 %)"
    )
