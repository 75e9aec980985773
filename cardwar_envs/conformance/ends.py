"""Checks of how games and agents end."""

from __future__ import annotations

import inspect
from typing import Any

from cardwar_envs.conformance.play import PARTS, AECPlay, ParallelPlay, Play, layers, seats
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SEEDS = range(3)
LIMITS = (1, 2, 3)
LIMIT_NAMES = ("max_rounds", "max_cycles")


def ends_are_final(subject: Subject) -> None:
    """An agent that is out stays out: its flags stay, `agents` loses it, and it is not back before the next reset.

    In Parallel an agent leaves `agents` in the very step that flags it; in AEC it is flagged, steps once with None
    and is gone. Training loops that bootstrap from flags, or count agents, rely on it.
    """
    for play in subject.plays(SEEDS):
        if isinstance(play, AECPlay):
            _follow_aec(play)
        elif isinstance(play, ParallelPlay):
            _follow_parallel(play)


def _follow_aec(play: AECPlay) -> None:
    out: set[Any] = set()
    gone: set[Any] = set()
    while not play.over:
        agents, agent, at = set(play.env.agents), play.env.agent_selection, play.at
        for name in PARTS:
            _require_none(agents - set(play.part(name)), f"{at}: `{name}` has no entry for {{}}")
        _require_none(agents & gone, f"{at}: {{}} is back in `agents`")
        flagged = {each for each in agents if play.dead(each)}
        _require_none(out & agents - flagged, f"{at}: {{}} was out and is in the game again")
        out |= flagged
        _require_none({agent} - agents, f"{at}: {{}} is selected, but not in `agents`")
        dead = play.dead(agent)
        play.step_to_end()
        after = set(play.env.agents)
        if dead:
            _require_none({agent} & after, f"{at}: {{}} is out and has made its last step, but stays in `agents`")
        left = agents - after
        _require_none(left - out, f"{at}: {{}} leaves `agents` without having been told that it is out")
        gone |= left


def _follow_parallel(play: ParallelPlay) -> None:
    gone: set[Any] = set()
    while not play.over:
        before = set(play.env.agents)
        play.step_to_end()
        for name, part in zip(play.NAMES, play.result, strict=True):
            _require_none(before - set(part), f"{play.at}: {name} have no entry for {{}}")
        flagged, after = play.out() & before, set(play.env.agents)
        _require_none(after & flagged, f"{play.at}: {{}} is out, but stays in `agents`")
        _require_none(before - flagged - after, f"{play.at}: {{}} leaves `agents`, but is not said to be out")
        gone |= flagged
        _require_none(after & gone, f"{play.at}: {{}} is back in `agents`")


def _require_none(agents: set[Any], what: str) -> None:
    """Raises Failed, about the first of them, if there are such agents."""
    if agents:
        raise Failed(what.format(min(agents, key=str)))


def nobody_is_paid_after_the_end(subject: Subject) -> None:
    """Rewards are finite, and an agent gets nothing more after the step that takes it out.

    Its learner has ended the episode and never hears of such a reward, so it learns another game.
    """
    for play in subject.plays(SEEDS):
        out: set[Any] = set()
        while not play.over:
            play.step_to_end()
            for agent, reward in play.rewards().items():
                if agent in out and reward != 0.0:
                    step = f"{play.where}, step {len(play.played)}"
                    raise Failed(f"{step}: {agent}, which was out before, is paid {reward:g}")
            out |= play.out()


def limit_of_rounds_is_kept(subject: Subject) -> None:
    """An environment with `max_rounds` or `max_cycles` ends when that many rounds have been played.

    A round may take several joint actions. The games of cardwar_envs say how many (`facts.max_length`); for other
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
    """How many joint actions were played at least: nobody commits twice in one."""
    if isinstance(play, ParallelPlay):
        return len(play.played)
    return sum(choice is not None for choice in play.played) // len(seats(play.env))
