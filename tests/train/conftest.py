"""What all tests of learners share."""

import numpy as np
import pytest
import torch


@pytest.fixture(autouse=True)
def seeded():
    """Seeds what learners draw from."""
    torch.manual_seed(0)
    np.random.seed(0)
