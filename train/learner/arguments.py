"""The arguments of each learner; separate from the learners, so that invalid arguments fail without importing torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic.dataclasses import dataclass

from train.learner.contract import CommonArgs, SelfPlayArgs, option

if TYPE_CHECKING:
    from cardwar_envs.core.rules import GameFacts

ENTROPY_HELP = "initial weight of the entropy bonus, in payoff points per nat; divided by the number of opponents"
OPPONENT_HELP = "policy to exploit: a name, run folder or policy file; or one per other seat, separated by commas"


@dataclass(frozen=True)
class UpdateArgs(SelfPlayArgs):
    """Arguments of PPO against any opponents."""

    rollout: int = option(20, "joint actions per game between updates", low=2)
    batch_size: int = option(1000, "decisions per minibatch", low=2)
    epochs: int = option(4, "epochs per rollout", low=1)
    learning_rate: float = option(3e-4, "initial learning rate of Adam; decays linearly", low=1e-9)
    final_rate: float = option(1.0, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    gamma: float = option(1.0, "discount per decision; 1 suffices, since games are finite", low=0.0, high=1.0)
    gae_lambda: float = option(0.95, "lambda of generalized advantage estimation", low=0.0, high=1.0)
    normalize_advantage: int = option(0, "1: normalize advantages per minibatch; 0: keep payoff points", 0, 1)
    clip_range: float = option(0.2, "clipping range of the probability ratio", low=1e-9)
    value_clip: float = option(0.0, "clipping range of the value's change per rollout; 0: not clipped", low=0.0)
    value_coefficient: float = option(0.5, "weight of the critic's mean squared error in the loss", low=0.0)
    max_grad_norm: float = option(0.5, "norm to which gradients are clipped", low=1e-9)
    target_kl: float = option(0.0, "divergence that ends the epochs of a rollout early; 0: never", low=0.0)
    entropy: float = option(0.2, ENTROPY_HELP, low=0.0, with_many_actions=0.03)
    final_entropy: float = option(
        1.0, "final entropy weight as a fraction of the initial one", 0.0, 1.0, with_many_actions=0.1
    )
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)
    relu: int = option(0, "1: rectified linear units; 0: tanh", 0, 1)

    def batch(self, facts: GameFacts) -> int:
        return self.num_games * self.rollout


@dataclass(frozen=True)
class PPOArgs(UpdateArgs):
    """Arguments of PPO in self-play, optionally with other opponents."""

    opponents: str = option(
        "", "training opponents: names, files or run folders, separated by commas; past: earlier checkpoints of the run"
    )
    past_every: int = option(50_000, "steps between the checkpoints that `past` means", low=1)
    opponent_share: float = option(0.5, "fraction of games against opponents; the other games are self-play", 1e-9, 1.0)


@dataclass(frozen=True)
class MMDArgs(PPOArgs):
    """Arguments of magnetic mirror descent: the arguments of PPO, and those of the magnet."""

    steps: int = option(7_500_000, "joint actions to play, summed over all games", low=1)
    evaluate_every: int = option(500_000, "steps between evaluations, each with a checkpoint", low=1)
    num_games: int = option(256, "games played in parallel", low=1)
    rollout: int = option(4, "joint actions per game between updates", low=2)
    batch_size: int = option(256, "decisions per minibatch", low=2)
    epochs: int = option(1, "epochs per rollout", low=1)
    learning_rate: float = option(1e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    final_rate: float = option(0.2, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    gae_lambda: float = option(0.0, "lambda of generalized advantage estimation", low=0.0, high=1.0)
    entropy: float = option(0.05, ENTROPY_HELP, low=0.0)
    final_entropy: float = option(0.4, "final entropy weight as a fraction of the initial one", low=0.0, high=1.0)
    relu: int = option(1, "1: rectified linear units; 0: tanh", 0, 1)
    magnet: float = option(
        0.2,
        "weight of the KL divergence from the magnet, in payoff points per nat; divided by the number of opponents",
        low=0.0,
    )
    magnet_every: int = option(100, "rollouts between updates of the magnet", low=1)
    random_starts: int = option(0, "1: games start from states that uniform play reaches", 0, 1)
    proximal: float = option(
        0.0, "weight of the KL divergence from the policy that played the rollout, in payoff points per nat", low=0.0
    )
    average_share: float = option(
        0.14, "window of the averaged weights, as a fraction of the rollouts so far; 0: no average", 0.0, 1.0
    )


@dataclass(frozen=True)
class ResponderArgs(UpdateArgs):
    """Arguments of PPO against fixed policies."""

    num_games: int = option(256, "games played in parallel", low=1)
    rollout: int = option(10, "joint actions per game between updates", low=2)
    batch_size: int = option(256, "decisions per minibatch", low=2)
    epochs: int = option(4, "epochs per rollout", low=1)
    learning_rate: float = option(1e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    final_rate: float = option(0.2, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    entropy: float = option(0.02, ENTROPY_HELP, low=0.0)
    final_entropy: float = option(0.0, "final entropy weight as a fraction of the initial one", low=0.0, high=1.0)
    relu: int = option(1, "1: rectified linear units; 0: tanh", 0, 1)


@dataclass(frozen=True)
class BestResponseArgs(ResponderArgs):
    """Arguments of the learned best response."""

    steps: int = option(300_000, "joint actions to play, summed over all games", low=1)
    evaluate_every: int = option(30_000, "steps between evaluations, each with a checkpoint", low=1)
    opponent: str = option("uniform", OPPONENT_HELP)


@dataclass(frozen=True)
class DQNArgs(SelfPlayArgs):
    """Arguments of DQN against any opponents."""

    steps: int = option(300_000, "joint actions to play, summed over all games", low=1)
    evaluate_every: int = option(30_000, "steps between evaluations, each with a checkpoint", low=1)
    num_games: int = option(64, "games played in parallel", low=1)
    exploration: float = option(1.0, "initial fraction of uniformly random actions; decays linearly", 0.0, 1.0)
    final_exploration: float = option(0.1, "final exploration as a fraction of the initial one", 0.0, 1.0)
    replay_size: int = option(50_000, "capacity of the replay buffer in decisions", low=1)
    batch_size: int = option(256, "decisions per update; one update per step of all games", low=1)
    learning_rate: float = option(1e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    final_rate: float = option(0.05, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    target_rate: float = option(0.01, "rate of the target network's moving average, per update", 1e-9, 1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)


@dataclass(frozen=True)
class DQNResponseArgs(DQNArgs):
    """Arguments of DQN against fixed policies."""

    opponent: str = option("uniform", OPPONENT_HELP)


@dataclass(frozen=True)
class IndependentQArgs(DQNArgs):
    """Arguments of independent Q-learning."""


@dataclass(frozen=True)
class NFSPArgs(SelfPlayArgs):
    """Arguments of NFSP."""

    steps: int = option(1_000_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(32, "games played in parallel", low=1)
    anticipatory: float = option(0.3, "fraction of games in which a player uses its best response", low=1e-9, high=1.0)
    exploration: float = option(
        0.2, "initial fraction of a best response's actions that are uniformly random", 0.0, 1.0
    )
    final_exploration: float = option(0.0, "final exploration; decays linearly", low=0.0, high=1.0)
    replay_size: int = option(10_000, "capacity of DQN's replay buffer in decisions", low=1)
    reservoir_size: int = option(500_000, "capacity of the average policy's reservoir in decisions; at most 256 MiB", 1)
    batch_size: int = option(256, "decisions per update of either network", low=1)
    learning_rate: float = option(2e-3, "learning rate of Adam for DQN", low=1e-9)
    average_rate: float = option(2e-3, "initial learning rate of Adam for the average policy", low=1e-9)
    final_rate: float = option(0.05, "final average_rate as a fraction of the initial one", low=0.0, high=1.0)
    target_rate: float = option(0.05, "rate of DQN's target network's moving average, per update", 1e-9, 1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)

    def schedules(self) -> dict[str, float]:
        """`final_exploration` is a value, not a fraction of the initial one."""
        held = {name: value for name, value in super().schedules().items() if name != "final_exploration"}
        changes = self.final_exploration != self.exploration
        return held | ({"final_exploration": self.final_exploration} if changes else {})


@dataclass(frozen=True)
class SlowCopyArgs(SelfPlayArgs):
    """Arguments common to learners whose network has a memory, and a slowly moving copy as the target."""

    learning_rate: float = option(2e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    memory_rate: float = option(0.05, "initial learning rate for the rows of the memory; decays linearly", low=1e-9)
    final_rate: float = option(0.01, "final learning rates as a fraction of the initial ones", low=0.0, high=1.0)
    target_rate: float = option(0.02, "rate of the target network's moving average, per update", low=1e-9, high=1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)
    memory: int = option(65_536, "rows of the memory; a few per state and seat work best", low=1)


@dataclass(frozen=True)
class MinimaxQArgs(SlowCopyArgs):
    """Arguments of minimax-Q."""

    steps: int = option(10_000_000, "joint actions to play, summed over all games", low=1)
    evaluate_every: int = option(1_000_000, "steps between evaluations, each with a checkpoint", low=1)
    num_games: int = option(2_048, "games played in parallel", low=1)
    exploration: float = option(1.0, "fraction of actions sampled uniformly instead of from the target", 0.0, 1.0)
    replay_size: int = option(65_536, "capacity of the replay buffer in moves", low=1)
    batch_size: int = option(2_048, "moves per update; one update per step of all games", low=1)
    learning_rate: float = option(2e-3, "initial learning rate of Muon and Adam; decays linearly", low=1e-9)
    memory: int = option(65_536, "rows of the memory; a few per state work best", low=1)


@dataclass(frozen=True)
class MinimaxQModelArgs(SlowCopyArgs):
    """Arguments of minimax-Q that tries all joint actions."""

    steps: int = option(600_000, "joint actions to try, summed over all rounds", low=1)
    num_games: int = option(1024, "states sampled per round; duplicates count once", low=1)
    passes: int = option(8, "epochs per round", low=1)
    batch_size: int = option(256, "states per update", low=1)
    target_rate: float = option(0.01, "rate of the target network's moving average, per update", low=1e-9, high=1.0)
    width: int = option(256, "units of each hidden layer", low=1)

    def batch(self, facts: GameFacts) -> int:
        return self.num_games * facts.num_actions**facts.num_players


@dataclass(frozen=True)
class AlphaZeroArgs(SlowCopyArgs):
    """Arguments of AlphaZero."""

    steps: int = option(500_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(256, "games played in parallel", low=1)
    simulations: int = option(50, "simulations of each search", low=1)
    exploration: float = option(0.5, "fraction of actions sampled uniformly instead of from the search", 0.0, 1.0)
    replay_size: int = option(32_768, "capacity of the buffer in searches", low=1)
    updates: int = option(2, "updates per step of all games", low=1)
    batch_size: int = option(512, "searches per update, each from both seats", low=1)
    final_rate: float = option(0.02, "final learning rates as a fraction of the initial ones", low=0.0, high=1.0)


@dataclass(frozen=True)
class FittedValueArgs(CommonArgs):
    """Arguments of fitted value iteration."""

    steps: int = option(10_000, "updates of networks; the layers share them by the roots of their sizes", low=1)
    evaluate_every: int = option(1_000, "updates between evaluations, each with a checkpoint", low=1)
    num_states: int = option(20_000, "distinct states sampled with each number of moves left", low=1)
    batch_size: int = option(512, "states per update", low=1)
    learning_rate: float = option(6e-3, "initial learning rate in each layer; decays linearly", low=1e-9)
    final_rate: float = option(0.005, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(3, "hidden layers of each network", low=1)

    def schedules(self) -> dict[str, float]:
        """Returns the planned updates too, since the layers share them."""
        return {"steps": self.steps, **super().schedules()}


@dataclass(frozen=True)
class JointCriticArgs(SelfPlayArgs):
    """Arguments of the joint-critic learner."""

    steps: int = option(1_500_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(128, "games played in parallel", low=1)
    exploration: float = option(0.5, "fraction of actions sampled uniformly instead of from the actor", 0.0, 1.0)
    replay_size: int = option(65_536, "capacity of the replay buffer in moves", low=1)
    batch_size: int = option(256, "moves per update, each from both seats; one update per step", low=1)
    critic_rate: float = option(1e-3, "initial learning rate of Adam for the critic; decays linearly", low=1e-9)
    actor_rate: float = option(1e-3, "initial learning rate of Adam for the actor; decays linearly", low=1e-9)
    final_rate: float = option(0.02, "final decaying rates as a fraction of the initial ones", low=0.0, high=1.0)
    memory_rate: float = option(0.05, "initial learning rate for the rows of the memories; decays linearly", low=1e-9)
    temperature: float = option(
        0.1, "weight of the regularization towards the magnet, in payoff points per nat", low=0.0
    )
    natural: int = option(0, "1: logits follow the payoffs of actions (NeuRD); 0: the softmax policy gradient", 0, 1)
    magnet_rate: float = option(0.02, "initial rate at which the magnet follows the actor; decays linearly", 0.0, 1.0)
    magnet_every: int = option(1, "updates between movements of the magnet", low=1)
    target_rate: float = option(0.02, "rate of the target critic's moving average, per update", low=1e-9, high=1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)
    memory: int = option(32_768, "rows of the memory of actor and critic, except in games with many actions", low=1)


@dataclass(frozen=True)
class CFRPlusArgs(CommonArgs):
    """Arguments of CFR+."""

    steps: int = option(1_000, "iterations over all states", low=1)
    evaluate_every: int = option(20, "iterations between evaluations, each with a checkpoint", low=1)
    reach: int = option(0, "1: weight by reach probability, as on a tree; 0: each state is a separate game", 0, 1)


# Name of the algorithm -> its arguments.
ARGUMENTS: dict[str, type[CommonArgs]] = {
    "minimax_q": MinimaxQArgs,
    "minimax_q_model": MinimaxQModelArgs,
    "fitted_value": FittedValueArgs,
    "ppo": PPOArgs,
    "mmd": MMDArgs,
    "nfsp": NFSPArgs,
    "joint_critic": JointCriticArgs,
    "alphazero": AlphaZeroArgs,
    "best_response": BestResponseArgs,
    "dqn_response": DQNResponseArgs,
    "cfr_plus": CFRPlusArgs,
    "independent_q": IndependentQArgs,
}
