"""Known findings: a JSON file of failures that a project accepts for now, environment -> check -> reason.

An entry covers any failure of its check on its environment, because the time limit can change which failure the check
finds first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from cardwar_envs.conformance.verdicts import FAILED, KNOWN, LITTLE_SEEN, NOT_TRIED, Result

Baseline = dict[str, dict[str, str]]


def read_baseline(path: Path) -> Baseline:
    """Reads the known findings from a file.

    Raises:
        ValueError: If the file cannot be read, or is not a file of known findings.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read as known findings: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise ValueError(f"{path}: known findings must be a JSON object: environment -> check -> reason")
    return {name: {check: str(reason) for check, reason in each.items()} for name, each in found.items()}


def stale(results: Iterable[Result], known: Collection[str], checks: Collection[str]) -> list[str]:
    """The known findings whose check ran without failing, or does not exist."""
    clean = {each.check for each in results if each.status not in (FAILED, KNOWN, LITTLE_SEEN, NOT_TRIED)}
    return [check for check in known if check in clean or check not in checks]


def updated(baseline: Baseline, name: str, results: Iterable[Result], checks: Collection[str]) -> str:
    """The text of the updated file: adds the failures of environment `name` in `results`, drops its stale entries."""
    results = list(results)
    known = baseline.get(name, {})
    gone = stale(results, known, checks)
    found = {each.check: each.reason for each in results if each.status in (FAILED, KNOWN)}
    kept: Mapping[str, str] = {check: reason for check, reason in known.items() if check not in gone} | found
    rest = {other: entries for other, entries in baseline.items() if other != name}
    return json.dumps(rest | ({name: kept} if kept else {}), indent=2, sort_keys=True) + "\n"
