"""Environments of others, where they are installed. What a kit says of them is reported apart: it may be true.

python -m pip install --no-deps mpe2 shimmy open_spiel     # mpe2 names pygame, in whose place pygame-ce is here
"""

from functools import partial
from importlib import import_module
from importlib.util import find_spec

from broken.healthy import Healthy

MODULES = {
    "RockPaperScissors": ("pygame", "pettingzoo.classic.rps_v2"),
    "SimpleTag": ("mpe2", "mpe2.simple_tag_v3"),
    "SimpleSpread": ("mpe2", "mpe2.simple_spread_v3"),
    "SimpleSpeakerListener": ("mpe2", "mpe2.simple_speaker_listener_v4"),
}
# Parameters stand apart: Shimmy loads the game anew at each reset and forgets those that stand in its name.
OPEN_SPIEL = {
    "OpenSpielRockPaperScissors": ("matrix_rps", None),
    "OpenSpielGoofspiel": ("goofspiel", {"num_cards": 4, "points_order": "descending"}),
    "OpenSpielGoofspielByChance": ("goofspiel", {"num_cards": 4}),
    "OpenSpielOshiZumo": ("oshi_zumo", {"coins": 6, "size": 1}),
}


def third_parties():
    """Name -> environment; none is imported before it is made."""
    found = {}
    for name, (needed, module) in MODULES.items():
        if find_spec(needed):
            skins = {"aec": "env", "parallel": "parallel_env"}
            makers = {skin: partial(make, module, attribute) for skin, attribute in skins.items()}
            found[name] = Healthy(name, make, makers, party=module.partition(".")[0])
    for name, named in OPEN_SPIEL.items() if find_spec("shimmy") and find_spec("pyspiel") else ():
        found[name] = Healthy(name, make_open_spiel, {"aec": partial(make_open_spiel, *named)}, party="shimmy")
    return found


def make(module, attribute, **arguments):
    return getattr(import_module(module), attribute)(**arguments)


def make_open_spiel(game, config, render_mode=None):
    shimmy = import_module("shimmy")
    return shimmy.OpenSpielCompatibilityV0(game_name=game, config=config, render_mode=render_mode)
