"""The scaling of a cluster: what is computed from times, and that all engines' values are compared."""

import os

from cardwar_envs import make_game
from lab.benchmarks.cluster_scaling import measured, row


def test_ratios_are_those_within_a_round():
    times = {("threads", 1): [10.0, 20.0], ("ray", 1): [12.0, 22.0], ("ray", 2): [6.0, 12.0]}
    assert row(times, "ray", 2) == ["ray", "2", "9.00 (6.00 to 12.00)", "1.92", "20%"]


def test_the_digest_is_of_all_values():
    allowed = os.sched_getaffinity(0)
    try:
        digests = [
            measured(make_game("jujitsu", num_cards=5, **switches), "threads", sorted(allowed))[1]
            for switches in ({}, {}, {"ties": "discard"})
        ]
    finally:
        os.sched_setaffinity(0, allowed)
    assert digests[0] == digests[1] != digests[2]
