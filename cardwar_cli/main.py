"""The command `cardwar`: solves and plays games, measures and trains policies, and reproduces published figures."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cardwar_cli.streams import INTERRUPTED, complain, open_standard_streams, unwritten_output

AGENT = "python3 my_agent.py"
# Command -> its heading in the help, an example, and the module of this package whose function has the command's name.
COMMANDS = {
    "games": ("Look", "cardwar games", "look"),
    "rules": ("Look", "cardwar rules war ranks=6", "look"),
    "solve": ("Measure", 'cardwar solve jujitsu num_cards=5 --state "hands=1,3/2,3 score=1"', "solve"),
    "equilibria": ("Measure", "cardwar equilibria lowest_unique payoff=prize --kind symmetric", "equilibria"),
    "export": ("Measure", "cardwar export jujitsu num_cards=2 --out jujitsu.tex", "equilibria"),
    "exploit": ("Measure", "cardwar exploit jujitsu num_cards=5 --policy uniform", "exploit"),
    "interview": ("Measure", f'cardwar interview jujitsu num_cards=3 --agent "{AGENT}" --out asked', "interview"),
    "match": ("Measure", "cardwar match jujitsu num_cards=5 level:3 uniform", "match"),
    "judge": ("Measure", "cardwar judge games.jsonl --out judged", "judge"),
    "play": ("Play", "cardwar play jujitsu num_cards=5 --against level:3 --web", "play"),
    "page": ("Play", "cardwar page jujitsu num_cards=5 --out jujitsu.html", "play"),
    "watch": ("Look", "cardwar watch jujitsu num_cards=5 level:3 uniform", "watch"),
    "levels": ("Look", "cardwar levels", "look"),
    "train": ("Train", "cardwar train jujitsu num_cards=3 --algorithm cfr_plus --steps 1000", "train"),
    "reproduce": ("Measure", "cardwar reproduce rauscher-2017", "laboratory"),
    "report": ("Train", "cardwar report runs --out report.html", "study"),
    "playoffs": ("Measure", "cardwar playoffs jujitsu num_cards=5 uniform level:1 level:3", "playoffs"),
    "study": ("Train", "cardwar study studies/quick.toml --jobs 2", "study"),
    "standings": ("Train", "cardwar standings verify", "standings"),
    "bench": ("Measure", "cardwar bench --quick", "laboratory"),
    "check": ("Your own", "cardwar check jujitsu num_cards=3", "check"),
    "new": ("Your own", "cardwar new thermostat", "own_game"),
    "warmup": ("Your own", "cardwar warmup jujitsu", "own_game"),
}
# Commands that can resume after an interrupt if they are repeated, with the options that resuming needs.
RESUMED = {"train": "--resume", "study": "", "interview": "", "exploit": "--resume", "solve": ""}
NEEDED_TO_RESUME = {"exploit": "--approximate", "solve": "--cache"}


class _Grouped(TyperGroup):
    """Lists commands by purpose, with their full summaries."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for heading in dict.fromkeys(heading for heading, *_ in COMMANDS.values()):
            names = [name for name in self.commands if COMMANDS[name][0] == heading]
            rows = [(name, self.commands[name].get_short_help_str(limit=200)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=10)


def new_app(*commands: str) -> typer.Typer:
    """Makes the program with these commands, importing their modules; without names, with help for all commands."""
    app = typer.Typer(cls=_Grouped, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(cardwar)
    for name in commands:
        # The options of an algorithm, or of zoocheck, are parsed later.
        settings = {"ignore_unknown_options": True} if name in ("train", "check") else {}
        function, example = function_of(name), f"Example: {COMMANDS[name][1]}"
        if isinstance(group := getattr(import_module(function.__module__), "GROUP", None), typer.Typer):
            app.add_typer(group, name=name, epilog=example)
        else:
            app.command(context_settings=settings, epilog=example)(function)
    for name in () if commands else COMMANDS:
        app.command(name, help=_help_of(name))(lambda: None)
    return app


def function_of(name: str) -> Callable[..., Any]:
    """Imports the function of a command."""
    function: Callable[..., Any] = getattr(import_module(f"cardwar_cli.{COMMANDS[name][2]}"), name)
    return function


def _help_of(name: str) -> str:
    """Reads a command's docstring without importing its module; importing all of them would take half a second."""
    source = Path(__file__).with_name(f"{COMMANDS[name][2]}.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    return next(ast.get_docstring(node) or "" for node in functions if node.name == name)


def _print_version(wanted: bool) -> None:
    if wanted:
        import cardwar_envs

        print(f"cardwar-envs {cardwar_envs.__version__}")
        raise typer.Exit


def cardwar(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Solve and play games, measure and train policies, run studies, reproduce published figures."""


# Module -> the extra that installs it. Any other missing module must belong to the user's own game.
EXTRAS = {
    **dict.fromkeys(("sb3_contrib", "stable_baselines3", "torch"), "train"),
    "jinja2": "report",
    "quantecon": "equilibria",
    "matplotlib": "plot",
    "onnxruntime": "onnx",
    "PIL": "render",
    "pygame": "render",
    "ray": "ray",
    "starlette": "play",
    "uvicorn": "play",
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the command; an error is one line on stderr and exit code 2.

    If the environment variable CARDWAR_END_WITH_STDIN is set, the process exits when stdin closes. A study holds the
    other end of each run's stdin, so the runs end when the study ends.
    """
    open_standard_streams()
    if os.environ.get("CARDWAR_END_WITH_STDIN"):
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        app = new_app(*(word for word in words[:1] if word in COMMANDS))  # other modules take time to import
        with _warnings_in_lines():
            code = app(words or ["--help"], prog_name="cardwar", standalone_mode=False)
        code = code if words else 2
        message = unwritten_output()
        if code == INTERRUPTED and (how := _how_to_resume(words)):
            complain(how)
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except Exception as error:
        message = _message(error) or ""
        if not message:
            raise
        message = unwritten_output() or message  # an unwritable stdout may be the cause
    if message:
        complain(message)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Prints each warning as one line; those that differ only in their counts, once."""
    with warnings.catch_warnings():
        said = set[str]()

        def show(message: Warning | str, *place: Any) -> None:
            uncounted = re.sub(r"\b[\d,]+ of the [\d,]+\b", "", str(message))
            if uncounted not in said:
                said.add(uncounted)
                complain(f"warning: {' '.join(str(message).split())}")

        warnings.showwarning = show  # type: ignore[assignment]  # its other arguments are the place
        yield


def _how_to_resume(words: list[str]) -> str:
    command = words[0] if words else ""
    if command not in RESUMED or NEEDED_TO_RESUME.get(command, command) not in {word.split("=")[0] for word in words}:
        return ""
    more = [RESUMED[command]] if RESUMED[command] and RESUMED[command] not in words else []
    return f"interrupted; resume with: {shlex.join(['cardwar', *words, *more])}"


def _end_with_stdin() -> None:
    os.read(0, 1)
    os._exit(1)


def _message(error: Exception) -> str | None:
    """One line that describes a caller's error or a damaged file; None if the error is a bug in this program."""
    from train.text.printing import in_one_line

    said = _said(error)
    return said and in_one_line(said)


def _said(error: Exception) -> str | None:
    if hasattr(error, "format_message"):  # typer's own errors
        unknown = str(getattr(error, "option_name", "")).lstrip("-")
        hint = f"; a parameter of the game is written {unknown}=VALUE" if "_" in unknown else ""
        return f"{error.format_message()}{hint}"
    names_its_extra = isinstance(error, ImportError) and error.name in EXTRAS
    if isinstance(error, (ModuleNotFoundError, ValueError, OSError)) or names_its_extra:
        return f"{error}{_extra(error)}"
    if isinstance(error, MemoryError):
        return ": ".join(filter(None, ("not enough memory", str(error))))
    return None


def _extra(error: Exception) -> str:
    """Names the extra that installs a missing module, if that caused the error; else ""."""
    lacking = next((cause for cause in (error, error.__cause__) if isinstance(cause, ModuleNotFoundError)), None)
    extra = lacking and EXTRAS.get((lacking.name or "").split(".")[0])
    named = "pip install" in str(error)
    return f"; install the extra: pip install 'cardwar-envs[{extra}]'" if extra and not named else ""


if __name__ == "__main__":
    main()
