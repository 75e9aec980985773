"""Every process collects the same tests: workers that differ in a name end the whole run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def names_collected(hash_seed: int) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-m", "", "--wide"]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_names_of_tests_do_not_depend_on_the_hash_seed():
    names = names_collected(1)
    assert len(names) > 4_000
    assert not [name for name in names if " at 0x" in name]
    assert names == names_collected(2) == names_collected(3)
