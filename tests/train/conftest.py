"""What all tests of learners share."""

import numpy as np
import pytest
import torch


@pytest.fixture(autouse=True)
def seeded():
    """Seeds what learners draw from, and keeps to one thread: several wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)
    yield
    torch.set_num_threads(threads)
