"""Checks of the ends of games and of agents' episodes."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from cardwar_envs.conformance.explore import Watch, explored, step, watcher
from cardwar_envs.conformance.kinds import ParallelPlay
from cardwar_envs.conformance.play import PARTS, Play, as_text, layers, seats
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted

LIMITS = (1, 2, 3)
LIMIT_NAMES = ("max_rounds", "max_cycles")


@watcher("AEC", "Parallel")
def ends_are_final(play: Play, subject: Subject) -> Watch:
    """An agent that is out stays out: its flags stay set, and it leaves `agents` until the next reset.

    An agent of `possible_agents` that has not taken part yet may join during a game.

    In Parallel, an agent leaves `agents` in the step that flags it; in AEC it is flagged, steps once with None and then
    leaves. All flags are bools. Training loops that bootstrap from flags or count agents rely on this.

    Example: An agent is removed from `agents` without a flag, or joins again mid-game.
    Fix: Flag it in the step in which it goes out, then remove it.
    """
    yield from _ends_in_parallel(play) if isinstance(play, ParallelPlay) else _ends_in_aec(play)


def _ends_in_aec(play: Play) -> Watch:
    out, gone = set[Any](), set[Any]()
    while True:
        yield
        _require_flags(play)
        env, at = play.env, play.at
        agents, agent = set(env.agents), env.agent_selection
        for name in PARTS:
            _require_none(agents - set(play.part(name)), f"{at}: `{name}` has no entry for {{}}")
            _require_none(set(play.part(name)) - agents, f"{at}: `{name}` has an entry for {{}}, which left `agents`")
        _require_none(agents & gone, f"{at}: {{}} is back in `agents`")
        _require_none(agents - _possible(play, agents), f"{at}: {{}} is in `agents`, but not in `possible_agents`")
        flagged = {each for each in agents if play.dead(each)}
        _require_none(out & agents - flagged, f"{at}: {{}} was out and is in the game again")
        out |= flagged
        _require_none({agent} - agents, f"{at}: {{}} is selected, but not in `agents`")
        dead = {agent} if play.dead(agent) else set()
        yield
        after = set(env.agents)
        _require_none(dead & after, f"{play.at}: {{}} is out and has made its last step, but stays in `agents`")
        left = agents - after
        _require_none(left - out, f"{play.at}: {{}} leaves `agents` without having been flagged as out")
        gone |= left


def _ends_in_parallel(play: Play) -> Watch:
    gone = set[Any]()
    while True:
        agents = set(play.env.agents)
        yield from step()
        for name in PARTS[1:3]:
            _require_none(agents - set(play.part(name)), f"{play.at}: {name} have no entry for {{}}")
        _require_flags(play)
        flagged, after = play.out() & agents, set(play.env.agents)
        _require_none(after & flagged, f"{play.at}: {{}} is out, but stays in `agents`")
        _require_none(agents - flagged - after, f"{play.at}: {{}} leaves `agents`, but is not flagged as out")
        gone |= flagged
        _require_none(after & gone, f"{play.at}: {{}} is back in `agents`")
        _require_none(after - _possible(play, after), f"{play.at}: {{}} is in `agents`, but not in `possible_agents`")


def _possible(play: Play, agents: set[Any]) -> set[Any]:
    """The agents that may take part: all, if the environment does not declare them."""
    return set(getattr(play.env, "possible_agents", agents))


def _require_flags(play: Play) -> None:
    for name in PARTS[1:3]:
        for agent, flag in play.part(name).items():
            if not isinstance(flag, bool | np.bool_):
                raise Failed(f"{play.at}: {name} of {agent} is {flag!r} of type {type(flag).__name__}, not a bool")


def _require_none(agents: set[Any], what: str) -> None:
    """Raises Failed for the first of `agents`, if there is any."""
    if agents:
        raise Failed(what.format(min(agents, key=str)))


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
                at = f"{play.where}, step {len(play.played)}"
                raise Failed(f"{at}: {agent}, which was out before, is paid {as_text(reward)}")
        out |= play.out()


def limit_of_rounds_is_kept(subject: Subject) -> None:
    """An environment with `max_rounds` or `max_cycles` ends after that many rounds.

    A round may take several joint actions. Games of cardwar_envs declare how many (`facts.max_length`); elsewhere a
    round is one joint action.

    Learners rely on the limit to size their rollouts.

    Example: `if self.rounds > self.max_cycles`, which plays one round too many.
    Fix: `if self.rounds >= self.max_cycles`, and end the game for all agents.
    """
    name = _limit_name(subject)
    for api in subject.apis():
        for limit in LIMITS:
            try:
                play = api.game(limit, **{name: limit})
            except (TypeError, ValueError) as error:
                raise NotApplicable(f"{name}={limit} is not accepted: {error}") from None
            facts = getattr(getattr(play.env.unwrapped, "game", None), "facts", None)
            most = limit if facts is None else int(facts.max_length)
            while not play.over:
                if _joint_actions(play) >= most and play.asked():
                    raise Failed(f"{api.kind}: with {name}={limit} the game continues after {most} joint actions")
                play.step(log=False)
                steps = len(play.played)
                if steps > (most + 2) * 4 * len(seats(play.env)):
                    raise Failed(f"{api.kind}: with {name}={limit} the game continues after {steps} steps")


def _limit_name(subject: Subject) -> str:
    """The parameter that limits the rounds."""
    taken: set[str] = set()
    for layer in layers(subject.any_env()):
        taken |= set(inspect.signature(type(layer)).parameters) | set(vars(layer))
    game = subject.game()
    taken |= set() if game is None else set(game.parameters())
    for name in LIMIT_NAMES:
        if name in taken:
            return name
    raise NotApplicable(f"there is no parameter {' or '.join(LIMIT_NAMES)}")


def _joint_actions(play: Play) -> int:
    """A lower bound on the number of joint actions: an agent commits at most once in each."""
    if isinstance(play, ParallelPlay):
        return len(play.played)
    return sum(choice is not None for choice in play.played) // len(seats(play.env))
