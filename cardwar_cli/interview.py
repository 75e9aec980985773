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
    if sample is not None and (ladder or games):
        raise ValueError(f"--sample ({sample}) cannot be combined with --games or --ladder")
    if ladder is not None:
        _ladder({"ladder": _sizes(ladder), "games": games or RUNGS}, agent, folder, seed, tries, forms, as_json)
        return
    from train.policies.prompt_form import PromptForm

    rules = game_from_words(str(game), words or [])
    settings = {name: number for name, number in (("sample", sample), ("games", games)) if number is not None}
    if settings and not is_duel(rules):
        raise ValueError(f"{rules.facts.name} is not two-player zero-sum: --sample and --games do not apply")
    prompts = PromptForm(rules, seed if disguise else None, hide_moves)
    about = _prepared(rules, settings)
    head = {"game": rules.facts.name, "parameters": json_parameters(rules), "agent": agent, "seed": seed, **settings}
    with _interviewing(folder, {**head, **forms, "names": prompts.names}, prompts, tries) as interviewer:
        say_aside(_queries(settings, about, rules, len(interviewer.answers)))
        figures, ended = (
            _sampled(interviewer, settings, about, seed) if settings else (_exact(interviewer, about), None)
        )
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


def _queries(settings: dict[str, Any], about: Any, game: Game[Any], found: int) -> str:
    """Says how many queries the interview makes, before the first one; `found` answers are already stored."""
    if "games" in settings:
        number = f"{counted(settings['games'], 'game')} of up to {counted(game.facts.max_length, 'decision')}"
    elif "sample" in settings:
        number = counted(settings["sample"], "state")
    else:
        number = counted(len(about), "information state")
    return f"{number} to query" + (f"; resumed with {counted(found, 'stored answer')}" if found else "")


def _prepared(rules: Game[Any], settings: dict[str, Any]) -> Any:
    """Prepares the interview: returns all information states, or a `Judge` that computes the costs of moves."""
    from cardwar_play.judge import Judge
    from cardwar_play.seating import find_equilibrium
    from train.policies.table_files import information_states

    if not settings:
        return information_states(rules)
    with advancing("matrix games") as progress:
        return Judge(find_equilibrium(rules, progress))


def _exact(interviewer: Interviewer, states: Any) -> dict[str, Any]:
    from cardwar_play.interview_figures import exact_from_mixes

    with advancing("queries", len(states)) as bar:
        result = exact_from_mixes(interviewer, states, bar)
    exact = {"exploitability": result.total / 2} if is_duel(interviewer.form.game) else {}
    return {"measured": "exact", "states": len(states), **exact, "nash_conv": result.total}


def _sampled(
    interviewer: Interviewer, settings: dict[str, Any], judge: Any, seed: int
) -> tuple[dict[str, Any], AgentError | None]:
    """Returns the figures, and the error that ended the sample early, if one did."""
    from cardwar_play import interview_figures as figures
    from train.policies.agent_process import AgentError

    (what, total), ended, rows = next(iter(settings.items())), None, list[Any]()
    sampled = figures.costs_in_games if what == "games" else figures.costs_at_states
    with advancing(what, total) as bar:
        try:
            for row in sampled(interviewer, judge, total, seed):
                rows.append(row)
                bar(len(rows))
        except AgentError as error:
            if len(rows) < 2:
                raise
            ended = error
    samples = np.array(rows)
    intervals = figures.intervals_of(interviewer.form.game, judge, samples).items()
    found: dict[str, Any] = {name: interval._asdict() for name, interval in intervals}
    found |= {"measured": "sampled", "completed": len(rows)}
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
