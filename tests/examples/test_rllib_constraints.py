"""The versions that RLlib is tested with are those of everything else, but for what RLlib itself pins."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PINNED_BY_RLLIB = {"gymnasium"}


def pins(name):
    lines = (ROOT / name).read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {package.lower().replace("_", "-"): version for package, version in pairs}


def test_both_files_pin_the_same_but_for_what_rllib_pins():
    common, own = pins("constraints.txt"), pins("constraints-rllib.txt")
    assert {name for name in common.keys() & own.keys() if common[name] != own[name]} == PINNED_BY_RLLIB
    assert {"ray", "torch", "pettingzoo", "numpy", "numba", "safetensors"} <= common.keys() & own.keys()
