"""Muon in float32, at the shapes and with the number of iterations that fitted value iteration has."""

import time

import torch
from thinning import each_row

from train.algorithms.fitted_value import ORTHOGONAL_STEPS
from train.algorithms.muon import Muon, orthogonal

SHAPES = [(64, 64), (128, 40), (40, 128), (1, 7), (7, 1)]


@each_row("shape", SHAPES)
def test_an_orthogonal_update_keeps_its_directions_and_has_stretches_near_one(shape):
    matrix = torch.randn(shape) * 1e-3
    left, stretches, right = torch.linalg.svd(matrix, full_matrices=False)
    update = orthogonal(matrix, ORTHOGONAL_STEPS)
    after = torch.diagonal(left.T @ update @ right.T)
    assert update.dtype == torch.float32
    assert torch.allclose(update, left @ torch.diag(after) @ right, atol=1e-4), "the same singular vectors"
    well_above_zero = stretches >= 0.01 * matrix.norm()
    assert well_above_zero.sum() >= 0.9 * len(stretches)
    # The least and the greatest value of the polynomial, four times over, on 0.01..1.
    assert after[well_above_zero].min() > 0.68
    assert after[well_above_zero].max() < 1.21


def test_a_gradient_of_zeros_moves_nothing():
    assert not orthogonal(torch.zeros(3, 5), ORTHOGONAL_STEPS).any()


def test_momentum_that_has_decayed_makes_no_step_slower():
    """A unit that no input activates has gradients of 0, so its momentum decays as long as the run lasts."""
    weights = torch.nn.Parameter(torch.zeros(128, 128))
    weights.grad = 1e-4 * torch.randn(128, 128, generator=torch.Generator().manual_seed(0))
    optimizer = Muon([weights], orthogonal_steps=ORTHOGONAL_STEPS)
    optimizer.step()
    weights.grad[64:] = 0.0
    momentum = optimizer.state[weights]["momentum_buffer"]

    def seconds(size):
        taken = []
        for _ in range(10):
            momentum[64:] = size
            begin = time.process_time()
            optimizer.step()
            taken.append(time.process_time() - begin)
        assert not ((momentum != 0) & (momentum.abs() < torch.finfo(momentum.dtype).tiny)).any(), "denormal numbers"
        return min(taken)

    early = seconds(1e-4)
    for decayed in range(5, 46, 2):
        assert seconds(10.0**-decayed) < 4 * early, f"with momentum of 1e-{decayed}"


def test_it_goes_on_from_what_torchs_muon_has_stored():
    """Checkpoints of before hold that."""
    before, after = (torch.ones(2, 3, requires_grad=True) for _ in range(2))
    stored, restored = torch.optim.Muon([before]), Muon([after])
    before.grad = torch.randn(2, 3)
    stored.step()
    restored.load_state_dict({**restored.state_dict(), "state": stored.state_dict()["state"]})
    momentum = stored.state[before]["momentum_buffer"].clone()
    after.grad = torch.zeros(2, 3)
    restored.step()
    assert torch.allclose(restored.state[after]["momentum_buffer"], 0.95 * momentum)
    assert not torch.equal(after, torch.ones(2, 3)), "the old momentum moves it on"


def test_muon_steps_as_torchs_own_does_to_the_precision_of_bfloat16():
    ours, theirs = (torch.nn.Parameter(torch.ones(12, 7)) for _ in range(2))
    chance = torch.Generator().manual_seed(2)
    both = Muon([ours], 0.1), torch.optim.Muon([theirs], 0.1, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    for _ in range(5):
        ours.grad = theirs.grad = torch.randn(12, 7, generator=chance)
        for optimizer in both:
            optimizer.step()
    moved = (ours - 1.0).norm()
    assert moved > 0.5
    assert (ours - theirs).norm() < 0.03 * moved
