"""Checks that returned data and copies belong to the caller, and that looking at an environment has no side effects."""

import copy
import pickle
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
from gymnasium.utils import EzPickle

from zoocheck.declared import modes_of, require_modes
from zoocheck.explore import Watch, step, watcher
from zoocheck.kinds import AECPlay, ParallelPlay
from zoocheck.look import arrays_in, drawn, public, require_same, require_same_play, state_shown
from zoocheck.play import Play, layers
from zoocheck.seeds import SHORT, require_untouched, steady_apis
from zoocheck.subject import Api, Subject
from zoocheck.verdicts import Failed, NotApplicable, Noted, failing

SEEDS = range(3)
SHARE = 0.01
COPIED_SEED = 5
# Number of games to copy, time permitting: a copy may lose something that matters in few games.
COPIED_SEEDS, COPIES_SHARE = 6, 0.04
# The first two are always tried.
CUTS = (1, 0, 3, 2, 7)
NEXT_GAMES = 4


def arrays_are_fresh(subject: Subject) -> None:
    """Returned arrays do not change later and share no memory, and writing into them has no effect.

    An environment that reuses a buffer overwrites what a replay buffer has stored. If it returns its internal mask, a
    caller that writes into the mask changes the rules.

    Example: `observe` returns `self.board`, which `step` changes.
    Fix: `return self.board.copy()`.
    """
    for api in steady_apis(subject, own=True):
        for seed in SEEDS:
            _follow(api, seed)
            for mode in modes_of(subject):
                _require_fresh_pictures(api, mode, seed)


def _follow(api: Api, seed: int) -> None:
    clean, kept, written = (api.game(seed) for _ in range(3))
    while clean.goes_on():
        where = clean.at
        require_same(_essence(clean), _essence(written), f"{where}: writing into returned data changes the game")
        choice = written.choice()
        _require_unshared(kept, where)
        handed = {"observations": dict(kept.shown()), "state()": state_shown_itself(kept.env)}
        if isinstance(kept, ParallelPlay):  # the dicts of AEC are attributes, which may change
            handed |= dict(zip(kept.NAMES, kept.result, strict=True))
        before = copy.deepcopy(handed)
        _scribble(written)
        for play in (clean, kept, written):
            play.submit(copy.deepcopy(choice), log=False)
        require_same(before, handed, f"{where}: the next step changes data that was returned earlier")


def state_shown_itself(env: Any) -> Any:
    """The object returned by state(), not a copy; None if there is none."""
    return None if state_shown(env) is None else env.state()


def _essence(play: Play) -> dict[str, Any]:
    """All visible data; in AEC without infos, because the environment may keep a returned info until the turn ends."""
    seen = play.seen()
    if isinstance(play, AECPlay):
        del seen["infos"]
        seen["last"] = None
    elif callable(getattr(play.env, "observe", None)):  # optional in Parallel
        seen["observe()"] = {agent: copy.deepcopy(play.env.observe(agent)) for agent in play.env.agents}
    seen["state()"] = state_shown(play.env)
    return seen


def _scribble(play: Play) -> None:
    """Overwrites, once, all data that a learner receives."""
    handed = [*play.result, state_shown_itself(play.env)] if isinstance(play, ParallelPlay) else []
    if isinstance(play, AECPlay):  # only the info of the selected agent has been returned
        others = [observation for agent, observation in play.shown() if agent != play.env.agent_selection]
        handed = [*play.handed(), *others, state_shown_itself(play.env)]
    _spoil(handed)


def _overwrite(array: Any) -> None:
    if array.flags.writeable and array.dtype != object and array.dtype.kind in "biuf":
        array[...] = 1 - array.astype(np.int8) if array.dtype != bool else ~array


def _spoil(value: Any) -> None:
    """Overwrites the content of a container, recursively."""
    if isinstance(value, np.ndarray):
        _overwrite(value)
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(part, int | float | np.integer | np.floating):
                value[key] = not part if isinstance(part, bool) else part + 1
            else:
                _spoil(part)
    elif isinstance(value, tuple):
        for entry in value:
            _spoil(entry)
    elif isinstance(value, set):
        value.clear()


def _require_unshared(play: Play, where: str) -> None:
    shown = [*play.shown(), *(play.shown() if isinstance(play, AECPlay) else ())]  # AEC may return the same array twice
    arrays = [(str(agent), *found) for agent, data in shown for found in arrays_in(data)]
    for (one, path, array), (other, other_path, other_array) in combinations(arrays, 2):
        if array.size and np.may_share_memory(array, other_array):
            names = f"{one}{path and f'.{path}'} and {other}{other_path and f'.{other_path}'}"
            who = f"the observations {names}" if one != other or path != other_path else f"two observations of {one}"
            raise Failed(f"{where}: {who} share memory")


def _require_fresh_pictures(api: Api, mode: str, seed: int) -> None:
    """Raises Failed if a returned picture changes later, or if writing into it changes the next one."""
    clean, kept = (api.game(seed, render_mode=mode) for _ in range(2))
    for _ in range(4):
        if clean.over:
            return
        picture = kept.env.render() if mode != "human" else None
        if not isinstance(picture, np.ndarray):
            return
        require_same(drawn(clean.env)[0], picture, f"{clean.at}: writing into a picture changes the next one")
        before = picture.copy()
        for play in (clean, kept):
            play.step(log=False)
        drawn(clean.env)  # because a picture may depend on the number of pictures before it
        again = kept.env.render()
        require_same(before, picture, f"{kept.at}: render() changes a picture that it returned earlier")
        _overwrite(again)


def containers_are_not_shared(subject: Subject) -> None:
    """No two agents share an info dict, and in Parallel no two steps return the same dict object.

    Otherwise an entry that a wrapper adds for one agent would appear for all agents.

    Example: `self.infos = dict.fromkeys(self.agents, {})`.
    Fix: `self.infos = {agent: {} for agent in self.agents}`.
    """
    for api in steady_apis(subject):
        play = api.game(1)
        earlier: list[Any] = []
        while play.goes_on(SHORT):
            for (one, info), (other, other_info) in combinations(play.part("infos").items(), 2):
                if info is other_info and isinstance(info, dict):
                    raise Failed(f"{play.at}: {one} and {other} share one info dict")
            if isinstance(play, ParallelPlay):
                if any(part is known for part in play.result for known in earlier):
                    raise Failed(f"{play.at}: a returned dict is the same object as in an earlier step")
                earlier += [part for part in play.result if part or len(play.played)]
            play.step(log=False)


def the_callers_actions_are_left_alone(subject: Subject) -> None:
    """step() does not change the caller's actions, and does not depend on later changes to them.

    Learners reuse an array for their next action. An AEC environment that keeps a reference to it until all have
    committed plays whatever the array contains by then.

    Example: `actions.pop(agent)` in `step`, or `self.moves[agent] = action` for an array.
    Fix: Copy first: `actions = dict(actions)`, `self.moves[agent] = np.copy(action)`.
    """
    changeable = False
    for api in steady_apis(subject, own=True):
        for seed in SEEDS:
            clean, reused = (api.game(seed) for _ in range(2))
            while clean.goes_on(SHORT):
                choice = clean.choice()
                changeable |= isinstance(choice, np.ndarray | dict | list)
                clean.submit(copy.deepcopy(choice), log=False)
                handed = copy.deepcopy(choice)
                written = "after the caller has written into the actions of earlier steps"
                with failing(f"{reused.at}: {choice} raises {written}:"):  # the other environment accepted it
                    reused.submit(choice, log=False, handed=handed)
                require_same(choice, handed, f"{reused.at}: step() changes the actions of the caller")
                _spoil(handed)
                here, there = ({**_essence(play), **play.seen()} for play in (clean, reused))
                require_same(here, there, f"{clean.at}: writing into the actions after step() changes the game")
    if not changeable:
        raise NotApplicable("actions are plain numbers, which are immutable")


def rendering_changes_nothing(subject: Subject) -> None:
    """Rendering after every step changes neither the episode nor later games.

    Example: `render()` draws positions with the game's generator, or updates the picture that `observe` crops.
    Fix: Draw decorations from another generator; compute observations from the game's state.
    """
    modes = require_modes(subject)
    for api in steady_apis(subject):
        for mode in modes:
            for seed in subject.time(SHARE):
                what = f"pictures in mode {mode!r}"
                require_untouched(subject, api, seed, lambda play: drawn(play.env), what, render_mode=mode)
                if seed == 2:
                    break


def looking_changes_nothing(subject: Subject) -> None:
    """Reading state(), texts, public attributes, spaces and observations changes neither the episode nor later games.

    Example: `state()` returns `np.array(self.deck.sort())` or draws noise.
    Fix: Compute what is returned from copies: `sorted(self.deck)`.
    """

    def look(play: Play) -> None:
        for _ in range(2):
            public(play.env)
            play.seen()
            play.shown()

    for api in steady_apis(subject):
        for seed in range(3):
            plain = require_untouched(subject, api, seed, look, "reading public data")
            blind = api.game(seed).replay(plain.played[: len(plain.log) - 1])
            what = f"{plain.where}: with and without reading observations"
            require_same(plain.log[-1], blind.seen(), what)


@watcher("AEC", "Parallel", first=require_modes)
def every_situation_can_be_drawn(play: Play, subject: Subject) -> Watch:
    """render() raises no error in any situation, so that a recorder can draw the last one, too.

    Example: `render()` looks up `self.hands[self.agent_selection]` after the last agent has left.
    Fix: Draw from `possible_agents`, and handle the end.
    """
    while getattr(play.env, "render_mode", None) in modes_of(subject):
        drawn(play.env)
        yield from step()


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
            # Copies by design keep only the constructor's arguments, not the game.
            if any(getattr(type(layer), "__setstate__", None) is EzPickle.__setstate__ for layer in layers(api.make())):
                _check_copy(api, COPIED_SEED, 1, name, duplicate, anew=True)
                notes.append(f"{api.kind}: with `EzPickle`, {name} makes a new environment, which must be reset first")
                continue
            clock = subject.time(COPIES_SHARE)
            for number, (seed, cut) in enumerate(product(range(COPIED_SEED, COPIED_SEED + COPIED_SEEDS), CUTS)):
                if number > 1 and next(clock, None) is None:
                    break
                _check_copy(api, seed, cut, name, duplicate)
        except Noted as refused:
            notes.append(str(refused))
    if notes:
        raise Noted("; ".join(notes))


def _check_copy(api: Api, seed: int, cut: int, name: str, duplicate: Callable[[Any], Any], anew: bool = False) -> None:
    """Checks a copy after `cut` steps of one game; one that begins `anew` is reset first, to the same game."""
    reference = api.game(seed).run()
    if cut >= len(reference):
        return
    original = api.game(seed)
    original.run(cut)
    what = f"{original.where}: {name} after step {cut}"
    twin, first = _twin(original, duplicate, what), cut
    with failing(f"{what}: the copy cannot go on:"):
        if anew:
            twin, first = twin.again(seed).reset(seed), 0
        twin.log = [twin.seen()]
        twin.run(len(reference) - 1 - first)
    require_same_play(reference[first:], twin.log, f"{what}: the original and the copy")
    disturbed = f"{what}: playing the copy disturbs the original"
    require_same(reference[cut], original.seen(), disturbed)
    with failing(f"{disturbed}:"):
        original.run(len(reference) - 1 - cut)
    require_same_play(reference, original.log, disturbed)
    if not anew:
        _require_same_future(api, seed, original, twin, what)


def _require_same_future(api: Api, seed: int, original: Play, twin: Play, what: str) -> None:
    """Raises Failed unless copy and original play the same later games as an environment that was never copied."""
    plain = api.game(seed)
    plain.run(len(original.log) - 1)
    with failing(f"{what}: the next game:"):
        games = [[play.again(1).reset().run(SHORT) for _ in range(NEXT_GAMES)] for play in (plain, twin, original)]
    for plains, twins, originals in zip(*games, strict=True):
        require_same_play(plains, twins, f"{what}: later games without copying, and later games of the copy")
        require_same_play(plains, originals, f"{what}: playing the copy changes later games of the original")


def _twin(original: Play, duplicate: Callable[[Any], Any], what: str) -> Play:
    with failing(f"{what} raises", Noted):
        env = duplicate(original.env)
    twin = copy.copy(original)
    twin.env, twin.chooser, twin.log, twin.played = env, copy.deepcopy(original.chooser), [], []
    if isinstance(twin, ParallelPlay):
        twin.result = copy.deepcopy(twin.result)
    return twin
