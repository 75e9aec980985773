"""Checks of the order in which agents act, and of calls at the wrong time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cardwar_envs.conformance.archive import Route
from cardwar_envs.conformance.explore import explored, routes
from cardwar_envs.conformance.hearing import heard
from cardwar_envs.conformance.kinds import AECPlay
from cardwar_envs.conformance.play import Play, is_converted, seats
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.turns import Turn
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted

SEEDS = range(3)
MOST_STEPS = 240


def seats_are_asked_in_order(subject: Subject) -> None:
    """In each turn every agent with a choice is selected once, in the order of `agents`.

    Code that collects a joint action seat by seat, such as `aec_to_parallel`, relies on it. An order that changes from
    turn to turn is noted.
    """
    skin = subject.skin("AEC")
    if not subject.simultaneous():
        raise NotApplicable("its metadata does not say is_parallelizable: moves are made in turn")
    orders: list[bool] = []
    for seed in SEEDS:
        _follow(skin.new(choices=seed).reset(seed), seed, orders)
    if orders and not any(orders):
        raise Failed("AEC: in no turn are the agents asked in the order of `agents`")
    if not all(orders):
        raise Noted("AEC: the agents are not always asked in the order of `agents`, as aec_to_parallel expects")


def _follow(play: AECPlay, seed: int, orders: list[bool]) -> None:
    turn: Turn | None = None
    while not play.over and len(play.played) < MOST_STEPS:
        agent = play.env.agent_selection
        where = f"AEC, seed {seed}, step {len(play.played) + 1}"
        if agent not in play.env.agents:
            raise Failed(f"{where}: {agent} is asked, but not in the game")
        if play.dead(agent):
            _require_closed(turn, f"{where}: {agent}, which is out, is asked")
            _noted(play, turn, orders)
            turn = None
        else:
            if turn is None or not turn.goes_on(play):
                _require_closed(turn, f"{where}: {agent} is asked again")
                _noted(play, turn, orders)
                turn = Turn(play)
            turn.ask(agent)
        play.step(log=False)
    _noted(play, turn, orders)


def _noted(play: AECPlay, turn: Turn | None, orders: list[bool]) -> None:
    """Records whether the agents of a turn were selected in order."""
    if turn is not None and len(turn.asked) > 1:
        places = [seats(play.env).index(agent) for agent in turn.asked]
        orders.append(places == sorted(places))


def _require_closed(turn: Turn | None, what: str) -> None:
    if turn is not None and turn.open:
        raise Failed(f"{what} before {turn.open[0]}, who has a choice to make")


def is_parallelizable_is_declared(subject: Subject) -> None:
    """An AEC environment with a Parallel version declares is_parallelizable if each cycle selects every live agent.

    Otherwise PettingZoo's converter refuses it, and tools treat its moves as sequential.
    """
    skin = subject.skin("AEC")
    if subject.parallel is None:
        _note_if_all_are_asked(skin)
        raise NotApplicable("there is no Parallel version")
    if skin.make().metadata.get("is_parallelizable", False):
        return
    _require_that_some_are_passed_over(skin)
    raise Failed("AEC: all live agents are asked in each cycle, but the metadata does not say is_parallelizable")


def _note_if_all_are_asked(skin: Skin[Any]) -> None:
    """Without a Parallel version moves may be meant to be sequential, so the author must declare it."""
    if "is_parallelizable" not in skin.make().metadata:
        _require_that_some_are_passed_over(skin)
        raise Noted(
            "AEC: all live agents are asked in each cycle, and the metadata does not say whether it is_parallelizable: "
            "moves are taken to be made in turn, and need not be hidden"
        )


def _require_that_some_are_passed_over(skin: Skin[Any]) -> None:
    """Raises NotApplicable if not every live agent is selected in each cycle."""
    for seed in SEEDS:
        play = skin.new(choices=seed).reset(seed)
        while not play.over and len(play.played) < MOST_STEPS:
            live = [agent for agent in play.env.agents if not play.dead(agent)]
            asked: list[Any] = []
            while play.asked() and len(asked) < len(live):
                asked += play.asked()
                play.step(log=False)
            if asked and sorted(map(str, asked)) != sorted(map(str, live)):
                raise NotApplicable(f"{play.at}: not every live agent is asked in each cycle")
            while not play.over and not play.asked():
                play.step(log=False)


def calls_at_the_wrong_time_are_refused(subject: Subject) -> None:
    """step() raises before the first reset, raises or warns after the end; agents that are out can pass only None."""
    for skin in subject.skins():
        _step_before_reset(skin)
        _step_after_the_end(subject, skin)
        if skin.kind == "AEC":
            _act_of_the_dead(subject, skin)


def _step_before_reset(skin: Skin[Any]) -> None:
    choice = skin.new().reset(0).choice()
    play = skin.new()
    try:
        play.env.step(choice)
    except Exception:
        return
    raise Failed(f"{skin.kind}: step() before the first reset() is taken, and nothing is raised")


def _step_after_the_end(subject: Subject, skin: Skin[Any]) -> None:
    converted = is_converted(skin.make())
    for route in _ended(subject, skin):
        play = skin.new(choices=route.seed).reset(route.seed)
        for move in route.moves:
            play.submit(move, log=False)
        if not play.over or converted:
            return
        with heard() as words:
            try:
                play.env.step(route.moves[0])
            except Exception:
                return
        if not words:
            raise Failed(f"{play.at}: the game is over, and step() is taken without an error or a warning")
        return


def _ended(subject: Subject, skin: Skin[Any]) -> Iterator[Route]:
    """Games played to their end."""
    for seed in SEEDS:
        play = skin.new(choices=seed).reset(seed)
        first = play.choice()
        play.submit(first, log=False)
        while not play.over and len(play.played) < MOST_STEPS:
            play.step(log=False)
        if play.over:
            yield Route(seed, tuple(play.played))


def _act_of_the_dead(subject: Subject, skin: Skin[Any]) -> None:
    for route in [*_ended(subject, skin), *routes(subject, "AEC", 100)]:
        play = skin.new(choices=route.seed).reset(route.seed)
        for move in route.moves:
            if move is None:
                agent, action = play.env.agent_selection, _some_action(play)
                try:
                    play.env.step(action)
                except Exception:
                    return
                raise Failed(f"{play.at}: {agent} is out, but may play {action}: nothing is raised")
            play.submit(move, log=False)


def _some_action(play: Play) -> Any:
    """An action that was played earlier."""
    return next(choice for choice in play.played if choice is not None)


def legal_play_goes_on(subject: Subject) -> None:
    """No legal action and no reset raises in any game played."""
    for skin in subject.skins():
        found = explored(subject, skin.kind).failures.get("legal_play_goes_on")
        if found is not None:
            subject.recent.clear()
            subject.recent.extend(found[1])
            raise Failed(found[0])
