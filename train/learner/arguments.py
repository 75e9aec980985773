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
    average_rate: float = option(0.001, "rate at which the averaged weights track the actor, per rollout", 1e-9, 1.0)


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
class PSROArgs(ResponderArgs):
    """Arguments of PSRO; its PPO arguments apply to each response."""

    steps: int = option(40, "best responses to train", low=1)
    evaluate_every: int = option(1, "best responses between evaluations, each with a checkpoint", low=1)
    response_steps: int = option(30_000, "joint actions to play per best response", low=1)
    rollout: int = option(4, "joint actions per game between updates", low=2)
    learning_rate: float = option(3e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    entropy: float = option(0.05, "initial weight of the entropy bonus, in payoff points per nat", low=0.0)
    final_entropy: float = option(1.0, "final entropy weight as a fraction of the initial one", low=0.0, high=1.0)

    def schedules(self) -> dict[str, float]:
        """Returns no schedules: rates decay over the `response_steps` of each response."""
        return {}

    def batch(self, facts: GameFacts) -> int:
        """Returns 1: a step is a best response."""
        return 1


@dataclass(frozen=True)
class DQNResponseArgs(SelfPlayArgs):
    """Arguments of DQN against fixed policies."""

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
    opponent: str = option("uniform", OPPONENT_HELP)


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
class TrialArgs(SelfPlayArgs):
    """Arguments common to algorithms that try every joint action in sampled states."""

    num_games: int = option(1024, "states sampled per round; duplicates count once", low=1)

    def batch(self, facts: GameFacts) -> int:
        return self.num_games * facts.num_actions**facts.num_players


@dataclass(frozen=True)
class MinimaxQArgs(TrialArgs):
    """Arguments of minimax-Q."""

    steps: int = option(600_000, "joint actions to try, summed over all rounds", low=1)
    passes: int = option(8, "epochs per round", low=1)
    batch_size: int = option(256, "states per update", low=1)
    learning_rate: float = option(2e-3, "initial learning rate of Adam; decays linearly", low=1e-9)
    memory_rate: float = option(0.05, "initial learning rate for the rows of the memory; decays linearly", low=1e-9)
    final_rate: float = option(0.01, "final learning rates as a fraction of the initial ones", low=0.0, high=1.0)
    target_rate: float = option(0.01, "rate of the target network's moving average, per update", low=1e-9, high=1.0)
    width: int = option(256, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)
    memory: int = option(65_536, "rows of the memory; a few per state and seat work best", low=1)


@dataclass(frozen=True)
class FittedValueArgs(CommonArgs):
    """Arguments of fitted value iteration."""

    steps: int = option(10_000, "updates of networks, which the layers share by the roots of their sizes", low=1)
    evaluate_every: int = option(1_000, "updates between evaluations, each with a checkpoint", low=1)
    num_states: int = option(20_000, "distinct states sampled with each number of moves left", low=1)
    batch_size: int = option(512, "states per update", low=1)
    learning_rate: float = option(6e-3, "initial learning rate in each layer; decays linearly", low=1e-9)
    final_rate: float = option(0.005, "final learning rate as a fraction of the initial one", low=0.0, high=1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(3, "hidden layers of each network", low=1)
    threads: int = option(1, "threads of PyTorch and of the matrix games", low=1)

    def schedules(self) -> dict[str, float]:
        """Returns the planned updates too, since the layers share them."""
        return {"steps": self.steps, **super().schedules()}


@dataclass(frozen=True)
class JointCriticArgs(SelfPlayArgs):
    """Arguments of the joint-critic learner."""

    steps: int = option(1_500_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(125, "games played in parallel", low=1)
    exploration: float = option(0.5, "fraction of actions sampled uniformly instead of from the actor", 0.0, 1.0)
    replay_size: int = option(65_536, "capacity of the replay buffer in moves", low=1)
    batch_size: int = option(128, "moves per update, each from both seats; one update per step", low=1)
    critic_rate: float = option(1e-3, "initial learning rate of Adam for the critic; decays linearly", low=1e-9)
    actor_rate: float = option(1e-3, "initial learning rate of Adam for the actor; decays linearly", low=1e-9)
    final_rate: float = option(0.02, "final decaying rates as a fraction of the initial ones", low=0.0, high=1.0)
    temperature: float = option(
        0.3, "weight of the regularization towards the magnet, in payoff points per nat", low=0.0
    )
    magnet_rate: float = option(5e-3, "initial rate of the magnet's moving average; decays linearly", 0.0, 1.0)
    target_rate: float = option(0.02, "rate of the target critic's moving average, per update", low=1e-9, high=1.0)
    width: int = option(128, "units of each hidden layer", low=1)
    layers: int = option(2, "hidden layers", low=1)


@dataclass(frozen=True)
class TabularArgs(CommonArgs):
    """Arguments of every tabular learner."""

    steps: int = option(1_000, "iterations over all states", low=1)
    evaluate_every: int = option(20, "iterations between evaluations, each with a checkpoint", low=1)


@dataclass(frozen=True)
class ReachArgs(TabularArgs):
    """Arguments of learners that can weight by reach probability, as the papers on game trees do."""

    reach: int = option(0, "1: weight by reach probability, as on a tree; 0: each state is a separate game", 0, 1)


@dataclass(frozen=True)
class TabularMMDArgs(TabularArgs):
    """Arguments of magnetic mirror descent."""

    learning_rate: float = option(0.2, "step size, for values scaled by the greatest payoff", low=1e-9)
    temperature: float = option(0.2, "weight of the regularization towards the magnet, in the same unit", low=0.0)
    magnet_rate: float = option(0.01, "rate of the magnet's moving average, per iteration", low=0.0, high=1.0)


# Name of the algorithm -> its arguments.
ARGUMENTS: dict[str, type[CommonArgs]] = {
    "minimax_q": MinimaxQArgs,
    "fitted_value": FittedValueArgs,
    "ppo": PPOArgs,
    "mmd": MMDArgs,
    "nfsp": NFSPArgs,
    "joint_critic": JointCriticArgs,
    "best_response": BestResponseArgs,
    "dqn_response": DQNResponseArgs,
    "psro": PSROArgs,
    "fictitious_play": ReachArgs,
    "cfr_plus": ReachArgs,
    "tabular_mmd": TabularMMDArgs,
}
