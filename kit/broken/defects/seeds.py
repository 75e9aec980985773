"""Seeds and options of reset(), and what draws from the game's generator."""

import random

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import Choices, record, rounds
from broken.witnesses import differ, game, play_again, raises, same

SEEDS, BOTH, AEC, PARALLEL = Kind.SEEDS, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def several(make, seed):
    """Some games of one environment: the first with a seed, the others without."""
    env = make()
    return [record(env, seed), *(play_again(env) for _ in range(4))]


def second(make, seed):
    """A game of a given seed, after a game of another."""
    env = make()
    record(env, 77)
    return record(env, seed)


def stirred(make, seed):
    """A game while others draw from the global generators."""
    random.seed(seed + 1)
    np.random.seed(seed + 1)
    env = make()
    views = []
    for each in rounds(env, seed):
        views.append(each)
        random.random(), np.random.random()
    env.reset(seed=None)
    return [*record(make(), seed), views]


def unstirred(make, seed):
    """The same game while nobody else draws."""
    env = make()
    views = list(rounds(env, seed))
    env.reset(seed=None)
    return [*record(make(), seed), views]


def always_the_same_without_seed(make):
    """The games after the first, for which no seed is given, are all alike."""
    return all(len({repr(each) for each in several(make, seed)[1:]}) == 1 for seed in range(3))


irreproducible = differ(game, game, games=6)


@broken(SEEDS, BOTH, irreproducible, Bidding)
def SeedIgnored(self, begin, seed, options):
    """The seed is accepted and ignored."""
    begin(None, options)


@broken(SEEDS, BOTH, differ(game, second, games=6), Bidding, seeded=False)
def OnlyTheFirstSeed(self, begin, seed, options):
    """Only the first seed that is given counts."""
    begin(None if self.seeded else seed, options)
    self.seeded = self.seeded or seed is not None


@broken(SEEDS, BOTH, always_the_same_without_seed, Bidding, seed=None)
def SameGameAgain(self, begin, seed, options):
    """reset() without a seed deals the last seeded game again."""
    self.seed = self.seed if seed is None else seed
    begin(self.seed, options)


def dealt(make, seed):
    """A game in which the choices do not depend on the seed."""
    return list(rounds(make(), seed, choices=Choices(0)))


def zero_does_not_count(make):
    return any(record(make(), 0) != record(make(), 0) for _ in range(4))


@broken(SEEDS, BOTH, zero_does_not_count, Bidding)
def ZeroIsNoSeed(self, begin, seed, options):
    """Seed 0 counts as no seed."""
    begin(seed or None, options)


@broken(
    SEEDS,
    PARALLEL,
    same(lambda make, seed: dealt(make, seed + 1), lambda make, seed: dealt(make, 1), games=12),
    Bidding,
)
def SeedAsBool(self, begin, seed, options):
    """All seeds but 0 give the same game."""
    begin(seed if seed is None else int(bool(seed)), options)


@broken(SEEDS, BOTH, differ(stirred, unstirred))
class NumpysGlobal(Bidding):
    """The prizes are drawn one by one from numpy's global generator, which reset seeds."""

    def begin(self, seed, options):
        super().begin(seed, options)
        if seed is not None:
            np.random.seed(seed)

    def play(self, actions):
        rewards = super().play(actions)
        self._deck[self._round :] = [int(prize) for prize in np.random.permutation(self._deck[self._round :])]
        return rewards


@broken(SEEDS, AEC, differ(stirred, unstirred))
class PythonsGlobal(Pennies):
    """Whether the game goes on is drawn from Python's global generator."""

    def begin(self, seed, options):
        super().begin(seed, options)
        if seed is not None:
            random.seed(seed)

    def play(self, actions):
        rewards = super().play(actions)
        self._over = self._round == self.longest or (self._round >= self.shortest and random.random() > 0.75)
        return rewards


@broken(SEEDS, BOTH, irreproducible, Bidding)
def SeedOfTheFirstRound(self, deal):
    """The seed decides the first prize only; the others come from a generator without seed."""
    deal()
    first, *others = self._deck
    np.random.default_rng().shuffle(others)
    self._deck = [first, *others]


def sample_alike(make):
    """Two seats sample the same from their spaces, after a seeded reset."""
    env = make()
    env.reset(seed=5)
    first, second_seat = ([int(env.action_space(agent).sample()) for _ in range(40)] for agent in env.agents[:2])
    return first == second_seat


@broken(SEEDS, BOTH, sample_alike, Lowest)
def SpacesShareASeed(self, begin, seed, options):
    """reset(seed) seeds the action spaces of all seats alike, so random players always collide."""
    begin(seed, options)
    for agent in self.players:
        self.action_space(agent).seed(seed)


def looked_at(look, **arguments):
    """Looking changes what comes after."""

    def looking(make, seed):
        env = make(**arguments)
        said = []
        for views in rounds(env, seed):
            said.append(views)
            for _ in range(3):
                look(env)
        return said

    return differ(lambda make, seed: list(rounds(make(**arguments), seed)), looking, games=6)


@broken(SEEDS, AEC, looked_at(lambda env: env.observe("player_0")), Pennies)
def ObservingDraws(self, observe, agent):
    """observe() draws from the game's generator."""
    self._rng.random()
    return observe(agent)


@broken(SEEDS, BOTH, looked_at(lambda env: env.render(), render_mode="ansi"), Pennies)
def RenderingDraws(self, text):
    """render() chooses a colour with the game's generator."""
    return text() + ["", "red", "green"][int(self._rng.integers(2))]


@broken(SEEDS, BOTH, looked_at(lambda env: env.state()), Bidding)
def StateSortsTheDeck(self, state):
    """state() sorts the rest of the deck in place, to count it."""
    self._deck[self._round + 1 :] = sorted(self._deck[self._round + 1 :])
    return state()


@broken(SEEDS, BOTH, looked_at(lambda env: env.action_space("player_0").sample()), Pennies)
def SpacesDrawFromTheGame(self, begin, seed, options):
    """The action spaces use the game's generator, so sampling from them changes the game."""
    begin(seed, options)
    for agent in self.players:
        self.action_space(agent)._np_random = self._rng


def given(options):
    """A game is another one, or none, because options were given that mean nothing."""
    return differ(game, lambda make, seed: game(make, seed, options=dict(options)), games=6)


@broken(SEEDS, BOTH, given({}), Bidding)
def OptionsReplaceTheSeed(self, begin, seed, options):
    """If options are given, be they empty, the seed is not used."""
    begin(seed if options is None else None, options)


@broken(SEEDS, BOTH, raises(lambda env: env.reset(seed=0, options={"colour": "red"})), Pennies)
def UnknownOptionRaises(self, begin, seed, options):
    """An option for somebody else raises KeyError."""
    for name in options or {}:
        {"rounds": 12}[name]
    begin(seed, options)


def options_grow(make):
    options = {"colour": "red"}
    make().reset(seed=0, options=options)
    return options != {"colour": "red"}


@broken(SEEDS, BOTH, options_grow, Lowest)
def OptionsWrittenTo(self, begin, seed, options):
    """Defaults are written into the caller's dict of options."""
    if options is not None:
        options.setdefault("rounds", self.rounds)
    begin(seed, options)


def options_stay(make, seed):
    env = make()
    env.reset(seed=3, options={})
    return record(env, seed)


@broken(SEEDS, BOTH, differ(game, options_stay), Pennies)
def OptionsStay(self, begin, seed, options):
    """Once options have been given, be they empty, all later games are short."""
    begin(seed, options)
    if options is not None:
        self.longest = 2


@broken(SEEDS, PARALLEL, raises(lambda env: env.reset(seed=0, options=None)), Pennies)
def OptionsNotTaken(self, reset, seed=None):
    """reset() has no argument for options."""
    return reset(seed)
