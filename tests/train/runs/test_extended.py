"""A run with more steps goes on as one that had them from the start, or is refused."""

import numpy as np
import pytest
from run_files import contents, is_killed_after, rows
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy
from train.runs.loop import run
from train.storage.archive import read_archive
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)
SMALL = {
    "cfr_plus": {"evaluate_every": 50},
    "ppo": {"evaluate_every": 50, "num_games": 10, "rollout": 5, "batch_size": 50, "epochs": 1, "width": 8},
    "fitted_value": {"evaluate_every": 10, "num_states": 20, "batch_size": 8, "width": 8},
}


def small_run(out, algorithm, steps, **more):
    args = {name: more.pop(name) for name in list(more) if name not in ("resume", "sinks")}
    return run(GAME, algorithm, ALGORITHMS[algorithm].args(**SMALL[algorithm], steps=steps, **args), out, **more)


def same(one, other):
    """Whether two runs have equal rows, policies, learners and generators."""
    archives = [
        [read_archive(out / f"{name}.safetensors") for name in ("checkpoint", "policy")] for out in (one, other)
    ]
    tensors = [[{key: each.numpy() for key, each in of.tensors.items()} for of in both] for both in archives]
    equal = all(
        np.array_equal(first[key], second[key]) for first, second in zip(*tensors, strict=True) for key in first
    )
    return equal and rows(one) == rows(other)


@pytest.mark.parametrize("algorithm", ["cfr_plus", "ppo"])
def test_an_extended_run_equals_one_that_had_all_steps_from_the_start(tmp_path, algorithm):
    small_run(tmp_path / "whole", algorithm, 200)
    out = tmp_path / "extended"
    small_run(out, algorithm, 100)
    first = rows(out)
    result = small_run(out, algorithm, 150, resume=True)
    assert (result.steps, rows(out)[: len(first)]) == (150, first)
    assert not same(out, tmp_path / "whole")
    small_run(out, algorithm, 200, resume=True)
    assert same(out, tmp_path / "whole")
    assert RunFolder(out).config() == RunFolder(tmp_path / "whole").config() | {"extended_from": [100, 150]}
    assert load_policy(out, GAME).unfinished is None


def test_sampled_figures_at_an_earlier_end_stay_from_ten_times_as_many_games(tmp_path):
    sampled = {"measure": "matches", "matches": 20}
    for steps in (100, 200):
        small_run(tmp_path / "run", "cfr_plus", steps, resume=steps > 100, **sampled)
    small_run(tmp_path / "whole", "cfr_plus", 200, **sampled)
    extended, whole = rows(tmp_path / "run"), rows(tmp_path / "whole")
    assert [first == second for first, second in zip(extended, whole, strict=True)] == [True, False, True, True]


def test_a_kill_while_a_run_is_extended_loses_nothing(tmp_path):
    small_run(tmp_path / "whole", "cfr_plus", 100)
    for writes_before in range(100):
        out = tmp_path / str(writes_before)
        small_run(out, "cfr_plus", 50)
        if not is_killed_after(writes_before, small_run, out, "cfr_plus", 100, resume=True):
            break
        steps, known = load_policy(out, GAME).unfinished or (None, None), RunFolder(out).config()["args"]["steps"]
        assert steps in {50: [(None, None)], 100: [(50, 100), (None, None)]}[known]
        small_run(out, "cfr_plus", 100, resume=True)
        assert same(out, tmp_path / "whole")
    assert writes_before == 12  # config with 2 checksums; policies and metrics with theirs, twice; a checkpoint


@each_row(
    ("algorithm", "steps", "more", "changed", "message"),
    [
        ("fitted_value", 10, 20, {}, r"from 10 to 20 steps: steps=20, final_rate=0.005 spreads a schedule"),
        ("cfr_plus", 120, 200, {}, r"from 120 to 200 steps: it was evaluated after 120 steps, .* multiples of 50; "),
        ("cfr_plus", 100, 50, {}, r"contains a run of 100 steps, not 50; resume it with at least 100"),
        ("cfr_plus", 100, 200, {"reach": 1}, r"contains a run with reach=0, not 1; resume it with its original"),
    ],
)
def test_what_would_be_another_run_is_refused_and_the_run_stays_as_it_is(
    tmp_path, algorithm, steps, more, changed, message
):
    out = tmp_path / f"{algorithm} {steps} {more} {len(changed)}"
    small_run(out, algorithm, steps)
    before = contents(out)
    with pytest.raises(ValueError, match=message):
        small_run(out, algorithm, more, resume=True, **changed)
    assert contents(out) == before
