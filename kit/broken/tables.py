"""What the kit caught, as Markdown."""

from collections import Counter

from broken.catalogue import Broken, Kind
from broken.markdown import table


def failed(result):
    """The checks that failed, in the kit's order."""
    return [check for check, status, _ in result["results"] if status == "failed"]


def noted(result):
    return [check for check, status, _ in result["results"] if status == "note"]


def verdict(result):
    """What the kit said in a few words."""
    if result["end"] != "done":
        return {"time": "over the time limit", "crash": "the kit crashed"}[result["end"]]
    return ", ".join(failed(result)) or ", ".join(f"{check} (noted)" for check in noted(result)) or "nothing"


def of(environments, wanted):
    return {name: each for name, each in environments.items() if wanted(each)}


def broken_of(environments):
    return of(environments, lambda each: isinstance(each, Broken))


def healthy_of(environments):
    return of(environments, lambda each: not isinstance(each, Broken))


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)"


def caught(environments, results):
    """By class of defect: how many, how many caught, and by which checks."""
    rows = []
    for kind in Kind:
        names = of(broken_of(environments), lambda each, kind=kind: each.kind is kind)
        hits = [name for name in names if failed(results[name])]
        checks = Counter(check for name in hits for check in failed(results[name]))
        by = ", ".join(f"`{check}` {count}" for check, count in checks.most_common())
        rows.append([kind.value, len(names), len(hits), by])
    names = broken_of(environments)
    hits = sum(bool(failed(results[name])) for name in names)
    return table(["class of defect", "environments", "caught", "by"], [*rows, ["all", len(names), hits, ""]])


def missed(environments, results):
    """The broken environments in which no check failed, also those that some check noted."""
    rows = []
    for name, each in broken_of(environments).items():
        if not failed(results[name]):
            defect = " ".join(each.game.__doc__.split())
            rows.append([f"`{name}`", each.kind.value, " and ".join(each.skins.broken), verdict(results[name]), defect])
    return table(["environment", "class of defect", "broken in", "the kit says", "defect"], rows)


def healthy(environments, results):
    """What the kit says of healthy environments, where it says anything."""
    rows = [
        [f"`{name}`", each.says or "no fault", verdict(results[name])]
        for name, each in healthy_of(environments).items()
        if verdict(results[name]) != "nothing"
    ]
    return table(["environment", "what is true of it", "the kit says"], rows)


def summary(environments, results):
    """The figures in sentences."""
    names, fine = broken_of(environments), healthy_of(environments)
    hits = sum(bool(failed(results[name])) for name in names)
    only = sum(bool(noted(results[name])) and not failed(results[name]) for name in names)
    ours = [name for name, each in fine.items() if not each.says]
    alarms = [name for name in ours if failed(results[name]) or results[name]["end"] != "done"]
    seconds = sum(result["seconds"] for result in results.values())
    counts = f"{share(hits, len(names))}; only noted: {only}; missed: {len(names) - hits - only}"
    return (
        f"Caught: {counts}. False alarms: {share(len(alarms), len(ours))} on healthy environments. "
        f"The kit took {seconds / 60:.0f} minutes of processes for {len(results)} environments."
    )


SECTIONS = {"summary": summary, "caught": caught, "missed": missed, "healthy": healthy}


def section(environments, results, part):
    return SECTIONS[part](environments, results)
