"""Checks of how games and agents end."""

from __future__ import annotations

import inspect
from typing import Any

from cardwar_envs.conformance.play import AECPlay, ParallelPlay, layers, seats
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SEEDS = range(3)
LIMITS = (1, 2, 3)
LIMIT_NAMES = ("max_rounds", "max_cycles")


def ends_are_final(subject: Subject) -> None:
    """Who is out is so for good: flags stay, `agents` loses it, and it does not come back before the next reset.

    In Parallel an agent leaves `agents` in the very step that flags it; in AEC it is flagged, steps once with None
    and is gone. Training loops that bootstrap from flags, or count agents, rely on it.
    """
    for skin in subject.skins():
        for seed in SEEDS:
            play = skin.new(choices=seed).reset(seed)
            follow = _follow_aec if isinstance(play, AECPlay) else _follow_parallel
            follow(play, f"{skin.kind}, seed {seed}")  # type: ignore[arg-type]  # to each its own


def _follow_aec(play: AECPlay, where: str) -> None:
    out: set[Any] = set()
    gone: set[Any] = set()
    while not play.over:
        agents, agent = set(play.env.agents), play.env.agent_selection
        at = f"{where}, after step {len(play.played)}"
        _require_flags(play, at)
        if agents & gone:
            raise Failed(f"{at}: {_first(agents & gone)} is back in `agents`")
        flagged = {each for each in agents if play.dead(each)}
        if out & agents - flagged:
            raise Failed(f"{at}: {_first(out & agents - flagged)} was out and is in the game again")
        out |= flagged
        if agent not in agents:
            raise Failed(f"{at}: {agent} is selected, but not in `agents`")
        dead = play.dead(agent)
        play.step_to_end()
        if dead and agent in play.env.agents:
            raise Failed(f"{at}: {agent} is out and has made its last step, but stays in `agents`")
        left = agents - set(play.env.agents)
        if left - out:
            raise Failed(f"{at}: {_first(left - out)} leaves `agents` without having been told that it is out")
        gone |= left


def _require_flags(play: AECPlay, at: str) -> None:
    for name in ("rewards", "terminations", "truncations", "infos"):
        missing = [agent for agent in play.env.agents if agent not in getattr(play.env, name)]
        if missing:
            raise Failed(f"{at}: `{name}` has no entry for {missing[0]}")


def _follow_parallel(play: ParallelPlay, where: str) -> None:
    gone: set[Any] = set()
    while not play.over:
        before = set(play.env.agents)
        play.step_to_end()
        at = f"{where}, after step {len(play.played)}"
        for name, part in zip(play.NAMES, play.result, strict=True):
            if before - set(part):
                raise Failed(f"{at}: {name} have no entry for {_first(before - set(part))}")
        flagged = {agent for agent in before if play.result[2][agent] or play.result[3][agent]}
        after = set(play.env.agents)
        if after & flagged:
            raise Failed(f"{at}: {_first(after & flagged)} is out, but stays in `agents`")
        if before - flagged - after:
            raise Failed(f"{at}: {_first(before - flagged - after)} leaves `agents`, but is not said to be out")
        gone |= flagged
        if after & gone:
            raise Failed(f"{at}: {_first(after & gone)} is back in `agents`")


def _first(agents: set[Any]) -> Any:
    return min(agents, key=str)


def nobody_is_paid_after_the_end(subject: Subject) -> None:
    """From the step on after the one that takes an agent out, it gets nothing more.

    Its learner has ended the episode and never hears of it, so what it learns is another game.
    """
    for skin in subject.skins():
        for seed in SEEDS:
            play = skin.new(choices=seed).reset(seed)
            out: set[Any] = set()
            while not play.over:
                play.step_to_end()
                rewards, flagged = _rewards_and_flagged(play)
                for agent in out:
                    if rewards.get(agent, 0.0):
                        step = f"{skin.kind}, seed {seed}, step {len(play.played)}"
                        raise Failed(f"{step}: {agent}, which was out before, is paid {float(rewards[agent]):g}")
                out |= flagged


def _rewards_and_flagged(play: Any) -> tuple[dict[Any, Any], set[Any]]:
    if isinstance(play, ParallelPlay):
        _, rewards, terminations, truncations, _ = play.result
    else:
        rewards, terminations, truncations = play.env.rewards, play.env.terminations, play.env.truncations
    return rewards, {agent for agent in terminations if terminations[agent] or truncations.get(agent)}


def limit_of_rounds_is_kept(subject: Subject) -> None:
    """An environment with `max_rounds` or `max_cycles` ends when so many have been played.

    A round may take several joint actions; the games of cardwar_envs say how many at most (`facts.max_length`),
    for others it is one.
    """
    name = _limit_name(subject)
    for skin in subject.skins():
        for limit in LIMITS:
            try:
                play = skin.new(choices=limit, **{name: limit}).reset(limit)
            except (TypeError, ValueError) as error:
                raise NotApplicable(f"{name}={limit} is not taken: {error}") from None
            most = _most_joint_actions(play.env, limit)
            steps = 0
            while not play.over:
                if _joint_actions(skin, play) >= most and not _ending(play):
                    raise Failed(f"{skin.kind}: with {name}={limit} the game goes on after {most} joint actions")
                play.step(log=False)
                steps += 1
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


def _most_joint_actions(env: Any, limit: int) -> int:
    facts = getattr(getattr(env.unwrapped, "game", None), "facts", None)
    return limit if facts is None else int(facts.max_length)


def _joint_actions(skin: Skin, play: Any) -> int:
    """Joint actions played so far, at least: nobody commits twice in one."""
    if skin.kind == "Parallel":
        return len(play.played)
    return sum(choice is not None for choice in play.played) // len(seats(play.env))


def _ending(play: Any) -> bool:
    return isinstance(play, AECPlay) and play.dead(play.env.agent_selection)
