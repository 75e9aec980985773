"""The command `cardwar`: solve and play games, measure and train policies, run studies, reproduce published figures."""

from __future__ import annotations

import os
import sys
import threading
from importlib import import_module
from typing import Annotated

import typer

import cardwar_envs
from train.command.streams import complain, open_standard_streams, unwritten_output
from train.words import in_one_line

# Each is a function of the same name in the module of that name in `train.command`.
COMMANDS = (
    "games",
    "rules",
    "solve",
    "exploit",
    "match",
    "play",
    "watch",
    "levels",
    "train",
    "reproduce",
    "report",
    "playoffs",
    "study",
    "bench",
    "check",
    "new",
    "warmup",
)


def new_app(*commands: str) -> typer.Typer:
    """The program with these commands, whose modules this imports."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(cardwar)
    for name in commands:
        # An algorithm's options are known only once its name has been parsed.
        settings = {"ignore_unknown_options": True} if name == "train" else {}
        app.command(context_settings=settings)(getattr(import_module(f"train.command.{name}"), name))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"cardwar-envs {cardwar_envs.__version__}")
        raise typer.Exit


def cardwar(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Solve and play games, measure and train policies, run studies, reproduce published figures."""


# Module -> the extra that installs it. Any other missing module is one that the user's own game needs.
EXTRAS = {
    **dict.fromkeys(("sb3_contrib", "stable_baselines3", "torch"), "train"),
    "jinja2": "report",
    "matplotlib": "plot",
    "PIL": "render",
    "pygame": "render",
    "ray": "ray",
    "starlette": "play",
    "uvicorn": "play",
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the command; an error is one line on stderr and exit code 2.

    If the environment variable CARDWAR_END_WITH_STDIN is set, the process exits when stdin closes. A study holds the
    other end of each run's stdin, so its runs end when it does.
    """
    open_standard_streams()
    if os.environ.get("CARDWAR_END_WITH_STDIN"):
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        words = sys.argv[1:] if arguments is None else arguments
        app = new_app(*(words[:1] if words and words[0] in COMMANDS else COMMANDS))  # other modules take time to import
        code = app(words or ["--help"], prog_name="cardwar", standalone_mode=False)
        code = code if words else 2
        message = unwritten_output()
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        sys.exit(130)
    except Exception as error:
        message = _message(error) or ""
        if not message:
            raise
        message = unwritten_output() or message  # an unwritable stdout may be the cause
    if message:
        complain(message)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _end_with_stdin() -> None:
    os.read(0, 1)
    os._exit(1)


def _message(error: Exception) -> str | None:
    """One line about an error of the caller or in a file; None for a bug of this program."""
    said = _said(error)
    return said and in_one_line(said)


def _said(error: Exception) -> str | None:
    if hasattr(error, "format_message"):  # typer's own errors
        return str(error.format_message())
    names_its_extra = isinstance(error, ImportError) and error.name in EXTRAS
    if isinstance(error, (ModuleNotFoundError, ValueError, OSError)) or names_its_extra:
        return f"{error}{_extra(error)}"
    if isinstance(error, MemoryError):
        return ": ".join(filter(None, ("not enough memory", str(error))))
    return None


def _extra(error: Exception) -> str:
    """Names the extra that installs a missing module, if that caused the error; else ""."""
    lacking = next((each for each in (error, error.__cause__) if isinstance(each, ModuleNotFoundError)), None)
    extra = lacking and EXTRAS.get((lacking.name or "").split(".")[0])
    return f"; install the extra: pip install 'cardwar-envs[{extra}]'" if extra else ""


if __name__ == "__main__":
    main()
