"""Flipped bits and torn files: each is noticed, or what is read is what was written.

Recovery is automatic where the content follows from something else; else the error names the file and what to do.
"""

import random
import re
import shutil

import pytest
from small_runs import GAME, contents

from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy
from train.reports.groups import read_run
from train.runs.loop import run
from train.storage.run_folder import RunFolder

ARGS = {
    "cfr_plus": {"steps": 12, "evaluate_every": 4},
    "ppo": {"steps": 80, "evaluate_every": 40, "num_games": 20, "rollout": 5, "batch_size": 40, "width": 8},
}
TOLD = "put back a copy|--resume|another folder"
FILES = ["config.json", "metadata.json", "metrics.csv", "checksums.txt", "checkpoint.safetensors", "policy.safetensors"]


def learned(out, algorithm="cfr_plus", resume=False):
    return run(GAME, algorithm, ALGORITHMS[algorithm].args(**ARGS[algorithm]), out, resume=resume)


@pytest.fixture(scope="module", params=ARGS)
def whole(request, tmp_path_factory):
    """A finished run, for whoever copies it."""
    out = tmp_path_factory.mktemp("whole") / request.param
    learned(out, request.param)
    return out


def damaged(content, draw):
    """One bit flipped, or the end cut off."""
    if draw.random() < 0.6:
        place = draw.randrange(8 * len(content))
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        return bytes(flipped)
    return content[: draw.randrange(len(content))]


def everything_read(folder):
    """All that is ever read of a run: its report, its checkpoint, its policy."""
    seen = read_run(folder)
    tensors, data = RunFolder(folder).read_checkpoint(seen.config)
    policy = load_policy(folder, GAME)
    state = GAME.initial()[0].state
    played = policy.action_probabilities(GAME.observation(state, 0)[None], GAME.action_mask(state, 0)[None])
    return seen, {name: tensor.tolist() for name, tensor in tensors.items()}, data, played.tolist()


def refused(read, *arguments, **options):
    """The one line of the error, which says what to do."""
    with pytest.raises(ValueError, match=TOLD) as error:
        read(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", FILES)
def test_damage_of_a_run_is_named_and_mended_by_resuming_or_left_as_it_is(whole, tmp_path, name):
    folder, draw = shutil.copytree(whole, tmp_path / whole.name), random.Random(f"{whole.name} {name}")
    path, expected = folder / name, everything_read(folder)
    content = path.read_bytes()
    for _ in range(8):
        path.write_bytes(damaged(content, draw))
        assert name in refused(everything_read, folder)
    for _ in range(2):
        follows = name in ("metrics.csv", "policy.safetensors")  # from the checkpoint, so resuming mends it
        kept = content[140:] if name == "checksums.txt" else b""  # the line for metrics is written anew
        path.write_bytes(damaged(content[: len(content) - len(kept)], draw) + kept)
        before = contents(folder)
        if follows:
            learned(folder, whole.name, resume=True)
            assert everything_read(folder) == expected
            assert name == "policy.safetensors" or path.read_bytes() == content  # its header has no order
        else:
            assert name in refused(learned, folder, whole.name, resume=True)
            assert contents(folder) == before
    path.write_bytes(content)
    assert everything_read(folder) == expected
    if name == "checksums.txt":
        path.unlink()
        assert "its checksum is not in checksums.txt" in refused(learned, folder, whole.name, resume=True)


def test_metrics_that_are_gone_or_torn_or_no_table_are_one_error(whole, tmp_path):
    folder = shutil.copytree(whole, tmp_path / "run")
    path, lines = folder / "metrics.csv", (whole / "metrics.csv").read_bytes().splitlines(keepends=True)
    bad = (b"a,b\n\x00,1\n", b'a,b\n"1,2\n', b"a\n" + b"1" * 200_000 + b"\n", b"\r\r\r", b"a,a\n1,\n1,2,3\n")
    for content in (*bad, b"".join(lines[:-1])):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"metrics.csv cannot be read.*--resume"):
            read_run(folder)
        if content in bad:
            with pytest.raises(ValueError, match=r"metrics.csv .*--resume"):
                RunFolder(folder).read_metrics()
    path.unlink()
    with pytest.raises(ValueError, match=r"metrics\.csv cannot be read.*--resume"):
        read_run(folder)


# -- layers of a solution -------------------------------------------------------------------------

DUEL = make_game("jujitsu", num_cards=5)


def solved(folder):
    table = DuelTable(DUEL, folder=folder)
    done = table.solve()
    layers = [table.layers._layers[cards].values.tolist() for cards in range(1, 6)]
    return done, (layers, [table.layers.gap(cards) for cards in range(1, 6)])


def test_a_damaged_solution_is_mended_or_refused(tmp_path):
    _, expected = solved(tmp_path)
    paths, draw = sorted(path for path in tmp_path.iterdir() if not path.name.startswith(".")), random.Random(2)
    assert len(paths) == 6
    whole, noticed = {path: path.read_bytes() for path in paths}, 0
    for _ in range(15):
        path = draw.choice(paths)
        path.write_bytes(damaged(whole[path], draw))
        try:
            done, found = solved(tmp_path)
        except ValueError as error:  # what game it is of was hit
            said = path.name, re.search("holds layers of another game.*give another folder", str(error)) is not None
            assert said == ("manifest.json", True)  # most damage is mended
            path.write_bytes(whole[path])
            noticed += 1
            continue
        assert found == expected
        noticed += done > 0
        assert solved(tmp_path) == (0, expected), "the folder is mended"
        if path.name != "manifest.json":
            assert path.read_bytes() == whole[path]
            assert done > 0
    assert noticed > 10
