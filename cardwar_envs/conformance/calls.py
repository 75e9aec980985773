"""Checks of the order in which agents act, and of calls at the wrong time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from cardwar_envs.conformance.archive import Route
from cardwar_envs.conformance.explore import routes
from cardwar_envs.conformance.kinds import AECPlay, Turn
from cardwar_envs.conformance.look import captured_output
from cardwar_envs.conformance.play import is_converted, seats
from cardwar_envs.conformance.subject import Api, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted

SEEDS = range(3)
MOST_STEPS = 240


def seats_are_asked_in_order(subject: Subject) -> None:
    """In each turn every agent with a choice is selected once, in the order of `agents`.

    Code that collects a joint action agent by agent, such as `aec_to_parallel`, relies on this. An order that varies
    between turns is noted.

    Example: `agent_selection` returns to an agent that has committed, before the others have.
    Fix: Use PettingZoo's `AgentSelector` over the live agents.
    """
    api = subject.api("AEC")
    if not subject.simultaneous():
        raise NotApplicable("the metadata does not set is_parallelizable, so moves count as sequential")
    orders = []
    for seed in SEEDS:
        play = api.game(seed)
        for turn in _turns(play):
            places = [seats(play.env).index(agent) for agent in turn.asked]
            orders += [places == sorted(places)] * (len(places) > 1)
    if orders and not any(orders):
        raise Failed("AEC: in no turn are the agents selected in the order of `agents`")
    if not all(orders):
        raise Noted("AEC: the agents are not always selected in the order of `agents`, as aec_to_parallel expects")


def _turns(play: AECPlay) -> Iterator[Turn]:
    """Yields the turns of a game, each when the next one begins."""
    turn: Turn | None = None
    while play.goes_on():
        agent = play.env.agent_selection
        where = f"{play.where}, step {len(play.played) + 1}"
        if agent not in play.env.agents:
            raise Failed(f"{where}: {agent} is selected, but not in `agents`")
        now = None if play.dead(agent) else Turn.of(play, turn)
        if turn is not None and now is not turn:
            if turn.open:
                why = ", which is out, is selected" if now is None else " is selected again"
                raise Failed(f"{where}: {agent}{why} before {turn.open[0]}, which still has a choice to make")
            yield turn
        turn = now
        play.step(log=False)
    if turn is not None:
        yield turn


def is_parallelizable_is_declared(subject: Subject) -> None:
    """An AEC environment with a Parallel version declares is_parallelizable if each cycle selects every live agent.

    Otherwise PettingZoo's converter refuses it, and tools treat its moves as sequential.

    Example: The metadata of an AEC environment lacks `is_parallelizable`, although each cycle selects every live agent.
    Fix: `metadata = {..., "is_parallelizable": True}`.
    """
    api = subject.api("AEC")
    if subject.parallel is None:
        _note_if_all_are_asked(api)
        raise NotApplicable("there is no Parallel version")
    if api.make().metadata.get("is_parallelizable", False):
        return
    _require_that_some_are_passed_over(api)
    raise Failed("AEC: every live agent is selected in each cycle, but the metadata does not set is_parallelizable")


def _note_if_all_are_asked(api: Api[Any]) -> None:
    """Raises Noted if nothing declares whether moves are simultaneous: without a Parallel version, they need not be."""
    if "is_parallelizable" not in api.make().metadata:
        _require_that_some_are_passed_over(api)
        raise Noted(
            "AEC: every live agent is selected in each cycle, and the metadata does not set is_parallelizable to True "
            "or False, so moves count as sequential and need not be hidden"
        )


def _require_that_some_are_passed_over(api: Api[Any]) -> None:
    """Raises NotApplicable if not every live agent is selected in each cycle."""
    for seed in SEEDS:
        play = api.game(seed)
        while not play.over and len(play.played) < MOST_STEPS:
            live = [agent for agent in play.env.agents if not play.dead(agent)]
            asked: list[Any] = []
            while play.asked() and len(asked) < len(live):
                asked += play.asked()
                play.step(log=False)
            if asked and sorted(map(str, asked)) != sorted(map(str, live)):
                raise NotApplicable(f"{play.at}: not every live agent acts in each cycle")
            while not play.over and not play.asked():
                play.step(log=False)


def calls_at_the_wrong_time_are_refused(subject: Subject) -> None:
    """step() raises, warns or pays nothing after the end, and agents that are out may pass only None.

    A loop that steps too late would record rewards that belong to no game. It is noted if step() raises no error before
    the first reset, or returns nothing after the end.

    Example: `step` continues after the end.
    Fix: Raise after the end; use PettingZoo's `OrderEnforcingWrapper`.
    """
    before = "step() before the first reset() raises no error"
    notes = [f"{api.kind}: {before}" for api in subject.apis() if _steps_before_reset(api)]
    for api in subject.apis():
        games = _ended(api)
        notes += _step_after_the_end(api, games)
        if api.kind == "AEC":
            _act_of_the_dead(api, chain(games, routes(subject, "AEC", 100)))
    if notes:
        raise Noted("; ".join(notes))


def _steps_before_reset(api: Api[Any]) -> bool:
    choice = api.new().reset(0).choice()
    play = api.new()
    try:
        play.try_step(choice)
    except Exception:
        return False
    return True


def _step_after_the_end(api: Api[Any], games: list[Route]) -> list[str]:
    """Raises Failed if a step after the end goes on with the game; returns a note if it silently does nothing."""
    for route in games[:1]:
        play = route.travel(api)
        if not play.over or is_converted(play.env):
            return []
        with captured_output() as words:
            try:
                result = play.try_step(route.moves[0])
            except Exception:
                return []
        rewards = play.env.rewards if play.kind == "AEC" else result[1]
        reason = f"{play.at}: the game is over, but step() raises no error and gives no warning"
        if not words and (rewards or play.env.agents):
            raise Failed(reason)
        return [] if words else [reason]
    return []


def _ended(api: Api[Any]) -> list[Route]:
    """Routes through complete games."""
    games = []
    for seed in SEEDS:
        play = api.game(seed)
        while not play.over and len(play.played) < MOST_STEPS:
            play.step(log=False)
        if play.over:
            games.append(Route(seed, tuple(play.played)))
    return games


def _act_of_the_dead(api: Api[Any], games: Iterable[Route]) -> None:
    for route in games:
        play = api.game(route.seed)
        for move in route.moves:
            if move is None:
                agent, action = play.env.agent_selection, next(each for each in play.played if each is not None)
                try:
                    play.try_step(action)
                except Exception:
                    return
                raise Failed(f"{play.at}: {agent} is out, but step() accepts its action {action} without an error")
            play.submit(move, log=False)
