"""Stored files of every kind, spoilt in hundreds of ways, are refused, named as damaged, or read as they were."""

import os

import pytest
from reading import CALLS, QUICK, Judge
from stored_files import make_all, make_few


def judged(make, names, numbers, tmp_path_factory, monkeypatch):
    """Spoils files and calls what reads them; returns the judge, who must have nothing to complain of."""
    specimens = tmp_path_factory.mktemp("specimens")
    monkeypatch.chdir(specimens)
    make(specimens)
    judge = Judge(specimens, tmp_path_factory.mktemp("work") / "work", names, monkeypatch)
    complaints = [line for number in numbers for line in judge.complaints(number)]
    os.chdir(specimens)
    assert not complaints, "\n" + "\n".join(complaints)
    return judge


def test_spoilt_files_are_refused_or_read_as_they_were(tmp_path_factory, monkeypatch):
    judge = judged(make_few, QUICK, range(15), tmp_path_factory, monkeypatch)
    assert judge.counts[0] > 2
    assert judge.counts[2] > 10


@pytest.mark.slow
def test_files_of_every_kind_spoilt_in_500_ways_are_refused_or_read_as_they_were(tmp_path_factory, monkeypatch):
    judge = judged(make_all, list(CALLS), range(500), tmp_path_factory, monkeypatch)
    print(dict(judge.counts), judge.slowest)
    assert judge.counts[0] > 100
    assert judge.counts[2] > 300
