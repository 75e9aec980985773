"""Checks that games do not depend on the order of dicts, the hash seed, or other environments."""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import gymnasium
import numpy as np

from zoocheck import look
from zoocheck.explore import LONG, Route, routes
from zoocheck.play import Play, layers, seats, styled
from zoocheck.seeds import steady_apis
from zoocheck.steady import find, steady_api
from zoocheck.subject import Api, Subject, description, remade
from zoocheck.verdicts import STEPS, Failed, NotApplicable, OutOfTime, Skipped, processor_seconds, quiet

SHARE = 0.035
MOST_PLACES = 400
AHEAD = 10
GAMES = 12
LONGEST = 25
SECONDS = 60
ANOTHER = 4711
SEED, PLAYED = 5, 6
Games = dict[str, list[list[str]]]


def order_of_actions_does_not_matter(subject: Subject) -> None:
    """The dict of actions may list the agents in any order: the game is identical to the last bit.

    The dict may include agents that are out; their actions are rejected or ignored. Learners build it in any order.

    Example: `winner = max(actions, key=actions.get)`: the first in the dict wins a tie.
    Fix: Loop over `self.agents`, and break ties by the rules.
    """
    subject.api("Parallel")
    api = steady_api(subject, "Parallel")
    clock = subject.time(SHARE)
    for number, route in enumerate(routes(subject, "Parallel", MOST_PLACES)):
        _compare(api, route, number)
        if next(clock, None) is None:
            break


def _compare(api: Api, route: Route, number: int) -> None:
    """Continues a game with the actions in several orders, and compares the results after each step."""
    plain, *others = (route.travel(api) for _ in range(4))
    plain.chooser = styled((2, 0, 3, 1)[number % 4] + 4 * number)  # first all alike, because the order matters in ties
    rng = np.random.default_rng(number)
    while not plain.over and len(plain.played) < len(route.moves) + AHEAD:
        choice = plain.choice()
        plain.submit(choice, log=False)
        seen, names = plain.seen(), list(choice)
        if len(plain.played) == len(route.moves) + 1:
            _require_ignored(api, route, choice, seen)
        shuffled = [names[i] for i in rng.permutation(len(names))]
        for other, order in zip(others, (names[::-1], names[1:] + names[:1], shuffled), strict=True):
            other.submit({agent: choice[agent] for agent in order}, log=False)
            _require_alike(seen, other, f"{choice} leads elsewhere if ordered as {order}: ")


def _require_ignored(api: Api, route: Route, choice: dict[Any, Any], seen: Any) -> None:
    """Raises Failed if an action of an agent that is out has an effect; it may be rejected."""
    if set(seen["rewards"]) - set(choice):
        return  # reported by `results_name_the_agents`
    unlike = {repr(action): action for action in choice.values()}
    for gone in [agent for agent in seats(api.make()) if agent not in choice]:
        for action, extra in unlike.items():
            other = route.travel(api)
            try:
                other.submit({**choice, gone: extra}, log=False)
            except Exception:
                return
            _require_alike(seen, other, f"{gone} is out, but its action {action} changes ")


def _require_alike(seen: Any, other: Play, words: str) -> None:
    """Raises Failed if the results differ other than in the order of agents, which may be that of the actions."""
    if found := look.difference(seen, other.seen(), "exact", "unordered"):
        raise Failed(f"{other.at}: {words}{found}")


def hash_seed_does_not_matter(subject: Subject) -> None:
    """In a new process with another hash seed, the same seed gives the same games.

    Runs are not reproducible if something is drawn from a set of names, seeded with a hash, or depends on how many
    environments were created earlier.

    Example: `deck = list({"ace", "king", "queen"})`.
    Fix: Use a list, or sort the set. Do not seed with `hash(...)`.
    """
    for api in subject.apis():
        steady_api(subject, api.kind)
    processes = elsewhere(subject)
    here = digests(subject, _told(subject)["blind"])
    for hash_seed, (there, _) in processes.items():
        if where := _unlike(here, there):
            raise Failed(f"{where}: a new process with PYTHONHASHSEED={hash_seed} plays a different game")


def environments_leave_nothing_behind(subject: Subject) -> None:
    """In a new process, the first environment and a later one play the same games.

    State left in the class, the module or a default argument (`def __init__(self, history=[])`) affects all later
    environments. In a long-running process the effect can fade.

    Example: `history = []` in the class body, to which `step` appends.
    Fix: Make such objects in `__init__` or `reset`.
    """
    processes = elsewhere(subject)
    firsts = [first for first, _ in processes.values()]
    if any(_unlike(firsts[0], first) for first in firsts[1:]):
        raise NotApplicable("new processes play different games: unseeded chance or the hash seed decides")
    for first, again in processes.values():
        if where := _unlike(first, again):
            words = "a fresh environment plays a different game after other environments have been played"
            raise Failed(f"{where}: in a new process {words}{_shared(subject)}")


def _shared(subject: Subject) -> str:
    """Describes the first container that two environments share and that a game changes."""
    for api in subject.apis():
        one, other = (api.new(choices=1) for _ in range(2))
        for play in (one, other):
            play.reset(1)
        theirs = {id(part) for _, part in look.reachable(other.env) if isinstance(part, list | dict | set)}
        before = [(path, part, look.text_of(part)) for path, part in look.reachable(one.env) if id(part) in theirs]
        one.run()
        for path, part, text in before:
            if look.text_of(part) != text:
                return f": they share the {type(part).__name__} {path}, which games change"
    return ""


def environments_do_not_meet(subject: Subject) -> None:
    """Two environments that are stepped alternately play the same games as each would alone.

    Vectorised training steps many environments in turn. No random generator that games draw from belongs to two
    environments, or to the class.

    Example: `rng = np.random.default_rng(0)` in the class body.
    Fix: Make such objects in `__init__` or `reset`.
    """
    for api in steady_apis(subject):
        alone = [api.game(seed).run() for seed in (SEED, SEED + 1)]
        together = [api.new(choices=seed) for seed in (SEED, SEED + 1)]
        together = [play.reset(SEED + number) for number, play in enumerate(together)]
        for _ in range(max(map(len, alone)) - 1):
            for play in together:
                play.run(1)
        for log, play in zip(alone, together, strict=True):
            look.require_same_play(log, play.log, f"{api.kind}: alone, and beside another environment")
        _require_own_spaces(*together)
        _require_same_lengths(api)
    _require_own_generators(subject)


def _require_same_lengths(api: Api) -> None:
    """Long games of two environments that are stepped alternately do not end earlier: they share no counter."""
    alone = api.game(SEED).play_on(min(STEPS, api.budget.longest))
    if alone.over or len(alone.played) < STEPS:  # short games have been compared, and slow ones would take too long
        return
    alone.play_on(LONG)
    pair = [api.game(SEED) for _ in range(2)]
    while not any(play.over for play in pair) and len(pair[0].played) < LONG:
        for play in pair:
            play.step(log=False)
    for play in pair:
        if len(play.played) < len(alone.played):
            raise Failed(f"{play.at}: the game ends, though alone it goes on to step {len(alone.played)}")


def _require_own_generators(subject: Subject) -> None:
    """No generator that a game uses is reachable from another environment, or from a class of two of them."""
    plays = [api.game(SEED) for api in subject.apis() for _ in range(2)]
    held = [{id(part): (path, part) for path, part in _generators(play.env)} for play in plays]
    for play, own in zip(plays, held, strict=True):
        shared = [own[key] for key in own if sum(key in other for other in held) > 1]
        before = [look.state_of(part) for _, part in shared]
        play.run()
        for (path, part), state in zip(shared, before, strict=True):
            if look.difference(state, look.state_of(part)):
                raise Failed(f"{play.kind}: several environments share the random generator {path}, which games use")


def _generators(env: Any) -> Iterator[tuple[str, Any]]:
    """The generators that an environment and its classes hold, but for those of spaces."""
    spaces = {id(vars(part).get("_np_random")) for _, part in look.reachable(env) if isinstance(part, gymnasium.Space)}
    yield from ((path, part) for path, part in look.generators_on(env) if id(part) not in spaces)
    for kind in {kind for layer in layers(env) for kind in type(layer).__mro__}:
        held = vars(kind).items()
        yield from ((f"{kind.__name__}.{name}", part) for name, part in held if look.state_of(part) is not None)


def _require_own_spaces(one: Play, other: Play) -> None:
    """No space of one environment, nor its generator, belongs to the other."""
    for agent in getattr(one.env, "possible_agents", ()):
        for name in ("action_space", "observation_space"):
            space, its = getattr(one.env, name)(agent), getattr(other.env, name)(agent)
            if space is its or space.np_random is its.np_random:
                raise Failed(f"{one.kind}: {name}({agent!r}) of two environments share a random generator")


def global_randomness_is_left_alone(subject: Subject) -> None:
    """Making, resetting and playing neither uses nor seeds the global generators of `random` and `numpy.random`.

    Example: `random.shuffle(deck)` or `np.random.seed(seed)`.
    Fix: `self.rng.shuffle(deck)`, with a generator of the environment's own.
    """
    for api in subject.apis():
        kept = random.getstate(), np.random.get_state()
        random.seed(SEED)
        np.random.seed(SEED)  # this generator is under test
        # Advance both, so that seeding with the same number is noticed.
        random.random(), np.random.random()
        before = random.getstate(), np.random.get_state()
        try:
            for seed in range(PLAYED):
                play = api.game(seed)
                play.run()
                play.reset()
            after = random.getstate(), np.random.get_state()
        finally:
            random.setstate(kept[0])
            np.random.set_state(kept[1])
        for name, one, other in zip(("random", "numpy.random"), before, after, strict=True):
            if look.difference(one, other):
                raise Failed(f"{api.kind}: the generator of `{name}` has been used or seeded")


def _unlike(here: Games, there: Games) -> str:
    """The location of the first difference between two rounds of games; empty if there is none."""
    for key, games in here.items():
        for seed, (one, other) in enumerate(zip(games, there[key], strict=True)):
            for step, pair in enumerate(zip(one, other, strict=False)):
                if pair[0] != pair[1]:
                    return f"{key}, seed {seed}, after step {step}"
    return ""


def _told(subject: Subject) -> dict[str, Any]:
    """Tells another process how to make the environment, and how long to play it."""
    seconds = subject.budget.left() / 2  # there are two processes
    blind = {api.kind: sorted(find(subject, api.kind).kinds, key=str) for api in subject.apis()}
    return {"subject": description(subject), "longest": subject.budget.longest, "seconds": seconds, "blind": blind}


def digests(subject: Subject, blind: Mapping[str, list[Any]]) -> Games:
    """Kind -> game -> step -> digest of all visible data, without the infos that always differ.

    A new process has played nothing before, so it has no state left by earlier environments.
    """
    found = {}
    for kind, names in blind.items():
        api = replace(subject.api(kind), blind=frozenset(names))
        games = [api.game(seed).run(LONGEST) for seed in range(subject.budget.fewer(GAMES))]
        texts = [[look.text_of(look.plain(seen)) for seen in log] for log in games]  # sets in order
        found[kind] = [[hashlib.sha256(text.encode()).hexdigest()[:12] for text in log] for log in texts]
    return found


def elsewhere(subject: Subject) -> dict[int, list[Games]]:
    """Plays games twice in each new process; hash seed -> the first and the second round of games."""
    told = _told(subject)
    seeds = _other_hash_seeds(tuple(map(str, seats(subject.any_env())[:4])))
    return {seed: subject.once(("elsewhere", seed), partial(_elsewhere, told, seed)) for seed in seeds}


def _elsewhere(told: dict[str, Any], hash_seed: int) -> list[Games]:
    command, env = [sys.executable, "-m", "zoocheck.order"], _environment(hash_seed)
    try:
        done = subprocess.run(command, input=json.dumps(told), env=env, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Skipped(f"another process needed more than {SECONDS} seconds to start and play") from None
    if done.returncode:
        raise Skipped(f"another process cannot play it: {' '.join(done.stderr.split())[-200:]}")
    found: list[Games] | None = json.loads(done.stdout.splitlines()[-1])
    if found is None:
        raise OutOfTime
    return found


@cache
def _other_hash_seeds(names: tuple[str, ...]) -> list[int]:
    """Two hash seeds; the first changes which name the set of all names, and of each pair, begins with."""
    groups = [list(names), *([one, other] for i, one in enumerate(names) for other in names[i + 1 :])]
    here = [next(iter(set(group))) for group in groups]
    code = f"print(*[next(iter(set(group))) for group in {groups!r}], sep='\\n')"
    unlike = {}
    for seed in range(1, 13):
        command = [sys.executable, "-S", "-c", code]
        done = subprocess.run(command, env=_environment(seed), capture_output=True, text=True, check=True)
        unlike[seed] = sum(one != other for one, other in zip(here, done.stdout.splitlines(), strict=True))
        if unlike[seed] == len(groups):
            break
    return [max(unlike, key=lambda seed: unlike[seed]), ANOTHER]


def _environment(hash_seed: int) -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)}


@quiet()
def _play_elsewhere() -> None:
    told = json.loads(sys.stdin.read())
    subject = remade(told["subject"])
    subject.budget.longest = told["longest"]
    subject.budget.end = subject.budget.deadline = processor_seconds() + told["seconds"]
    first = digests(subject, told["blind"])
    for number, api in enumerate(subject.apis()):  # the effects of two equal rounds may cancel out
        api.new().reset(GAMES + number).run(LONGEST)
    print(json.dumps([first, digests(subject, told["blind"])]))


if __name__ == "__main__":
    try:
        _play_elsewhere()
    except OutOfTime:
        print("null")
