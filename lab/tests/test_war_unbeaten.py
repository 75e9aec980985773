"""The benchmark of `weighted_cards`: what the adversaries are told, and what is kept and written."""

import numpy as np
import pytest

from lab.benchmarks import war_unbeaten
from lab.benchmarks.war_unbeaten import ADVERSARIES, STRATEGIES, Drawn, MostLikely, measure

MIX = np.array([0.0, 0.5, 0.2, 0.3])


class Mixed:
    def action_probabilities(self, observations, action_masks):
        return np.tile(MIX, (len(observations), 1))


def test_the_adversaries_are_told_a_draw_or_the_most_likely_play():
    seen = masks = np.ones((20_000, 4))
    drawn = Drawn(Mixed(), seed=1).action_probabilities(seen, masks)
    assert (np.sort(drawn, axis=1) == [0, 0, 0, 1]).all()
    assert drawn.mean(axis=0) == pytest.approx(MIX, abs=4 * 0.5 / np.sqrt(len(seen)))
    assert drawn[:, 0].sum() == 0
    assert (MostLikely(Mixed()).action_probabilities(seen[:2], masks[:2]) == [0, 1, 0, 0]).all()


def test_each_strategy_is_measured_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(war_unbeaten, "GAMES", {2: (6, 2)})
    rows = measure(tmp_path)
    assert [row[2] for row in rows] == ["6"] * len(STRATEGIES) + ["2"] * 2 * len(ADVERSARIES)
    monkeypatch.delattr(war_unbeaten, "match")  # a continued run plays nothing again
    assert measure(tmp_path) == rows


def test_only_an_interval_above_0_beats_it():
    beats = [war_unbeaten._row(2, "max", 10, 0.1, low, 0.2, 0.5, 0.4, 0.6, 1.0)[5] for low in (-0.1, 0.0, 0.01)]
    assert beats == ["no", "no", "yes"]
