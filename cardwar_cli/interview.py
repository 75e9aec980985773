"""`cardwar interview`: queries an agent for its strategy and measures how far it is from optimal play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from cardwar_cli.arguments import AgentSeconds, Words, count
from cardwar_cli.console import AsJson, advancing, is_duel, new_table, out, print_json, say, say_aside, say_identity
from cardwar_envs.core.texts import counted
from train.text.game_names import game_from_words, json_parameters
from train.text.printing import points

if TYPE_CHECKING:
    from cardwar_envs import Game
    from cardwar_play.interview import Interviewer
    from train.policies.agent_process import AgentError
    from train.policies.prompt_form import PromptForm

FORMS = ("mix", "move")
# Moves per information state: best responses are computed from a quarter of them and measured on the others.
REPEATS = 200
# Matrix games of each size of a ladder, and the largest size.
RUNGS, MOST_ACTIONS = 20, 20


def interview(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="As for other commands; none with --ladder.")
    ] = None,
    words: Words = None,
    *,
    agent: Annotated[str, typer.Option(metavar="COMMAND", help="The program to query; it is started without a shell.")],
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Folder for the answers; an interrupted interview in it is resumed."),
    ],
    form: Annotated[
        str, typer.Option(help="What the agent must return: mix (the probabilities of its moves) or move (one move).")
    ] = "mix",
    repeats: Annotated[
        int | None,
        typer.Option(parser=count(4), metavar="N", help=f"With --form move: moves per state; default {REPEATS}."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(parser=count(2), metavar="N", help="Query N states of random play, not all information states."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            parser=count(2),
            metavar="N",
            help="Play N games against the equilibrium; do not query all information states.",
        ),
    ] = None,
    ladder: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help=f"Query random matrix games of these sizes, e.g. 2,3,5, not one game; --games of each, or {RUNGS}.",
        ),
    ] = None,
    disguise: Annotated[
        bool,
        typer.Option("--disguise", help="Rename the game's words, labels and cards in prompts, at random by --seed."),
    ] = False,
    hide_moves: Annotated[
        bool, typer.Option("--hide-moves", help="Do not list the legal moves in prompts; they follow from the rules.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    tries: Annotated[int, typer.Option(min=1, help="Stop after this number of invalid answers to one query.")] = 3,
    agent_seconds: AgentSeconds = None,
    as_json: AsJson = False,
) -> None:
    """Query an agent at every information state, store its answers, and compute its exact exploitability."""
    forms = {"disguise": disguise, "hide_moves": hide_moves}
    if (game is None) == (ladder is None):
        raise ValueError("name either a game or --ladder SIZES")
    if ladder is not None:
        if (form, repeats, sample) != ("mix", None, None):
            raise ValueError("--ladder queries probabilities: it cannot be combined with --form, --repeats or --sample")
        _ladder({"ladder": _sizes(ladder), "games": games or RUNGS}, agent, folder, seed, tries, forms, as_json)
        return
    from train.policies.prompt_form import PromptForm

    rules = game_from_words(str(game), words or [])
    settings = _checked(rules, form, repeats, sample, games)
    prompts = PromptForm(rules, seed if disguise else None, hide_moves)
    about = _prepared(rules, settings)
    head = {"game": rules.facts.name, "parameters": json_parameters(rules), "agent": agent, "seed": seed, **settings}
    with _interviewing(folder, {**head, **forms, "names": prompts.names}, prompts, tries) as interviewer:
        say_aside(_queries(settings, about, rules, len(interviewer.answers)))
        figures, ended = _measured(interviewer, settings, about, seed)
        figures |= _counts(interviewer, ended)
        if as_json:
            print_json(rules, agent=agent, **settings, **forms, **figures, **({"ended": str(ended)} if ended else {}))
        else:
            if ended is not None:
                say(f"only the first {figures['completed']:,} are complete:")
            _show(rules, figures)
            _show_counts(figures)
        if ended is not None:
            raise ended


@contextmanager
def _interviewing(folder: Path, head: dict[str, Any], prompts: PromptForm, tries: int) -> Iterator[Interviewer]:
    """Opens the answers in a folder, names their damaged lines, and says how to go on if the agent fails."""
    from cardwar_play.interview import Interviewer, answers_in
    from train.policies.agent_lines import PROTOCOL
    from train.policies.agent_process import AgentError

    with answers_in(folder, {**head, "protocol": PROTOCOL}) as answers:
        if answers.damaged:
            lines = ", ".join(map(str, answers.damaged))
            say_aside(f"{answers.path}: damaged lines, ignored: {lines}; their queries are repeated")
        with closing(Interviewer(prompts, head["agent"], answers, tries)) as interviewer:
            try:
                yield interviewer
            except AgentError as error:
                kept = f"{counted(len(answers), 'answer')} stored in {folder}"
                raise AgentError(f"{error}; {kept}; the same command resumes there") from None


def _counts(interviewer: Interviewer, ended: AgentError | None = None) -> dict[str, Any]:
    """Counts the answers, and how many of them were invalid or needed which leniency."""
    answers = interviewer.answers
    if ended is None:
        answers.require_all_used()
    return {
        "answers": len(answers),
        "invalid_answers": sum(map(len, answers.failures.values())),
        "lenient": dict(sorted(interviewer.lenient.items())),
        "damaged_lines": len(answers.damaged),
        "about": [json.loads(said) for said in interviewer.abouts],
    }


def _sizes(words: str) -> list[int]:
    sizes = [int(size) if size.strip().isdecimal() else 0 for size in words.split(",")]
    if sizes != sorted({*sizes}) or not 2 <= sizes[0] <= sizes[-1] <= MOST_ACTIONS:
        raise ValueError(f"--ladder ({words}) must be ascending sizes from 2 to {MOST_ACTIONS}, for example 2,3,5")
    return sizes


def _ladder(
    settings: dict[str, Any], agent: str, folder: Path, seed: int, tries: int, forms: Any, as_json: bool
) -> None:
    """Queries the agent for both strategies of random matrix games of each size."""
    from cardwar_play.ladder import TOLERANCE, climb, make_rungs

    settings, games, sizes = settings | {"agent": agent, "seed": seed, **forms}, settings["games"], settings["ladder"]
    rungs, rows = {size: make_rungs(size, games, seed, **forms) for size in sizes}, list[dict[str, Any]]()
    with _interviewing(folder, settings, rungs[sizes[0]][0], tries) as interviewer:
        say_aside(f"{2 * games * len(sizes):,} queries: both seats of {games:,} games of each size")
        for size in sizes:
            with advancing(f"games of {size} x {size}", games) as bar:
                rows.append({"size": size, **climb(interviewer, rungs[size], bar)})
        counts = _counts(interviewer)
    if as_json:
        print(json.dumps({**settings, "measured": "exact", "tolerance": TOLERANCE, "rows": rows, **counts}))
        return
    table = new_table(f"{games} games of each size", "size", "answered", "right", "mean exploitability", "of uniform")
    for row in rows:
        means = (points(row.get(name), 3) for name in ("exploitability", "uniform"))
        table.add_row(f"{row['size']}x{row['size']}", str(row["answered"]), f"{row['right']:.0%}", *means)
    out.print(table)
    say(f"right: an exploitability of at most {TOLERANCE:g} points, 1 % of the range of payoffs")
    say("figures are exact for these games, which have no pure equilibrium; a game without valid answers is not right")
    _show_counts(counts)


def _checked(rules: Game[Any], form: str, repeats: int | None, sample: int | None, games: int | None) -> dict[str, Any]:
    """Returns the settings to record; raises a ValueError for conflicting options."""
    if form not in FORMS:
        raise ValueError(f"--form ({form}) must be one of {', '.join(FORMS)}")
    options = {"--form move": form == "move", "--sample": sample, "--games": games}
    chosen = [option for option, given in options.items() if given]
    if len(chosen) > 1:
        raise ValueError(f"{chosen[0]} cannot be combined with {chosen[1]}")
    if repeats is not None and form != "move":
        raise ValueError(f"--repeats ({repeats}) requires --form move")
    if chosen and not is_duel(rules):
        raise ValueError(f"{rules.facts.name} is not two-player zero-sum: use --form mix, without --sample and --games")
    if games is not None or sample is not None:
        return {"games": games} if games is not None else {"sample": sample}
    return {"form": form} | ({"repeats": repeats or REPEATS} if form == "move" else {})


def _queries(settings: dict[str, Any], about: Any, game: Game[Any], found: int) -> str:
    """Says how many queries the interview makes, before the first one; `found` answers are already stored."""
    number, times = f"{len(about):,} information states" if "form" in settings else "", ""
    if "games" in settings:
        number = f"{counted(settings['games'], 'game')} of up to {counted(game.facts.max_length, 'decision')}"
    elif "sample" in settings:
        number = counted(settings["sample"], "state")
    elif "repeats" in settings:
        times = f", {settings['repeats']} times each"
    return f"{number} to query{times}" + (f"; resumed with {counted(found, 'stored answer')}" if found else "")


def _prepared(rules: Game[Any], settings: dict[str, Any]) -> Any:
    """Prepares the interview: returns all information states, or a `Judge` that computes the costs of moves."""
    from cardwar_play.judge import Judge
    from cardwar_play.seating import find_equilibrium
    from train.policies.table_files import information_states

    if "form" in settings:
        return information_states(rules)
    with advancing("matrix games") as progress:
        return Judge(find_equilibrium(rules, progress))


def _measured(
    interviewer: Interviewer, settings: dict[str, Any], about: Any, seed: int
) -> tuple[dict[str, Any], AgentError | None]:
    """Queries the agent and computes the figures; `about` comes from `_prepared`.

    Returns:
        The figures, and the error that ended a sample early; other errors of the agent are raised.
    """
    from cardwar_play import interview_figures as figures

    if "form" not in settings:
        return _sampled(interviewer, settings, about, seed)
    with advancing("queries", len(about) * settings.get("repeats", 1)) as bar:
        if "repeats" in settings:
            frequencies, bound = figures.bounds_from_moves(interviewer, about, settings["repeats"], seed, bar)
            found = {"exploitability_of_frequencies": frequencies, "lower_bound": bound._asdict()}
            return {"measured": "lower bound", "states": len(about), **found}, None
        result = figures.exact_from_mixes(interviewer, about, bar)
    exact = {"exploitability": result.total / 2} if is_duel(interviewer.form.game) else {}
    return {"measured": "exact", "states": len(about), **exact, "nash_conv": result.total}, None


def _sampled(
    interviewer: Interviewer, settings: dict[str, Any], about: Any, seed: int
) -> tuple[dict[str, Any], AgentError | None]:
    from cardwar_play import interview_figures as figures
    from train.policies.agent_process import AgentError

    (what, total), ended, rows = next(iter(settings.items())), None, list[Any]()
    sampled = figures.costs_in_games if what == "games" else figures.costs_at_states
    with advancing(what, total) as bar:
        try:
            for row in sampled(interviewer, about, total, seed):
                rows.append(row)
                bar(len(rows))
        except AgentError as error:
            if len(rows) < 2:
                raise
            ended = error
    samples = np.array(rows)
    found: dict[str, Any] = {"measured": "sampled", "completed": len(rows)}
    found |= {
        name: interval._asdict()
        for name, interval in figures.intervals_of(interviewer.form.game, about, samples).items()
    }
    if what == "games":
        costs, losses = samples.var(axis=0)
        found["variance_ratio"] = float(losses / costs) if costs else None
    return found, ended


def _interval(name: str, interval: dict[str, float]) -> str:
    low, high = points(interval["low"], 4), points(interval["high"], 4)
    return f"{name} {points(interval['mean'], 4)}, {low} to {high} (99 %, empirical Bernstein interval)"


def _show(rules: Game[Any], found: dict[str, Any]) -> None:
    if found["measured"] == "exact":
        if "exploitability" in found:
            say(f"exploitability {points(found['exploitability'])} (exact, for the probabilities that it stated)")
        say(f"NashConv {points(found['nash_conv'])}")
        say_identity(rules)
    elif found["measured"] == "lower bound":
        low = points(max(found["lower_bound"]["low"], 0.0), 4)
        say(f"LOWER BOUND: exploitability is at least {low} (99 % confidence, if answers are independent)")
        frequencies = points(found["exploitability_of_frequencies"], 4)
        say(f"exploitability of its move frequencies: {frequencies}, on average higher than that of its strategy")
    elif "cost_per_decision" in found:
        say(_interval("mean cost per decision in random play:", found["cost_per_decision"]))
    else:
        say(_interval("mean cost per game:", found["cost_per_game"]))
        say(_interval("mean loss per game:", found["loss_per_game"]))
        ratio = found["variance_ratio"]
        if ratio is not None and ratio < 1e6:
            say(f"The variance of losses is {ratio:.1f} times that of costs.")


def _show_counts(found: dict[str, Any]) -> None:
    from train.policies.agent_lines import lenient_in_words

    invalid = f"; {found['invalid_answers']:,} more were invalid" if found["invalid_answers"] else ""
    damaged = f"; {counted(found['damaged_lines'], 'damaged line')} ignored" if found["damaged_lines"] else ""
    say(f"{found['answers']:,} answers{invalid}{damaged}")
    if found["lenient"]:
        say(lenient_in_words(found["lenient"]))
    for about in found["about"]:
        say(f"the agent's remarks on its answers: {', '.join(f'{name} {value}' for name, value in about.items())}")
