"""RLlib learns through the Parallel API, and its metric is the exact exploitability of what it plays.

Not marked as slow, since it runs only where the extra `rllib` is, which has an environment of its own.
"""

import warnings

import pytest

from baselines import exploitability
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import IllegalActionError, make_game

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib", reason="needs the extra rllib", exc_type=ImportError)
with warnings.catch_warnings():  # RLlib's own, on import
    warnings.simplefilter("ignore")
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from examples import rllib_self_play as example
    from train.policies.files import load_policy, save_policy

pytestmark = pytest.mark.filterwarnings("ignore")  # RLlib's own, by the dozen

GAME = make_game("jujitsu", num_cards=3)
ITERATIONS, EVERY = 6, 3


@pytest.fixture(scope="module", autouse=True)
def local_ray():
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def trained():
    """The algorithm, and the results of all iterations."""
    algorithm = example.configuration(GAME, ITERATIONS, EVERY).build_algo()
    yield algorithm, [algorithm.train() for _ in range(ITERATIONS)]
    algorithm.stop()


class AsSampled:
    """Plays with the probabilities of the distribution that RLlib draws from."""

    def __init__(self, module):
        self.module = module

    def action_probabilities(self, observations, action_masks):
        views = {"observation": torch.from_numpy(observations), "action_mask": torch.from_numpy(action_masks)}
        with torch.no_grad():
            logits = self.module.forward_exploration({Columns.OBS: views})[Columns.ACTION_DIST_INPUTS]
        return self.module.get_exploration_action_dist_cls().from_logits(logits)._dist.probs.numpy()


def test_the_metric_is_the_exploitability_of_what_rllib_plays(trained):
    algorithm, results = trained
    assert [example.METRIC in result for result in results] == [False, False, True, False, False, True]
    played = AsSampled(algorithm.get_module(example.MODULE))
    assert results[-1][example.METRIC] == pytest.approx(exploitability(GAME, played), abs=1e-5)
    own = exploitability(GAME, example.policy_of(algorithm, GAME))
    assert results[-1][example.METRIC] == pytest.approx(own, abs=1e-6)
    assert results[-1][example.METRIC] != results[EVERY - 1][example.METRIC]
    assert results[-1][example.METRIC] < exploitability(GAME, "uniform")


def test_what_the_mask_forbids_has_no_probability(trained):
    algorithm, _ = trained
    _, observations, masks = full_graph(GAME).seen_by(0)
    for policy in (AsSampled(algorithm.get_module(example.MODULE)), example.policy_of(algorithm, GAME)):
        assert not policy.action_probabilities(observations, masks)[masks == 0].any()


def test_an_illegal_action_would_be_seen():
    class Unmasked(example.MaskedModule):
        def _forward(self, batch, **_):
            return {Columns.ACTION_DIST_INPUTS: self.actor(batch[Columns.OBS]["observation"])}

    spec = RLModuleSpec(module_class=Unmasked, model_config={"game": GAME.parameters()})
    algorithm = example.configuration(GAME, 1, 1).rl_module(rl_module_spec=spec).build_algo()
    with pytest.raises(RuntimeError) as raised:
        algorithm.train()
    algorithm.stop()
    assert isinstance(raised.value.__cause__, IllegalActionError)


def test_it_shows_its_evaluations_and_a_verdict_and_its_policy_can_be_kept(tmp_path):
    lines = []
    policy = example.train(GAME, 2, 1, num_env_runners=0, seed=1, show=lines.append)
    assert [line.split()[0] for line in lines[:2]] == ["2,000", "4,000"]
    came_to = exploitability(GAME, policy)
    assert lines[1].endswith(f"exploitability {came_to:.4f}")
    assert f"Its exploitability is {came_to:.4f} payoff points" in lines[2]
    save_policy(tmp_path / "policy.safetensors", policy)
    assert exploitability(GAME, load_policy(tmp_path, GAME)) == pytest.approx(came_to, abs=1e-6)


def test_with_games_in_another_process_the_policy_is_the_learners():
    algorithm = example.configuration(GAME, 1, 1, num_env_runners=1).build_algo()
    figure = algorithm.train()[example.METRIC]
    learner = algorithm.learner_group._learner.module[example.MODULE].actor.state_dict()
    evaluated = example.policy_of(algorithm, GAME)
    algorithm.stop()
    assert all(torch.equal(learner[name], tensor) for name, tensor in evaluated.network.state_dict().items())
    assert figure == pytest.approx(exploitability(GAME, evaluated), abs=1e-6)
