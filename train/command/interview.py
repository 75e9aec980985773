"""`cardwar interview`: queries an agent for its strategy and measures how far it is from optimal play."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from baselines.estimates import in_words
from train.command.console import (
    AgentSeconds,
    AsJson,
    GameName,
    Words,
    advancing,
    count,
    print_json,
    say,
    say_aside,
    say_identity,
)
from train.words import game_of_words, json_parameters, points

if TYPE_CHECKING:
    from cardwar_envs import Game
    from train.interview.asking import Interviewer

FORMS = ("mix", "move")
# Number of answers after which the remaining time is estimated.
FIRST = 3
# Moves per information state: best responses are computed from a quarter of them and measured on the others.
REPEATS = 200


def interview(
    game: GameName,
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
        typer.Option(parser=count(1), metavar="N", help="Query N states of random play, not all information states."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            parser=count(2),
            metavar="N",
            help="Play N games against the equilibrium; do not query all information states.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    tries: Annotated[int, typer.Option(min=1, help="Stop after this number of invalid answers to one query.")] = 3,
    agent_seconds: AgentSeconds = None,
    as_json: AsJson = False,
) -> None:
    """Query an agent at every information state, store its answers, and compute its exact exploitability."""
    rules = game_of_words(game, words or [])
    asked = _checked(rules, form, repeats, sample, games)
    about = _prepared(rules, asked)
    head = {"game": rules.facts.name, "parameters": json_parameters(rules), "agent": agent, "seed": seed, **asked}
    from train.agents.messages import PROTOCOL
    from train.interview.answers import answers_in
    from train.interview.asking import Interviewer

    with answers_in(folder, {**head, "protocol": PROTOCOL}) as answers:
        if answers.found and not as_json:
            say(f"resumed with {answers.found:,} stored answers")
        with closing(Interviewer(rules, agent, answers, tries)) as who:
            figures = _measured(who, asked, about, seed)
        figures["answers"], figures["invalid_answers"] = len(answers), sum(answers.failures.values())
        figures["about"] = [json.loads(said) for said in answers.abouts()]
    if as_json:
        print_json(rules, agent=agent, **asked, **figures)
        return
    _show(rules, figures)


def _checked(rules: Game[Any], form: str, repeats: int | None, sample: int | None, games: int | None) -> dict[str, Any]:
    """Returns the settings to record; raises a ValueError for conflicting options."""
    if form not in FORMS:
        raise ValueError(f"--form ({form}) must be one of {', '.join(FORMS)}")
    if sample is not None and games is not None:
        raise ValueError(f"--sample ({sample}) cannot be combined with --games ({games})")
    if form == "move" and (sample or games):
        raise ValueError("--form move queries all information states: it cannot be combined with --sample or --games")
    if repeats is not None and form != "move":
        raise ValueError(f"--repeats ({repeats}) requires --form move")
    if (form == "move" or sample or games) and (rules.facts.num_players != 2 or not rules.facts.zero_sum):
        raise ValueError(f"{rules.facts.name} is not two-player zero-sum: use --form mix, without --sample and --games")
    if games is not None or sample is not None:
        return {"games": games} if games is not None else {"sample": sample}
    return {"form": form} | ({"repeats": repeats or REPEATS} if form == "move" else {})


class _Estimate:
    """Forwards progress, and estimates the remaining time after a few answers."""

    def __init__(self, who: Interviewer, bar: Any, total: int) -> None:
        self._answers, self._bar, self._total = who.answers, bar, total
        self._before: tuple[int, float] | None = None

    def __call__(self, done: int) -> None:
        self._bar(done)
        new = len(self._answers) - self._answers.found
        if self._before is None:
            self._before = new, time.monotonic()
        elif self._before[0] >= 0 and new >= self._before[0] + FIRST:
            seconds = (time.monotonic() - self._before[1]) / FIRST * (self._total - done)
            if seconds >= 2:
                say_aside(f"{self._total - done:,} to go: {in_words(seconds)}")
            self._before = -1, 0.0


def _prepared(rules: Game[Any], asked: dict[str, Any]) -> Any:
    """Prepares the interview: returns all information states, or a `Judge` that computes the costs of moves."""
    from train.interview.asking import information_states
    from train.play.judge import Judge
    from train.play.seating import find_equilibrium

    if "form" not in asked:
        with advancing("matrix games") as progress:
            return Judge(find_equilibrium(rules, patient=True, progress=progress))
    states = information_states(rules)
    each = f", {asked['repeats']} times each" if "repeats" in asked else ""
    say_aside(f"{len(states):,} information states to query{each}")
    return states


def _measured(who: Interviewer, asked: dict[str, Any], about: Any, seed: int) -> dict[str, Any]:
    """Queries the agent and computes the figures; `about` is the result of `_prepared`."""
    from train.interview import figures

    what, total = ("information states", len(about)) if "form" in asked else next(iter(asked.items()))
    with advancing(what, total) as bar:
        advance = _Estimate(who, bar, total)
        if "repeats" in asked:
            found = figures.bounds_from_moves(who, about, asked["repeats"], seed, advance)
            bound = {"exploitability_of_frequencies": found.frequencies, "lower_bound": found.bound._asdict()}
            return {"measured": "lower bound", "states": total, **bound}
        if "form" in asked:
            result = figures.exact_from_mixes(who, about, advance)
            two = who.game.facts.num_players == 2 and who.game.facts.zero_sum
            exact = {"exploitability": result.total / 2} if two else {}
            return {"measured": "exact", "states": total, **exact, "nash_conv": result.total}
        if "sample" in asked:
            costs = figures.costs_at_states(who, about, asked["sample"], seed, advance)
            return {"measured": "sampled", "cost_per_decision": figures.interval_of(costs)._asdict()}
        played = figures.costs_in_games(who, about, asked["games"], seed, advance)
    samples = {"cost_per_game": played.costs, "loss_per_game": played.losses}
    intervals = {name: figures.interval_of(values)._asdict() for name, values in samples.items()}
    return {"measured": "sampled", **intervals, "variance_ratio": played.fewer}


def _interval(name: str, interval: dict[str, float]) -> str:
    low, high = points(interval["low"], 4), points(interval["high"], 4)
    return f"{name} {points(interval['mean'], 4)}, about {low} to {high} (99 %, Student's t)"


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
        if ratio < 1e6:
            say(f"From wins and losses alone, an equally narrow interval would need {ratio:.1f} times as many games.")
    invalid = f"; {found['invalid_answers']:,} more were invalid and repeated" if found["invalid_answers"] else ""
    say(f"{found['answers']:,} answers{invalid}")
    for about in found["about"]:
        say(f"the agent's remarks on its answers: {', '.join(f'{name} {value}' for name, value in about.items())}")
