"""A guess is judged fairly: what is told foretells something only if it says more than what was seen."""

import numpy as np

from zoocheck.chance import telling

GAMES = 120


def found(told, comes, alike):
    return dict(telling({"told": list(told)}, [{"next": str(each)} for each in comes], list(alike)))


def test_a_prize_that_is_told_is_found_though_no_two_games_look_alike_for_long():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 9, (2, GAMES))
    assert found(second, second, first) == {"told": "next"}


def test_luck_foretells_nothing():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second, luck = rng.integers(0, 4, (3, GAMES))
        assert not found(luck, second, first)


def test_what_all_have_seen_is_no_leak_though_it_foretells():
    rng = np.random.default_rng(1)
    first, noise = rng.integers(0, 4, (2, GAMES))
    assert not found(first * 10 + noise, first, first), "the first prize tells the second, but all have seen it"
