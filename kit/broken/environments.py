"""Every environment of the set as `broken.environments:NAME`, with `env` and `parallel_env` as in a module."""

from types import SimpleNamespace

from broken.further import FURTHER
from broken.healthy import all_healthy
from broken.registry import all_broken
from broken.third_parties import third_parties

EVERY = all_broken() | all_healthy() | third_parties()


def __getattr__(name):
    each = EVERY.get(name) or FURTHER.get(name)
    if each is None:
        raise AttributeError(name)
    names = {"aec": "env", "parallel": "parallel_env"}
    return SimpleNamespace(**{names[skin]: make for skin, make in each.makers.items()})
