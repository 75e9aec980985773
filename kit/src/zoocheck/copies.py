"""Checks that an environment is self-contained: it can be copied and shares no state."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from gymnasium.utils import EzPickle

from zoocheck.kinds import ParallelPlay
from zoocheck.look import difference, require_same, require_same_play, space_facts
from zoocheck.play import Play, layers
from zoocheck.seeds import SHORT, steady_apis
from zoocheck.subject import Api, Subject
from zoocheck.verdicts import Failed, Noted, failing

SEED = 5
# Number of games to copy, time permitting: a copy may lose something that matters in few games.
SEEDS, SHARE = 6, 0.04
# The first two are always tried.
CUTS = (1, 0, 3, 2, 7)
NEXT_GAMES = 4
GAMES = 6


def deepcopy_goes_on(subject: Subject) -> None:
    """A deep copy made mid-game continues like the original, and playing it does not disturb the original.

    Tree search and counterfactual evaluation need this. It is noted if no copy can be made, for example of an engine in
    native code, or if copies start from scratch, as `EzPickle` intends.

    Example: `__deepcopy__` shares the generator with the copy.
    Fix: Keep the state in plain attributes. Do not inherit from `EzPickle` only to make copies.
    """
    _check_copies(subject, "deepcopy", copy.deepcopy)


def pickle_goes_on(subject: Subject) -> None:
    """An environment pickled and restored mid-game continues like the original.

    Worker processes and checkpoints need it. An environment that cannot be pickled is noted.

    Example: `__getstate__` leaves out the deck, and `__setstate__` deals a new one.
    Fix: Leave out only what can be made again, such as open files.
    """
    _check_copies(subject, "pickle", lambda env: pickle.loads(pickle.dumps(env)))


def _check_copies(subject: Subject, name: str, duplicate: Callable[[Any], Any]) -> None:
    notes = []
    for api in steady_apis(subject):
        try:
            if _begins_anew(api.make()):
                _require_new_beginning(api, name, duplicate)
                notes.append(f"{api.kind}: with `EzPickle`, {name} makes a new environment, which must be reset first")
                continue
            clock = subject.time(SHARE)
            for number, (seed, cut) in enumerate(product(range(SEED, SEED + SEEDS), CUTS)):
                if number > 1 and next(clock, None) is None:
                    break
                _check_copy(api, seed, cut, name, duplicate)
        except Noted as refused:
            notes.append(str(refused))
    if notes:
        raise Noted("; ".join(notes))


def _check_copy(api: Api[Play], seed: int, cut: int, name: str, duplicate: Callable[[Any], Any]) -> None:
    """Checks a copy after `cut` steps of one game."""
    reference = api.game(seed).run()
    if cut >= len(reference):
        return
    original = api.game(seed)
    original.run(cut)
    what = f"{original.where}: {name} after step {cut}"
    twin = _twin(original, duplicate, what)
    _play_on(twin, len(reference) - 1 - cut, f"{what}: the copy cannot go on")
    require_same_play(reference[cut:], twin.log, f"{what}: the original and the copy")
    disturbed = f"{what}: playing the copy disturbs the original"
    require_same(reference[cut], original.seen(), disturbed)
    _play_on(original, len(reference) - 1 - cut, disturbed)
    require_same_play(reference, original.log, disturbed)
    _require_same_future(api, seed, original, twin, what)


def _begins_anew(env: Any) -> bool:
    """Whether copies by design keep only the constructor's arguments, not the game."""
    return any(getattr(type(layer), "__setstate__", None) is EzPickle.__setstate__ for layer in layers(env))


def _require_new_beginning(api: Api[Play], name: str, duplicate: Callable[[Any], Any]) -> None:
    """Raises Failed unless such a copy, once reset, plays like a new environment and does not disturb the original."""
    what = f"{api.kind}: {name} after step 1"
    reference = api.game(SEED).run()
    original = api.game(SEED)
    original.run(1)
    twin = _twin(original, duplicate, what).again(choices=SEED)
    with failing(f"{what}: the copy cannot be reset and played:"):
        twin.reset(SEED).run()
    require_same_play(reference, twin.log, f"{what}: a new environment and the copy, both reset")
    disturbed = f"{what}: playing the copy disturbs the original"
    _play_on(original, len(reference) - 2, disturbed)
    require_same_play(reference, original.log, disturbed)


def _require_same_future(api: Api[Play], seed: int, original: Play, twin: Play, what: str) -> None:
    """Raises Failed unless copy and original play the same later games as an environment that was never copied."""
    plain = api.game(seed)
    plain.run(len(original.log) - 1)
    with failing(f"{what}: the next game:"):
        games = [[play.again(1).reset().run(SHORT) for _ in range(NEXT_GAMES)] for play in (plain, twin, original)]
    for one, other in zip(games[0], games[1], strict=True):
        require_same_play(one, other, f"{what}: later games without copying, and later games of the copy")
    for one, other in zip(games[0], games[2], strict=True):
        require_same_play(one, other, f"{what}: playing the copy changes later games of the original")


def _twin(original: Play, duplicate: Callable[[Any], Any], what: str) -> Play:
    with failing(f"{what} raises", Noted):
        env = duplicate(original.env)
    twin = copy.copy(original)
    twin.env, twin.chooser, twin.log, twin.played = env, copy.deepcopy(original.chooser), [], []
    if isinstance(twin, ParallelPlay):
        twin.result = copy.deepcopy(twin.result)
    return twin


def _play_on(play: Play, steps: int, what: str) -> None:
    with failing(f"{what}:"):
        play.log = play.log or [play.seen()]
        play.run(steps)


def environments_do_not_meet(subject: Subject) -> None:
    """Two environments that are stepped alternately play the same games as each would alone.

    This finds state or a generator stored in the class or the module.

    Vectorised training steps many environments in turn.

    Example: `rng = np.random.default_rng(0)` in the class body.
    Fix: Make such objects in `__init__` or `reset`.
    """
    for api in steady_apis(subject):
        alone = [api.game(seed).run() for seed in (SEED, SEED + 1)]
        together = [api.new(choices=seed) for seed in (SEED, SEED + 1)]
        for seed, play in zip((SEED, SEED + 1), together, strict=True):
            play.reset(seed)
        for _ in range(max(map(len, alone)) - 1):
            for play in together:
                play.run(1)
        for log, play in zip(alone, together, strict=True):
            require_same_play(log, play.log, f"{api.kind}: alone, and beside another environment")
        _require_own_spaces(*together)


def _require_own_spaces(one: Play, other: Play) -> None:
    """Sampling from one environment's spaces does not affect the other's."""
    for agent in getattr(one.env, "possible_agents", ()):
        for name in ("action_space", "observation_space"):
            space, its = getattr(one.env, name)(agent), getattr(other.env, name)(agent)
            space.seed(SEED)
            before = space_facts(space)
            its.sample()
            if difference(before, space_facts(space)):
                raise Failed(f"{one.kind}: {name}({agent!r}) of two environments share a random generator")


def global_randomness_is_left_alone(subject: Subject) -> None:
    """Making, resetting and playing neither uses nor seeds the global generators of `random` and `numpy.random`.

    Otherwise the environment affects every other user of random numbers in the process, and depends on them.

    Example: `random.shuffle(deck)` or `np.random.seed(seed)`.
    Fix: `self.rng.shuffle(deck)`, with a generator of the environment's own.
    """
    for api in subject.apis():
        kept = random.getstate(), np.random.get_state()
        try:
            _require_untouched(api)
        finally:
            random.setstate(kept[0])
            np.random.set_state(kept[1])


def _require_untouched(api: Api[Play]) -> None:
    random.seed(SEED)
    np.random.seed(SEED)  # this generator is under test
    # Advance both, so that seeding with the same number is noticed.
    random.random(), np.random.random()
    before = {"random": random.getstate(), "numpy.random": np.random.get_state()}
    for seed in range(GAMES):
        play = api.game(seed)
        play.run()
        play.reset()
    after = {"random": random.getstate(), "numpy.random": np.random.get_state()}
    for name in before:
        if difference(before[name], after[name]):
            raise Failed(f"{api.kind}: the generator of `{name}` has been used or seeded")
