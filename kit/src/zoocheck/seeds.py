"""Checks of reproducibility: the seed determines all random draws."""

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from zoocheck.declared import modes_of
from zoocheck.look import difference, drawn, require_same, require_same_play
from zoocheck.play import Play
from zoocheck.steady import find, steady_api, stepping_clocks
from zoocheck.subject import Api, Subject
from zoocheck.verdicts import STEPS, Failed, NotApplicable, failing

# Number of games to compare before concluding that there is no chance, which may be rare.
GAMES = 12
MANY_SEEDS = 120
MOST_GAMES = 1_000
SHORT = 40
# After this many games a seeded reset must still produce the same game.
MANY = (1, 2, 3, 5, 9, 10, 20, 50, 99, 100, 150)
HISTORY_SHARE = 0.03
ABANDONED = 9
UNKNOWN = {"an unknown option": 1}
# Games in which all clocks jump, by so many seconds at each call.
CLOCKS_SEEDS, JUMP = 3, 3601.0


def steady_apis(subject: Subject, own: bool = False) -> Iterator[Api]:
    """Yields all kinds, or those of `Subject.own_apis`, for checks that compare episodes."""
    for api in subject.own_apis() if own else subject.apis():
        yield steady_api(subject, api.kind)


def same_seed_same_episode(subject: Subject) -> None:
    """Two fresh environments with the same seed return the same observations, rewards and infos to the end.

    PettingZoo's `parallel_seed_test` takes one step, so it misses later draws from another generator. Nothing but infos
    may depend on the time either: in some games all clocks of `time` and `datetime` jump by an
    hour at each call.

    Example: `reset` seeds `self.rng`, but `step` draws from `np.random.default_rng()`.
    Fix: Draw everything from the one generator that `reset(seed)` makes.
    """
    for api in subject.apis():
        if found := find(subject, api.kind).episodes:
            subject.fail(found)
        api = steady_api(subject, api.kind)
        _require_numpy_seeds(api)
        _require_timeless(api)


def _require_timeless(api: Api) -> None:
    for seed in range(CLOCKS_SEEDS):
        plain = api.game(seed).run()
        with stepping_clocks(api.make(), JUMP):
            hurried = api.game(seed).run()
        for seen in (*plain, *hurried):
            seen |= {"infos": {}, "last": (seen.get("last") or [])[:-1]}
        what = f"{api.kind}, seed {seed}: with all clocks jumping at each call, and without"
        require_same_play(plain, hurried, what)


def _require_numpy_seeds(api: Api) -> None:
    """A NumPy integer as seed is rejected, or produces the same game as the Python integer."""
    for seed in range(1, 4):
        fresh, play = api.game(seed).run(SHORT), api.new(choices=seed)
        try:
            play.reset(np.int64(seed))
        except Exception:
            return
        require_same_play(fresh, play.run(SHORT), f"{api.kind}: with seed {seed} as int, and as numpy.int64")


def other_seed_other_episode(subject: Subject) -> None:
    """If there is chance, not all seeds produce the same game.

    An environment that ignores its seed passes every test of reproducibility.

    Example: `self.rng = np.random.default_rng(bool(seed))`.
    Fix: `if seed is not None: self.rng = np.random.default_rng(seed)`. Beware of `if seed:`, which drops seed 0.
    """
    chance = False
    for api in steady_apis(subject):
        games = _seeded(api, range(2 * GAMES))
        # Without seed 0, to notice a seed that is used as a bool.
        unlike = len(_groups(games[1:]))
        chance = chance or unlike > 1
        if unlike == 1 and (chances := _sign_of_chance(subject, api)):
            sign, share = chances
            seeds = range(1, _enough(share))
            if len(_groups(_seeded(api, seeds))) == 1:
                raise Failed(f"{api.kind}: seeds 1 to {seeds[-1]} all lead to the same game, although {sign}")
        if 1 < unlike < len(games) - 1:  # some seeds may give the same game if there is little chance
            # Two independent samples, because rare chance may show more often in one series than under as many seeds.
            found = _few(api, range(1, MANY_SEEDS))
            if found and _few(api, range(MANY_SEEDS, 2 * MANY_SEEDS - 1)):
                raise Failed(f"{api.kind}: {found}")
    if not chance:
        raise NotApplicable(f"no chance: {2 * GAMES} games with the same choices were identical, seeded or not")


def _seeded(api: Api, seeds: range) -> list[Any]:
    """Logs of the games in fresh environments after these seeds, with the same choices."""
    return [api.new().reset(seed).run(SHORT) for seed in seeds]


def _few(api: Api, seeds: range) -> str | None:
    """Says so if these seeds lead to far fewer distinct games than as many consecutive games are."""
    unlike, in_a_row = len(_groups(_seeded(api, seeds))), len(_groups(_series(api, len(seeds), seeds[0])))
    few = f"seeds {seeds[0]} to {seeds[-1]} lead to only {unlike} different games"
    many = f"although {in_a_row} of as many consecutive games are different"
    return f"{few}, {many}" if in_a_row > 2 * unlike else None


def _share(games: list[Any]) -> float:
    """The share of the games that differ from the most common one."""
    return 1 - max(_groups(games)) / len(games)


def _enough(share: float) -> int:
    """The number of games that fail to show chance of this frequency with a probability of at most 1e-6."""
    return max(2 * GAMES, min(MOST_GAMES, math.ceil(math.log(1e-6) / math.log1p(-min(share, 0.9)))))


def _groups(games: list[Any]) -> list[int]:
    """How often each distinct game occurs; compares their ends first, where most differ."""
    sizes: list[tuple[Any, list[Any]]] = []  # distinct games, each with all that equal it
    for game in (game[::-1] for game in games):
        same = next((group for other, group in sizes if not difference(game, other)), None)
        if same is None:
            sizes.append((game, same := []))
        same.append(game)
    return [len(group) for _, group in sizes]


def _sign_of_chance(subject: Subject, api: Api) -> tuple[str, float] | None:
    """What shows that there is chance, and the share of games in which it shows."""
    # If games with equal seeds differ too, they differ by what a reset leaves behind, not by chance.
    if len(_groups(_series(api))) > 1 and len(_groups(_series(api, again=7))) == 1:
        return "consecutive games differ", _share(_series(api, MANY_SEEDS))
    if share := _share([api.new().reset().run(SHORT) for _ in range(GAMES)]):
        return "unseeded games differ", share
    game = subject.game()
    chances = [float(start[0]) for start in game.initial()] if game is not None else []
    return ("its rules list several outcomes", 1 - max(chances)) if len(chances) > 1 else None


def seeded_reset_starts_anew(subject: Subject) -> None:
    """A seeded reset within a turn or game, or after its end, starts the same episode as in a fresh environment.

    This finds rewards, commitments, decks or pictures that survive a reset, also after an action that its mask forbids.
    Learners reset mid-game when they truncate an episode.

    Example: `reset` does not clear the moves committed in the abandoned game.
    Fix: Set every attribute of the game in `reset`.
    """
    for api in steady_apis(subject):
        fresh = api.game(2).run()
        for steps in (1, 2, 3, STEPS):
            used = api.game(1)
            used.run(steps)
            _require_anew(used, 2, fresh, f"after {steps} steps of another game")
            if played_illegally(used := api.game(1), steps):
                _require_anew(used, 2, fresh, "after an illegal action in another game")
        used = api.new(choices=1)
        for number in range(ABANDONED):
            used.reset(number).run(1 + number % 3)
        _require_anew(used, 2, fresh, f"after {ABANDONED} games that were left in the middle")
        for mode in modes_of(subject):
            _require_new_picture(api, mode)


def _require_anew(used: Play, seed: int, fresh: list[Any], what: str, steps: int = STEPS) -> None:
    """Raises Failed unless a seeded reset of a used environment starts the same game as in a fresh one."""
    what = f"{used.kind}: fresh, and reset {what}"
    with failing(f"{what}: raises"):
        again = used.again(seed).reset(seed).run(steps)
    require_same_play(fresh, again, what)


def _require_new_picture(api: Api, mode: str) -> None:
    """After a reset, the first picture is that of the new game, if pictures depend on the situation alone."""
    fresh, used = (api.game(seed, render_mode=mode) for seed in (2, 1))
    used.run(3)
    drawn(used.env)
    used.again(2).reset(2)
    first, after, again = (drawn(play.env) for play in (fresh, used, fresh))
    if difference(first, again) is None:
        require_same(first, after, f"{api.kind}: fresh, and reset after another game: render() in mode {mode!r}")


def played_illegally(play: Play, steps: int) -> bool:
    """Plays `steps` steps, then tries an action that the mask forbids; returns False if every action is allowed."""
    play.run(steps)
    for agent in play.asked() if not play.over else ():
        mask = play.mask(agent)
        for number in np.flatnonzero(mask == 0)[:1] if mask is not None and mask.any() else ():
            with suppress(Exception):
                play.submit(play.with_action(agent, int(play.env.action_space(agent).start + number)), log=False)
            return True
    return False


def earlier_games_do_not_matter(subject: Subject) -> None:
    """After many games a seeded reset still produces the same episode as in a fresh environment.

    This finds counts that overflow, limits that count all games, and rules that change after a warm-up.

    Example: `self.steps` counts the steps of all games, and ends a game at 1,000.
    Fix: Set counters to zero in `reset`.
    """
    for api in steady_apis(subject):
        fresh = api.game(2).run()
        used = api.new(choices=1)
        played, clock = 0, subject.time(HISTORY_SHARE)
        for games in MANY:
            while played < games:
                used.reset(played).play_on(used.budget.longest)
                played += 1
            _require_anew(used, 2, fresh, f"after {played} other games")
            played += 1
            if next(clock, None) is None:
                break


def unseeded_reset_goes_on(subject: Subject) -> None:
    """An unseeded reset continues the random stream: the first seed determines all later games, and these differ.

    Otherwise a learner that seeds once and then only resets gets irreproducible runs, or always the same game.

    Example: `self.rng = np.random.default_rng(seed)` in every `reset`, even for None.
    Fix: Make a generator only if a seed is given or there is none yet.
    """
    for api in steady_apis(subject):
        for games in (2, GAMES):  # slow environments may have no time for more than two
            first, second = (_series(api, games) for _ in range(2))
            for i, (one, other) in enumerate(zip(first, second, strict=True)):
                require_same_play(one, other, f"{api.kind}: game {i + 1} after the same seed, in two environments")
        if len(_groups(first)) > 1:
            continue
        if len(_groups(_seeded(api, range(GAMES)))) > 1:
            games = _enough(_share(_seeded(api, range(MANY_SEEDS))))
            if len(_groups(_series(api, games))) == 1:
                same = f"{games} consecutive games after one seed are the same"
                raise Failed(f"{api.kind}: {same}, although different seeds lead to different games")


def _series(api: Api, most: int = GAMES, seed: int = 7, again: int | None = None) -> list[list[Any]]:
    """Logs of consecutive games with the same choices, in an environment seeded once, and then with `again`."""
    used, games = api.new(), []
    for number in range(most):
        games.append(used.again().reset(again if number else seed).run(SHORT))
    return games


def options_do_no_harm(subject: Subject) -> None:
    """reset() accepts options; an empty dict and unknown options have no effect, now or later.

    PettingZoo's tests and wrappers pass options of their own. The caller's dict is not changed, and an option that
    `reset` does read has no effect on later games.

    Example: `def reset(self, seed=None):`, or `self.start = options.get("start", self.start)`.
    Fix: Accept `options=None`, read it with `.get`, ignore unknown keys, and keep nothing of it beyond the game.
    """
    for api in steady_apis(subject):
        fresh = [api.game(seed).run(SHORT) for seed in range(3)]
        for options in (None, {}, UNKNOWN):
            handed = copy.deepcopy(options)
            what = f"{api.kind}: reset with options {options}"
            used = api.new(choices=0)
            with failing(f"{what} raises"):
                log = used.reset(0, options=handed).run(SHORT)
            require_same(options, handed, f"{what}: the caller's dict before and after")
            require_same_play(fresh[0], log, f"{what}, and without")
            _require_anew(used, 1, fresh[1], f"after a game with options {options}", SHORT)
        for key, default in _options_read(api).items():
            _require_forgotten(api, key, default, fresh)


class Recorded(dict[Any, Any]):
    """Options that record in `read` which keys are read, each with its default."""

    read: dict[Any, Any]

    def get(self, key: Any, default: Any = None) -> Any:
        """Records the key."""
        self.read.setdefault(key, default)
        return super().get(key, default)

    def __missing__(self, key: Any) -> Any:
        self.read.setdefault(key, None)
        raise KeyError(key)

    def __contains__(self, key: Any) -> bool:
        self.read.setdefault(key, None)
        return super().__contains__(key)

    pop = get


def _options_read(api: Api) -> dict[Any, Any]:
    """The options that reset() reads -> their defaults."""
    options = Recorded(UNKNOWN)  # not empty, for `options or {}`
    options.read = {}
    with suppress(Exception):
        api.new().reset(0, options=options)
    return {key: default for key, default in options.read.items() if key not in UNKNOWN}


def _require_forgotten(api: Api, key: Any, default: Any, fresh: list[Any]) -> None:
    """Raises Failed if an option, with a value that reset() accepts, changes a later game that is reset without it."""
    known = isinstance(default, int | float) and not isinstance(default, bool)
    for value in [default + 1, default - 1, default * 2] if known else [not default, 1, 2, 0, 0.5, "x", [0]]:
        used = api.new(choices=0)
        try:
            used.reset(0, options={key: value}).run(SHORT)
        except Exception:  # it may not be a value of this option
            continue
        what = f"after a game with the option {key!r}: {value!r}, which is no longer given"
        _require_anew(used, 1, fresh[1], what, SHORT)


def sampling_leaves_the_game_alone(subject: Subject) -> None:
    """Sampling from the spaces does not affect the game, and the game does not draw from the spaces.

    Example: `prize = self.action_space(agent).sample()` in `step`.
    Fix: Draw from the environment's generator.
    """

    def sample(play: Play) -> None:
        for agent in list(play.env.agents):
            play.env.action_space(agent).sample()
            play.env.observation_space(agent).sample()

    for api in steady_apis(subject):
        for seed in range(3):
            require_untouched(subject, api, seed, sample, "samples of the spaces")


def require_untouched(
    subject: Subject, api: Api, seed: int, touch: Callable[[Play], object], what: str, **parameters: Any
) -> Play:
    """Raises Failed if `touch` before each step changes the game or the next one; returns the game without it."""
    plain, touched = plays = api.game(seed), api.game(seed, **parameters)
    while all(play.goes_on(SHORT) for play in plays):
        touch(touched)
        for play in plays:
            play.step()
    what = f"{plain.where}: without and with {what}"
    require_same_play(plain.log, touched.log, what)
    # If the previous seed does not determine the next game, `unseeded_reset_goes_on` fails instead.
    if subject.once(("goes on", api.kind), lambda: difference(_series(api), _series(api)) is None):
        one, other = (play.again(choices=1).reset().run(SHORT) for play in plays)
        require_same_play(one, other, f"{what}: the next game")
    game: Play = plain
    return game
