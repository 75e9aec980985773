"""Checks that moves are simultaneous: nobody sees a move before all are made, and all are asked once."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import dataclass, replace
from typing import Any

from cardwar_envs.conformance.compare import difference, require_same
from cardwar_envs.conformance.play import AECPlay, generators, legal_actions, seats
from cardwar_envs.conformance.seeds import repeatable
from cardwar_envs.conformance.subject import PICTURES, Skin, Subject
from cardwar_envs.conformance.turns import Turn, has_choice
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SEEDS = range(3)
# Every look is a replay from the start, so only the first steps of each episode are looked at.
DEPTH = 24
ALTERNATIVES = 4
# Pixels take long to draw, so only the first commitments of one episode are looked at in them.
LOOKS = 3


@dataclass(frozen=True)
class Move:
    """A step of an episode.

    Attributes:
        agent: Who makes it.
        action: What it plays, None if it is out.
        others: Some of the actions that it could have played instead.
        open: Whether another agent that has a choice must still commit.
    """

    agent: Any
    action: Any
    others: tuple[Any, ...]
    open: bool


def commitments_are_hidden(subject: Subject) -> None:
    """Until all have committed, everything looks the same, whatever an agent has committed to.

    An agent has committed once it has handed in its action; the game moves on when all have. The check looks at
    observations, last(), infos, masks, rewards, state(), render() and random generators, but not at what the
    committed agent itself is told. PettingZoo's own tests look at none of it, and a learner that sees the other's
    move first "solves" any simultaneous game. (render() is looked at in one mode, text if there is text.)
    """
    skin, compared = repeatable(_simultaneous(subject)), 0
    pictures = subject.pictures()
    more = {"render_mode": pictures[0]} if pictures else {}
    for seed in SEEDS:
        moves = _episode(skin, seed)
        for i, move in enumerate(moves):
            if move.open and move.others:
                _compare(skin, more, seed, moves, i)
                compared += 1
    if not compared:
        raise NotApplicable("nobody ever commits to a choice while another's is still to come")


def pictures_hide_commitments(subject: Subject) -> None:
    """Until all have committed, render() gives the same in every further mode, whatever an agent has committed to."""
    modes = subject.pictures()[1:]
    if not modes:
        raise NotApplicable(f"there is no second render mode that returns something, of {' and '.join(PICTURES)}")
    skin, compared = repeatable(_simultaneous(subject)), 0
    moves = _episode(skin, SEEDS[0])
    looked = [i for i, move in enumerate(moves) if move.open and move.others][:LOOKS]
    for mode in modes:
        _require_drawn(skin, mode)
        for i in looked:
            few = [*moves[:i], replace(moves[i], others=moves[i].others[:2]), *moves[i + 1 :]]
            _compare(skin, {"render_mode": mode}, SEEDS[0], few, i)
            compared += 1
    if not compared:
        raise NotApplicable("nobody ever commits to a choice while another's is still to come")


def _require_drawn(skin: Skin[AECPlay], mode: str) -> None:
    try:
        skin.new(render_mode=mode).reset(SEEDS[0]).env.render()
    except ImportError as error:
        raise NotApplicable(f"render_mode={mode!r} needs what is not installed: {error}") from error


def _simultaneous(subject: Subject) -> Skin[AECPlay]:
    skin = subject.skin("AEC")
    if not skin.make().metadata.get("is_parallelizable", False):
        raise NotApplicable("its metadata does not say is_parallelizable: moves are made in turn")
    return skin


def _episode(skin: Skin[AECPlay], seed: int) -> list[Move]:
    play, turn = skin.new(choices=seed).reset(seed), None
    moves: list[Move] = []
    while not play.over and len(moves) < DEPTH:
        agent, action = play.env.agent_selection, play.choice()
        if action is None:
            moves.append(Move(agent, None, (), False))
            turn = None
        else:
            if turn is None or not turn.goes_on(play):
                turn = Turn(play)
            others = _others(play, agent, action) if has_choice(play, agent) else ()
            turn.ask(agent)
            moves.append(Move(agent, action, others, bool(turn.open)))
        play.submit(action)
    return moves


def _others(play: AECPlay, agent: Any, action: Any) -> tuple[Any, ...]:
    space = play.env.action_space(agent)
    if not hasattr(space, "n"):
        return (copy.deepcopy(play.chooser).choose(agent, space, None),)
    legal = [other for other in legal_actions(space, play.mask(agent)) if other != action]
    return tuple(legal[:: max(1, len(legal) // ALTERNATIVES)][:ALTERNATIVES])


def _compare(skin: Skin[AECPlay], more: dict[str, Any], seed: int, moves: list[Move], i: int) -> None:
    """Commits to other actions in move `i` and compares what shows until the last agent with a choice commits."""
    agent, action = moves[i].agent, moves[i].action
    committed = (action, action, *moves[i].others)
    plays = [skin.new(**more).reset(seed).replay(move.action for move in moves[:i]) for _ in committed]
    for play, each in zip(plays, committed, strict=True):
        play.submit(each, log=False)
    for later in [*moves[i + 1 :], Move(None, None, (), False)]:
        views = [_view(play, without=agent) for play in plays]
        if found := difference(views[0], views[1]):
            raise NotApplicable(f"AEC, seed {seed}: it looks different each time, whatever is played: {found}")
        for other, view in zip(moves[i].others, views[2:], strict=True):
            what = f"AEC, seed {seed}: before all have committed it shows whether {agent} plays {action} or {other}"
            require_same(views[0], view, what)
        if not later.open:
            return
        for play in plays:
            play.submit(later.action, log=False)


def _view(play: AECPlay, without: Any = None) -> dict[str, Any]:
    """All that can be seen by others than one agent."""
    view, env = play.seen(), play.env
    for part in ("observations", "infos"):
        view[part].pop(without, None)
    if view["agent_selection"] == without:
        del view["last"]
    view["random generators"] = generators(env)
    # Where it cannot be called, `observations_fit_their_spaces` says so.
    with contextlib.suppress(NotImplementedError, TypeError, AttributeError):
        view["state()"] = copy.deepcopy(env.state())
    if getattr(env, "render_mode", None) in PICTURES:
        view["render()"] = env.render()
    return view


def seats_are_asked_in_order(subject: Subject) -> None:
    """In each turn the agents commit in order of seat, each at most once, and no agent with a choice is left out.

    Code that collects a joint action seat by seat, `aec_to_parallel` among it, relies on that.
    """
    skin = _simultaneous(subject)
    for seed in SEEDS:
        play, turn = skin.new(choices=seed).reset(seed), None
        while not play.over and len(play.played) < 10 * DEPTH:
            agent = play.env.agent_selection
            where = f"AEC, seed {seed}, step {len(play.played) + 1}"
            if agent not in play.env.agents:
                raise Failed(f"{where}: {agent} is asked, but not in the game")
            if play.dead(agent):
                _require_closed(turn, f"{where}: {agent}, which is out, is asked")
                turn = None
            else:
                if turn is None or not turn.goes_on(play):
                    _require_closed(turn, f"{where}: {agent} is asked again")
                    turn = Turn(play)
                _require_order(play, turn, agent, where)
                turn.ask(agent)
            play.step(log=False)


def _require_closed(turn: Turn | None, what: str) -> None:
    if turn is not None and turn.open:
        raise Failed(f"{what} before {turn.open[0]}, who has a choice to make")


def _require_order(play: AECPlay, turn: Turn, agent: Any, where: str) -> None:
    order = seats(play.env)
    if turn.open and turn.asked and order.index(agent) < order.index(turn.asked[-1]):
        raise Failed(f"{where}: {agent} is asked after {turn.asked[-1]}, though its seat comes before")
