"""Checks of the order in which agents act, of the ends of games and episodes, and of calls at the wrong time."""

import inspect
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from zoocheck.explore import LONG, LONG_SHARE, Route, Watch, explored, routes, step, watcher
from zoocheck.kinds import AECPlay, ParallelPlay, Turn
from zoocheck.leaks import shown_before_all_have_acted
from zoocheck.look import captured_output
from zoocheck.play import PARTS, Play, as_text, is_converted, layers, seats
from zoocheck.subject import Api, Subject
from zoocheck.verdicts import STEPS, Failed, NotApplicable, Noted

LIMITS = (1, 2, 3)
LIMIT_NAMES = ("max_rounds", "max_cycles")
# Flags -> the info that, by its name, repeats them.
NAMED = {"terminations": "terminated", "truncations": "truncated"}
# Ends after more turns than this in all games are probably a limit; others only if a number with such a name says so.
MANY_TURNS, LEAST_GAMES, LEAST_LONG = 25, 12, 4
LIMITING = re.compile(r"max|limit|horizon|length|steps|rounds|turns|cycles", re.IGNORECASE)
SEEDS = range(3)
MOST_STEPS = 240


def _note_a_limit(subject: Subject) -> None:
    """Raises Noted if all games end in the same turn, by a termination, where a limit is probably meant."""
    for api in subject.apis():
        ends, env = explored(subject, api.kind).ends, api.make()
        if ends and ends[0][0] > STEPS:
            ends = _ends_of_long_games(subject, api, ends[0])
        if len(ends) < (LEAST_LONG if ends and ends[0][0] > STEPS else LEAST_GAMES) or len(set(ends)) > 1 or ends[0][1]:
            continue
        turns = ends[0][0] // (len(seats(env)) if api.kind == "AEC" else 1)
        named = (pair for layer in layers(env) for part in (layer, *type(layer).__mro__) for pair in vars(part).items())
        if turns > MANY_TURNS or any(LIMITING.search(name) and type(it) is int and it == turns for name, it in named):
            raise Noted(
                f"{api.kind}: all games end by termination after {turns} turns; if this is a limit and no rule of the "
                "game, truncate: learners must not take it for the end of what can be earned"
            )


def _ends_of_long_games(subject: Subject, api: Api, first: tuple[int, bool]) -> list[tuple[int, bool]]:
    """The ends of games that are too long for exploration, which plays but the first of them to its end."""
    ends, cut = [first], len(subject.cut)
    for seed in subject.time(LONG_SHARE):
        play, truncated = api.game(seed), False
        while not play.over and len(play.played) < LONG:
            play.step(log=False)
            truncated = truncated or any(play.part("truncations").values())
        ends.append((sum(choice is not None for choice in play.played), truncated))
        if len(ends) == LEAST_LONG or ends[-1] != first:
            break
    del subject.cut[cut:]  # a note may be missed
    return ends


@watcher("AEC", "Parallel", then=_note_a_limit)
def ends_are_final(play: Play, subject: Subject) -> Watch:
    """An agent that is out stays out: its flags stay set, and it leaves `agents` until the next reset.

    Training loops that bootstrap from flags or count agents rely on this. An agent of `possible_agents` that has not
    taken part yet may join. In Parallel, an agent leaves `agents` in the step that flags it; in AEC it is flagged,
    steps once with None and then leaves. All flags are bools, and infos that repeat them agree. It is noted if all
    games terminate after the same number of turns, and this seems to be a limit, which should truncate.

    Example: An agent is removed from `agents` without a flag, or joins again mid-game.
    Fix: Flag it in the step in which it goes out, then remove it.
    """
    yield from _ends_in_parallel(play) if isinstance(play, ParallelPlay) else _ends_in_aec(play)


def _ends_in_aec(play: Play) -> Watch:
    out, gone = set[Any](), set[Any]()
    while True:
        yield
        _require_flags(play)
        env = play.env
        agents, agent = set(env.agents), env.agent_selection
        for name in PARTS:
            named = set(play.part(name))
            _require_none(play, agents - named, f"`{name}` has no entry for {{}}")
            _require_none(play, named - agents, f"`{name}` has an entry for {{}}, which left `agents`")
        _require_invited(play, agents, gone)
        flagged = {each for each in agents if play.dead(each)}
        _require_none(play, out & agents - flagged, "{} was out and is in the game again")
        out |= flagged
        _require_none(play, {agent} - agents, "{} is selected, but not in `agents`")
        yield
        after = set(env.agents)
        dead = {agent} & flagged & after
        _require_none(play, dead, "{} is out and has made its last step, but stays in `agents`")
        _require_none(play, agents - after - out, "{} leaves `agents` without having been flagged as out")
        gone |= agents - after


def _ends_in_parallel(play: Play) -> Watch:
    gone = set[Any]()
    while True:
        agents = set(play.env.agents)
        yield from step()
        for name in PARTS[1:3]:
            _require_none(play, agents - set(play.part(name)), f"{name} have no entry for {{}}")
        _require_flags(play)
        flagged, after = play.out() & agents, set(play.env.agents)
        _require_none(play, after & flagged, "{} is out, but stays in `agents`")
        _require_none(play, agents - flagged - after, "{} leaves `agents`, but is not flagged as out")
        gone |= flagged
        _require_invited(play, after, gone)


def _require_invited(play: Play, agents: set[Any], gone: set[Any]) -> None:
    _require_none(play, agents & gone, "{} is back in `agents`")
    unknown = agents - set(getattr(play.env, "possible_agents", agents))
    _require_none(play, unknown, "{} is in `agents`, but not in `possible_agents`")


def _require_flags(play: Play) -> None:
    for name in PARTS[1:3]:
        for agent, flag in play.part(name).items():
            if not isinstance(flag, bool | np.bool_):
                raise Failed(f"{play.at}: {name} of {agent} is {flag!r} of type {type(flag).__name__}, not a bool")
            info = (
                play.part("infos").get(agent) if play.kind == "Parallel" or agent == play.env.agent_selection else None
            )
            told = info.get(NAMED[name]) if isinstance(info, dict) else flag
            if isinstance(told, bool | np.bool_) and told != flag:
                raise Failed(f"{play.at}: the info {NAMED[name]!r} of {agent} is {told}, but its flag is {flag}")


def _require_none(play: Play, agents: set[Any], what: str) -> None:
    """Raises Failed for the first of `agents`, if there is any."""
    if agents:
        raise Failed(f"{play.at}: {what.format(min(agents, key=str))}")


def objectives(subject: Subject) -> set[int]:
    """The lengths of vector rewards."""
    for api in subject.apis():
        explored(subject, api.kind)
    found: set[int] = subject.once("objectives", set)
    return found


def _note_objectives(subject: Subject) -> None:
    if lengths := objectives(subject):
        raise Noted(f"rewards are vectors of length {' or '.join(map(str, sorted(lengths)))}, not numbers")


@watcher("AEC", "Parallel", then=_note_objectives)
def nobody_is_paid_after_the_end(play: Play, subject: Subject) -> Watch:
    """Rewards are finite, and an agent gets no reward after the step in which it goes out.

    Its learner has ended the episode and never sees such a reward, so it learns a different game. Vector rewards (for
    several objectives) are noted.

    Example: A prize is shared among all possible agents, although some are out.
    Fix: Pay everything that is due in the step that ends an agent's episode; later, pay only live agents.
    """
    out, lengths = set[Any](), subject.once("objectives", set)
    while True:
        yield from step()
        for agent, reward in play.rewards().items():
            lengths |= set(np.shape(reward))
            if agent in out and np.any(reward):
                raise Failed(
                    f"{play.where}, step {len(play.played)}: {agent}, which was out before, is paid {as_text(reward)}"
                )
        out |= play.out()


def limit_of_rounds_is_kept(subject: Subject) -> None:
    """An environment with `max_rounds` or `max_cycles` ends after that many rounds.

    Learners rely on the limit to size their rollouts. Rules may declare how many joint actions the rounds may take
    (`game.facts.max_length`); elsewhere a round is one joint action.

    Example: `if self.rounds > self.max_cycles`, which plays one round too many.
    Fix: `if self.rounds >= self.max_cycles`, and end the game for all agents.
    """
    env, game = subject.any_env(), subject.game()
    taken = {name for layer in layers(env) for name in (*inspect.signature(type(layer)).parameters, *vars(layer))}
    taken |= set() if game is None else set(game.parameters())
    name = next((name for name in LIMIT_NAMES if name in taken), None)
    if name is None:
        raise NotApplicable(f"there is no parameter {' or '.join(LIMIT_NAMES)}")
    for api in subject.apis():
        for limit in LIMITS:
            try:
                play = api.game(limit, **{name: limit})
            except (TypeError, ValueError) as error:
                raise NotApplicable(f"{name}={limit} is not accepted: {error}") from None
            facts = getattr(getattr(play.env.unwrapped, "game", None), "facts", None)
            most = limit if facts is None else int(facts.max_length)
            while not play.over:
                # At least so many joint actions: an agent commits at most once in each.
                joint = sum(choice is not None for choice in play.played)
                joint //= len(seats(play.env)) if api.kind == "AEC" else 1
                if joint >= most and play.asked():
                    raise Failed(f"{api.kind}: with {name}={limit} the game continues after {most} joint actions")
                play.step(log=False)
                steps = len(play.played)
                if steps > (most + 2) * 4 * len(seats(play.env)):
                    raise Failed(f"{api.kind}: with {name}={limit} the game continues after {steps} steps")


def seats_are_asked_in_order(subject: Subject) -> None:
    """In each turn every agent with a choice is selected once, in the order of `agents`.

    `aec_to_parallel` and others that collect joint actions rely on this. An order that varies is noted.

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
            orders += [turn.asked == sorted(turn.asked, key=seats(play.env).index)] * (len(turn.asked) > 1)
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

    Otherwise PettingZoo's converter refuses it, and tools treat its moves as sequential. Without a Parallel version it
    is noted, with what shows an earlier move of a cycle to later agents.

    Example: The metadata of an AEC environment lacks `is_parallelizable`, although each cycle selects every live agent.
    Fix: `metadata = {..., "is_parallelizable": True}`.
    """
    api = subject.api("AEC")
    declared = api.make().metadata.get("is_parallelizable")
    if subject.parallel is None and declared is not None:
        raise NotApplicable("there is no Parallel version")
    if declared:
        return
    _require_that_some_are_passed_over(api)
    if subject.parallel is not None:
        raise Failed("AEC: every live agent is selected in each cycle, but the metadata does not set is_parallelizable")
    shown = ""
    with suppress(NotApplicable):  # it may not be reproducible
        shown = shown_before_all_have_acted(subject)
    raise Noted(
        "AEC: every live agent is selected in each cycle, and the metadata does not set is_parallelizable to True "
        "or False, so moves count as sequential and need not be hidden"
        + (shown and f"; if moves are simultaneous, an earlier one shows to later agents: {shown}")
    )


def _require_that_some_are_passed_over(api: Api) -> None:
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
    the first reset or returns nothing after the end, and if a Gymnasium environment goes on.

    Example: `step` continues after the end.
    Fix: Raise after the end; use PettingZoo's `OrderEnforcingWrapper`.
    """
    notes = []
    for api in subject.apis():
        choice = api.new().reset(0).choice()
        with suppress(Exception):
            api.new().try_step(choice)
            notes.append(f"{api.kind}: step() before the first reset() raises no error")
    for api in subject.apis():
        games = _ended(api)
        notes += _step_after_the_end(api, games, subject.gymnasium)
        if api.kind == "AEC":
            _act_of_the_dead(api, chain(games, routes(subject, "AEC", 100)))
    if notes:
        raise Noted("; ".join(notes))


def _step_after_the_end(api: Api, games: list[Route], undefined: bool) -> list[str]:
    """Raises Failed if a step after the end goes on with the game; returns a note if it silently does nothing.

    Going on is noted, too, if such a step is `undefined`, as in Gymnasium.
    """
    play = games[0].travel(api) if games else None
    if play is None or not play.over or is_converted(play.env):
        return []
    with captured_output() as words:
        try:
            result = play.try_step(games[0].moves[0])
        except Exception:
            return []
    rewards = play.env.rewards if play.kind == "AEC" else result[1]
    reason = f"{play.at}: the game is over, but step() raises no error and gives no warning"
    if not words and (rewards or play.env.agents) and not undefined:
        raise Failed(reason)
    return [] if words else [reason]


def _ended(api: Api) -> list[Route]:
    """Routes through complete games."""
    games = []
    for seed in SEEDS:
        play = api.game(seed).play_on(MOST_STEPS)
        games += [Route(seed, tuple(play.played))] * play.over
    return games


def _act_of_the_dead(api: Api, games: Iterable[Route]) -> None:
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
