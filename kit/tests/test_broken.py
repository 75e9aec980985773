"""The set is what it says: each broken environment has its defect, its base has not, and the healthy have none."""

import json

import pytest
from gymnasium.spaces import Discrete

from broken import frozen
from broken.catalogue import Kind, all_broken, all_healthy
from broken.leaks import informed, leaks, observed, paid
from broken.witnesses import differ, game, in_space, order_matters, violates

BROKEN, HEALTHY = all_broken(), all_healthy()


def every_sixth(names):
    """The names; those between need `--wide`, as the set is frozen and cannot change by itself."""
    return [name if place % 6 == 0 else pytest.param(name, marks=pytest.mark.wide) for place, name in enumerate(names)]


@pytest.mark.parametrize("name", every_sixth(BROKEN))
def test_a_witness_sees_the_defect_in_the_broken_environment_and_not_in_the_honest_one(name):
    assert BROKEN[name].shows()
    assert not BROKEN[name].shows(honest=True)


def test_the_set_is_large_and_has_each_class():
    kinds = [each.kind for each in BROKEN.values()]
    assert len(BROKEN) >= 150
    assert len(HEALTHY) >= 40
    assert all(kinds.count(kind) >= 7 for kind in Kind)


def test_the_set_is_as_it_was_frozen():
    assert json.loads(frozen.FROZEN.read_text()) == frozen.current()


@pytest.mark.parametrize("name", every_sixth(HEALTHY))
def test_no_witness_of_many_defects_sees_one_in_a_healthy_environment(name):
    healthy = HEALTHY[name]
    for skin, make in healthy.makers.items():
        assert not violates(in_space, games=3)(make)
        if not healthy.says:
            assert not differ(game, game)(make)
        if skin == "parallel" and not healthy.says:
            assert not order_matters(make)
    discrete = "aec" in healthy.makers and isinstance(make().action_space(make().possible_agents[0]), Discrete)
    if discrete and make().metadata["is_parallelizable"]:
        looks = [observed, paid] if healthy.says or name == "SaysWhoHasCommitted" else [observed, paid, informed]
        assert not any(leaks(look, games=1)(healthy.makers["aec"]) for look in looks)


# PettingZoo's tests go by masks in observations only, and play action 0 in every Discrete space.
TOO_UNUSUAL = {"MaskInInfos", "FromOne"}


@pytest.mark.parametrize("name", sorted(set(HEALTHY) - TOO_UNUSUAL))
@pytest.mark.filterwarnings("ignore")  # PettingZoo warns of what is unusual, and of its own imports
def test_healthy_environments_pass_the_tests_of_pettingzoo(name):
    from pettingzoo.test import api_test, parallel_api_test

    for skin, make in HEALTHY[name].makers.items():
        (api_test if skin == "aec" else parallel_api_test)(make(), num_cycles=50)
