"""Checks of reproducibility: the seed alone decides everything that is drawn."""

from __future__ import annotations

from typing import Any

from cardwar_envs.conformance.compare import difference, require_same_play
from cardwar_envs.conformance.play import STEPS, Play, generators
from cardwar_envs.conformance.subject import P, Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SEEDS = range(3)
# Chance may be rare: so many games are compared before a check concludes that there is none.
GAMES = 12
SHORT = 40


def repeatable(skin: Skin[P]) -> Skin[P]:
    """The skin, for checks that compare episodes.

    Raises:
        NotApplicable: If the same seed and choices do not lead to the same episode.
    """
    for seed in SEEDS:
        first, second = (skin.new(choices=seed).reset(seed).run() for _ in range(2))
        if difference(first, second):
            raise NotApplicable(f"{skin.kind}: a seed does not decide the episode, see same_seed_same_episode")
    return skin


def same_seed_same_episode(subject: Subject) -> None:
    """Two fresh environments with the same seed show, pay and tell the same from reset to the end.

    PettingZoo's `parallel_seed_test` takes one step, so it misses what is drawn later from another generator.
    """
    for skin in subject.skins():
        for seed in SEEDS:
            first, second = (skin.new(choices=seed).reset(seed).run() for _ in range(2))
            require_same_play(first, second, f"{skin.kind}, seed {seed} twice")


def other_seed_other_episode(subject: Subject) -> None:
    """Where there is chance, not all seeds lead to the same game.

    An environment that ignores its seed passes every test of reproducibility.
    """
    chance = False
    for skin in subject.skins():
        games = [skin.new().reset(seed).run(SHORT) for seed in range(GAMES)]
        if any(difference(games[0], game) for game in games[1:]):
            chance = True
        elif sign := _sign_of_chance(subject, skin):
            raise Failed(f"{skin.kind}: seeds 0 to {GAMES - 1} all lead to the same game, though {sign}")
    if not chance:
        raise NotApplicable(f"no chance: {GAMES} games by the same choices were the same, seeded or not")


def _sign_of_chance(subject: Subject, skin: Skin[Play]) -> str | None:
    play = skin.new().reset(0)
    before = generators(play.env)
    play.run(SHORT)
    play.reset()
    play.run(SHORT)
    if difference(before, generators(play.env)):
        return "its random generator is used"
    games = [skin.new().reset().run(SHORT) for _ in range(GAMES)]
    if any(difference(games[0], game) for game in games[1:]):
        return "unseeded games differ"
    game = subject.game()
    return "its rules list several outcomes" if game is not None and len(game.initial()) > 1 else None


def seeded_reset_starts_anew(subject: Subject) -> None:
    """A reset with a seed leads to the same episode in mid-turn, in mid-game and after the end as in a fresh one.

    This finds rewards, commitments or decks that outlast a reset.
    """
    for skin in map(repeatable, subject.skins()):
        fresh = skin.new(choices=2).reset(2).run()
        for steps in (1, 2, 3, STEPS):
            used = skin.new(choices=1).reset(1)
            used.run(steps)
            again = type(used)(used.env, choices=2).reset(2).run()
            require_same_play(fresh, again, f"{skin.kind}: fresh, and reset after {steps} steps of another game")


def unseeded_reset_goes_on(subject: Subject) -> None:
    """A reset without a seed goes on with the generator: the first seed decides all games, and they differ.

    Otherwise a learner that seeds once and then only resets gets runs that cannot be repeated, or always one game.
    """
    for skin in subject.skins():
        first, second = (_series(skin) for _ in range(2))
        for i, (one, other) in enumerate(zip(first, second, strict=True)):
            require_same_play(one, other, f"{skin.kind}: game {i + 1} after one seed, twice")
        seeded = [skin.new().reset(seed).run(SHORT) for seed in range(GAMES)]
        chance = any(difference(seeded[0], game) for game in seeded[1:])
        if chance and not any(difference(first[0], game) for game in first[1:]):
            raise Failed(
                f"{skin.kind}: {GAMES} games in a row after one seed are the same, though seeds lead to others"
            )


def _series(skin: Skin[Play]) -> list[list[Any]]:
    """Games in one environment that is seeded once; the choices are the same in each."""
    env, games = skin.make(), []
    for number in range(GAMES):
        play = type(skin.new())(env)
        games.append(play.reset(None if number else 7).run(SHORT))
    return games
