"""Checks of what an environment declares and offers: agents, metadata, close()."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.play import STEPS, Play, seats
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, in_a_line


def metadata_say_what_is_offered(subject: Subject) -> None:
    """The metadata has the name and, under `render_modes`, a list of the modes.

    str() and PettingZoo's tests use the name; wrappers and recorders use the modes.
    """
    for skin in subject.skins():
        metadata = skin.make().metadata
        if "render.modes" in metadata:
            raise Failed(f"{skin.kind}: the metadata has `render.modes`, which is `render_modes` since 2022")
        modes = metadata.get("render_modes")
        if not isinstance(modes, list | tuple) or not all(isinstance(mode, str) for mode in modes):
            raise Failed(f"{skin.kind}: the metadata has no list of `render_modes`: {modes!r}")
        if not isinstance(metadata.get("name"), str) or not metadata["name"]:
            raise Failed(f"{skin.kind}: the metadata has no name")


def agents_are_a_list_of_their_own(subject: Subject) -> None:
    """Agents removed from `agents` stay in `possible_agents`, and return with the next reset.

    An environment that uses one list for both, or starts every game with the list of the previous game, loses its
    agents as they leave.
    """
    for skin in subject.skins():
        play = skin.new(choices=1)
        possible = list(seats(play.env))
        seated, one_list = _seated(play), play.env.agents is play.env.possible_agents
        if one_list and not seated:
            raise Failed(f"{skin.kind}: `agents` is the very list `possible_agents`, and is empty after a reset")
        kept = play.env.agents
        try:
            play.run(STEPS)
        except Exception as error:
            raise NotApplicable(f"a game cannot be played, see legal_play_goes_on: {in_a_line(error)}") from error
        if (left := list(play.env.possible_agents)) != possible:
            why = ", which is the very list `agents`" * one_list
            raise Failed(f"{skin.kind}: in the course of a game `possible_agents`{why}, goes from {possible} to {left}")
        if (again := _seated(play)) != seated and play.env.agents is kept:
            words = f"{skin.kind}: a game begins with the very list `agents` of the game before, with {again}"
            raise Failed(f"{words} in place of {seated}")


def _seated(play: Play) -> list[Any]:
    """The agents after a reset."""
    play.reset(1)
    return list(play.env.agents)


def closing_does_no_harm(subject: Subject) -> None:
    """close() can be called before the first reset, in mid-game, and twice."""
    for skin in subject.skins():
        try:
            fresh = skin.make()
            fresh.close()
            play = skin.game(1)
            play.step(log=False)
            play.env.close()
            play.env.close()
        except Exception as error:
            raise Failed(f"{skin.kind}: close() raises {in_a_line(error)}") from error
