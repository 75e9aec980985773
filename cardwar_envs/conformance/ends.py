"""Checks of how games and agents end."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from cardwar_envs.conformance.explore import Watcher, explored, watched, watcher
from cardwar_envs.conformance.kinds import ParallelPlay
from cardwar_envs.conformance.play import PARTS, Play, as_text, layers, seats
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted

LIMITS = (1, 2, 3)
LIMIT_NAMES = ("max_rounds", "max_cycles")


def ends_are_final(subject: Subject) -> None:
    """An agent that is out stays out: its flags stay set, and it leaves `agents` until the next reset.

    In Parallel an agent leaves `agents` in the step that flags it; in AEC it is flagged, steps once with None and then
    leaves. All flags are bools. Training loops that bootstrap from flags, or count agents, rely on it.
    """
    watched("ends_are_final", subject)


class _Ends(Watcher):
    check = "ends_are_final"

    def _require_flags(self, play: Play) -> None:
        for name in PARTS[1:3]:
            for agent, flag in play.part(name).items():
                if not isinstance(flag, bool | np.bool_):
                    raise Failed(f"{play.at}: {name} of {agent} is {flag!r} of type {type(flag).__name__}, not a bool")

    def __init__(self, play: Play, subject: Subject) -> None:
        self._out: set[Any] = set()
        self._gone: set[Any] = set()
        self._agents: set[Any] = set(play.env.agents)
        self._dead: Any = None


@watcher
class _EndsInAEC(_Ends):
    kinds = ("AEC",)

    def before(self, play: Play, choice: Any) -> None:
        self._require_flags(play)
        env, at = play.env, play.at
        agents, agent = set(env.agents), env.agent_selection
        self._agents, self._dead = agents, None
        for name in PARTS:
            _require_none(agents - set(play.part(name)), f"{at}: `{name}` has no entry for {{}}")
            _require_none(set(play.part(name)) - agents, f"{at}: `{name}` has an entry for {{}}, not in `agents`")
        _require_none(agents & self._gone, f"{at}: {{}} is back in `agents`")
        flagged = {each for each in agents if play.dead(each)}
        _require_none(self._out & agents - flagged, f"{at}: {{}} was out and is in the game again")
        self._out |= flagged
        _require_none({agent} - agents, f"{at}: {{}} is selected, but not in `agents`")
        self._dead = agent if play.dead(agent) else None

    def after(self, play: Play) -> None:
        after = set(play.env.agents)
        if self._dead is not None:
            what = f"{play.at}: {{}} is out and has made its last step, but stays in `agents`"
            _require_none({self._dead} & after, what)
        left = self._agents - after
        _require_none(left - self._out, f"{play.at}: {{}} leaves `agents` without having been told that it is out")
        self._gone |= left


@watcher
class _EndsInParallel(_Ends):
    kinds = ("Parallel",)

    def before(self, play: Play, choice: Any) -> None:
        self._agents = set(play.env.agents)

    def after(self, play: Play) -> None:
        for name in PARTS[1:3]:
            _require_none(self._agents - set(play.part(name)), f"{play.at}: {name} have no entry for {{}}")
        self._require_flags(play)
        flagged, after = play.out() & self._agents, set(play.env.agents)
        _require_none(after & flagged, f"{play.at}: {{}} is out, but stays in `agents`")
        _require_none(self._agents - flagged - after, f"{play.at}: {{}} leaves `agents`, but is not said to be out")
        self._gone |= flagged
        _require_none(after & self._gone, f"{play.at}: {{}} is back in `agents`")
        _require_none(after - self._agents, f"{play.at}: {{}} joins `agents` in the middle of the game")


def _require_none(agents: set[Any], what: str) -> None:
    """Raises Failed for the first of `agents`, if there is any."""
    if agents:
        raise Failed(what.format(min(agents, key=str)))


def nobody_is_paid_after_the_end(subject: Subject) -> None:
    """Rewards are finite, and an agent gets no reward after the step in which it goes out.

    Its learner has ended the episode and never receives such a reward, so it learns another game. Vector rewards (of
    several objectives) are noted.
    """
    watched("nobody_is_paid_after_the_end", subject)
    if lengths := objectives(subject):
        raise Noted(f"rewards are vectors of length {' or '.join(map(str, sorted(lengths)))}, not numbers")


def objectives(subject: Subject) -> set[int]:
    """The lengths of vector rewards."""
    for skin in subject.skins():
        explored(subject, skin.kind)
    found: set[int] = subject.once("objectives", set)
    return found


@watcher
class _Paid(Watcher):
    check = "nobody_is_paid_after_the_end"

    def __init__(self, play: Play, subject: Subject) -> None:
        self._out: set[Any] = set()
        self._objectives: set[int] = subject.once("objectives", set)

    def after(self, play: Play) -> None:
        for agent, reward in play.rewards().items():
            self._objectives |= set(np.shape(reward))
            if agent in self._out and np.any(reward):
                step = f"{play.where}, step {len(play.played)}"
                raise Failed(f"{step}: {agent}, which was out before, is paid {as_text(reward)}")
        self._out |= play.out()


def limit_of_rounds_is_kept(subject: Subject) -> None:
    """An environment with `max_rounds` or `max_cycles` ends when that many rounds have been played.

    A round may take several joint actions. Games of cardwar_envs declare how many (`facts.max_length`); in other
    games a round is one joint action.
    """
    name = _limit_name(subject)
    for skin in subject.skins():
        for limit in LIMITS:
            try:
                play = skin.new(choices=limit, **{name: limit}).reset(limit)
            except (TypeError, ValueError) as error:
                raise NotApplicable(f"{name}={limit} is not taken: {error}") from None
            facts = getattr(getattr(play.env.unwrapped, "game", None), "facts", None)
            most = limit if facts is None else int(facts.max_length)
            while not play.over:
                if _joint_actions(play) >= most and play.asked():
                    raise Failed(f"{skin.kind}: with {name}={limit} the game goes on after {most} joint actions")
                play.step(log=False)
                steps = len(play.played)
                if steps > (most + 2) * 4 * len(seats(play.env)):
                    raise Failed(f"{skin.kind}: with {name}={limit} the game goes on after {steps} steps")


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
    """A lower bound on the joint actions played: an agent commits at most once in each."""
    if isinstance(play, ParallelPlay):
        return len(play.played)
    return sum(choice is not None for choice in play.played) // len(seats(play.env))
