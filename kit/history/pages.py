"""Writes the pages for maintainers: docs/pettingzoo.md, and in docs/packages a page for each package judged.

    python -m history.pages [PYTHON WITNESS ...]

With arguments, it first runs these witnesses with that Python, and keeps what they print in `witnesses`.
"""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from broken.markdown import rewrite, table
from broken.pages import cited
from history import landscape, official
from zoocheck.grounds import ERROR, grounds

DOCS, FOLDER = Path(__file__).parents[1] / "docs", Path(__file__).parent
PACKAGES, WITNESSES = DOCS / "packages", FOLDER / "witnesses"
COMMAND = "python -m history.pages"


def run(python, names):
    """Runs witnesses and keeps what they print."""
    for name in names:
        done = subprocess.run(
            [python, WITNESSES / f"{name}.py"], capture_output=True, text=True, timeout=300, check=False
        )
        print(f"{name}: exit code {done.returncode} {done.stderr[-300:] if done.returncode > 0 else ''}")
        (WITNESSES / f"{name}.txt").write_text(done.stdout)


def told(source):
    """The parts of a script: what its docstring says, and the code below it."""
    tree = ast.parse(source)
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip("\n")
    return ast.get_docstring(tree), code


def witnessed(judged):
    """Witness -> the checks that failed because of what it shows; "" for those with a reason of their own."""
    found = defaultdict(list)
    for check, words in judged.items():
        found[words.partition("(W/")[2].partition(".py)")[0]].append(check)
    return found


def package_page(name, rows):
    """The page of one package."""
    version = rows[0][0].bad
    lines = [f"# {name} {version}\n"]
    titles = "; ".join(subject.title for subject, _ in rows)
    lines.append(f"[zoocheck](../../README.md) was run on: {titles}. Each script below needs only the package.\n")
    findings = defaultdict(dict)
    for subject, judged in rows:
        for witness, checks in witnessed(judged).items():
            findings[witness] |= {check: grounds(subject.gymnasium)[check] for check in checks if check in judged}
    for witness, rests in findings.items():
        if witness:
            lines.append(finding(witness, rests))
    if not any(findings):
        lines.append("No check failed.\n")
    return "\n".join(lines)


def finding(witness, rests):
    """A section: what is wrong, the sentences that it breaks, a script and what that prints."""
    said, code = told((WITNESSES / f"{witness}.py").read_text())
    head, _, text = said.partition("\n\n")
    title = " ".join(head.split()).partition(": ")[2].rstrip(".")
    breaks = dict.fromkeys(f"- {ground.severity}, {cited(ground)}" for ground in rests.values())
    printed = WITNESSES / f"{witness}.txt"
    output = f"It prints:\n\n```text\n{printed.read_text().strip()}\n```\n" if printed.exists() else ""
    sentences = "\n".join(breaks)
    title = title[0].upper() + title[1:] if title.partition(" ")[0].isalpha() else title
    return f"## {title}\n\n{text}\n\n{sentences}\n\n```python\n{code}\n```\n\n{output}"


def packages():
    """Package -> its environments, each with its judgements."""
    found = defaultdict(list)
    for subject, judged in landscape.subjects():
        found[subject.package].append((subject, judged))
    return dict(sorted(found.items()))


def index(part):
    """The table of all packages."""
    assert part == "packages"
    rows = []
    for name, judged in packages().items():
        rests = [grounds(subject.gymnasium)[check].severity for subject, checks in judged for check in checks]
        errors = rests.count(ERROR)
        library = "Gymnasium" if judged[0][0].gymnasium else "PettingZoo"
        titles = "; ".join(subject.title for subject, _ in judged)
        rows.append([f"[{name}]({name}.md) {judged[0][0].bad}", library, titles, errors, len(rests) - errors])
    return table(["package", "library", "environments", "errors", "warnings"], rows)


def passing(part):
    """What PettingZoo's tests pass: what is wrong, and what a script prints."""
    assert part == "environments"
    sections = []
    for kind in official.BROKEN[1:]:
        why = " ".join(kind.__doc__.split())
        sections.append(f"- `{kind.__name__}` passes {official.passed(kind)}. {why} It shows {kind().witness()}")
    return "\n".join(sections)


def main(words):
    if words:
        run(words[0], words[1:])
    for name, rows in packages().items():
        (PACKAGES / f"{name}.md").write_text(package_page(name, rows))
    for path, section in ((PACKAGES / "README.md", index), (DOCS / "pettingzoo.md", passing)):
        path.write_text(rewrite(path.read_text(), COMMAND, section))


if __name__ == "__main__":
    main(sys.argv[1:])
