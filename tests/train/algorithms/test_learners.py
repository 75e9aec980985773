"""What all learners have in common: seeds, checkpoints, policies that stay, games that they refuse."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import torch
from thinning import each_row
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from toys import one_step

from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.jujitsu import Jujitsu
from train.algorithms.registry import ALGORITHMS
from train.runs.loop import own_generators
from train.storage.archive import Archive, read_archive, write_archive

GAME = make_game("jujitsu", num_cards=3)
WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=30)
NETWORKS = [name for name, algorithm in ALGORITHMS.items() if algorithm.step == "joint actions"]
TABULAR = {"fictitious_play": "fictitious play", "cfr_plus": r"CFR\+", "tabular_mmd": "tabular MMD"}  # name -> label
LITTLE = {"num_games": 20, "rollout": 3, "batch_size": 30, "width": 8, "response_steps": 100, "replay_size": 100,
          "reservoir_size": 100, "memory": 64, "passes": 2, "opponents": "highest_card,past"}  # fmt: skip


def little(name, **more):
    """An algorithm's arguments, for small updates."""
    known, values = ALGORITHMS[name].defaults(), {**LITTLE, **more}
    return ALGORITHMS[name].args(**{each: value for each, value in values.items() if each in known})


def same(first, second):
    """Whether two states of learners have equal tensors."""
    first, second = first[0], second[0]
    return first.keys() == second.keys() and all(torch.equal(tensor, second[key]) for key, tensor in first.items())


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_batch_is_at_most_as_large_as_announced(name):
    arguments = little(name)
    learner = ALGORITHMS[name].learner(GAME, arguments, 0)
    learner.advance(1)
    assert 1 <= learner.steps <= arguments.batch(GAME.facts)


@pytest.mark.parametrize(("name", "game"), [*((name, GAME) for name in ALGORITHMS), ("dqn_response", WAR)])
def test_a_seed_repeats_everything_and_a_restored_learner_goes_on_as_the_first(tmp_path, name, game):
    """And a policy stays as it was when learning goes on."""
    whole = {"joint actions": 240, "best responses": 3, "iterations": 30}[ALGORITHMS[name].step]
    parts = (whole // 3, whole * 2 // 3, whole)
    observations, masks = (each[:, 0] for each in GameBatch(game, 20, seed=0, start="random").reset())

    def learner(seed):
        return ALGORITHMS[name].learner(game, little(name, steps=whole), seed)

    def advanced(learner, *steps):
        """The last figures and policy; as in a run, there is a policy of each part, which takes random numbers."""
        return [(learner.advance(each), learner.policy()) for each in steps][-1]

    with own_generators(3, 1):
        first = learner(3)
        _, policy = advanced(first, parts[0])
        write_archive(tmp_path / "begun", Archive(*first.state()))
        answers = policy.action_probabilities(observations, masks)
        advanced(first, parts[1])
        write_archive(tmp_path / "state", Archive(*first.state()))
        generators = torch.get_rng_state(), np.random.get_state()
        figures, _ = advanced(first, parts[2])
    begun, state = read_archive(tmp_path / "begun"), read_archive(tmp_path / "state")
    assert np.array_equal(policy.action_probabilities(observations, masks), answers)
    assert not same(begun, state)
    with own_generators(3, 1):
        again = learner(3)
        assert advanced(again, *parts)[0] == figures
    assert same(again.state(), first.state())
    with own_generators(4, 1):
        other = learner(4)
        other.advance(parts[0])
        assert same(other.state(), begun) == (name in TABULAR), "seeds change what is learned from samples"
        restored = learner(3 if name == "psro" else 4)  # its responses follow its seed
        restored.restore(*state)
        torch.set_rng_state(generators[0])
        np.random.set_state(generators[1])
        assert restored.steps >= parts[1]
        assert restored.advance(parts[2]) == figures
    assert same(restored.state(), first.state())
    if name in ("ppo", "mmd"):
        assert "past.2.0.weight" in first.state()[0], "earlier selves play too"


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("falling", [False, True])
def test_only_schedules_make_learning_depend_on_the_steps_to_come(name, falling):
    """So runs without them can be extended."""
    whole = {"joint actions": 120, "best responses": 1, "iterations": 5}[ALGORITHMS[name].step]
    constant = {"final_rate": 1.0, "final_entropy": 1.0, "exploration": 0.5}
    constant["final_exploration"] = 0.5 if name == "nfsp" else 1.0
    states = []
    for steps in (whole, 2 * whole):
        args = little(name, steps=steps, **({} if falling else constant))
        with own_generators(3, 1):
            learner = ALGORITHMS[name].learner(GAME, args, 3)
            learner.advance(whole)
        states.append(learner.state())
    assert same(*states) == (not args.schedules())
    assert not args.schedules() or falling


class TypesSeen(TorchDispatchMode):
    """Notes the types of all tensors that torch's operations take and return."""

    def __init__(self):
        super().__init__()
        self.types = set()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        self.types |= {each.dtype for each in tree_leaves((args, kwargs, result)) if isinstance(each, torch.Tensor)}
        return result


@each_row("name", NETWORKS)
def test_nothing_is_computed_in_half_precision(name):
    """Most processors have no units for it: a product takes thirty times as long as in single precision."""
    with TypesSeen() as seen:
        torch.ones(2).bfloat16()
    assert seen.types == {torch.float32, torch.bfloat16}
    learner = ALGORITHMS[name].learner(GAME, little(name), seed=0)
    with TypesSeen() as seen:
        learner.advance(60)
    assert torch.float32 in seen.types
    assert not seen.types & {torch.bfloat16, torch.float16}


class PrivateJujitsu(Jujitsu):
    """Declares that an observation does not show the state."""

    @property
    def facts(self):
        return dataclasses.replace(super().facts, public_state=False)


@dataclasses.dataclass(frozen=True)
class LateCoin(Jujitsu):
    """Equal cards meet by a coin; all else is certain, and so is the course of play by the first legal actions."""

    name = "late_coin"

    def trick_outcomes(self, rank_0, rank_1):
        if rank_0 == rank_1 == 2:
            return ((Fraction(1, 2), 1), (Fraction(1, 2), -1))
        return super().trick_outcomes(rank_0, rank_1)


ZERO_SUM = "{} supports only two-player zero-sum games"
PUBLIC = f"{ZERO_SUM} with a public state"
CERTAIN = "looking ahead is for games without chance after the deal"
THREE, PRIVATE, DECK = one_step(players=3), PrivateJujitsu(num_cards=3), make_game("war")


@each_row(
    ("name", "game", "message"),
    [
        *(
            (name, game, PUBLIC.format(label))
            for name, label in (("minimax_q", "minimax-Q"), ("joint_critic", "joint critic"), ("psro", "PSRO"))
            for game in (PRIVATE, THREE, one_step(zero_sum=False), make_game("dice_poker"))
        ),
        *(
            (name, game, ZERO_SUM.format(label))
            for name, label in TABULAR.items()
            for game in (THREE, one_step(zero_sum=False))
        ),
        *((name, PRIVATE, "not a game in which both players move once") for name in TABULAR),
        ("fitted_value", PRIVATE, "with a public state and symmetric seats"),
        ("fitted_value", make_game("dice_poker"), "with a public state and symmetric seats"),
        ("fitted_value", make_game("war", num_players=3), "looking ahead is for two-player zero-sum games"),
        ("fitted_value", make_game("dice_wars", num_cards=2), CERTAIN),
        ("fitted_value", LateCoin(num_cards=2), CERTAIN),
        *(
            (name, game, "^war")
            for name in (*TABULAR, "minimax_q", "fitted_value", "psro")
            for game in (DECK, make_game("war", num_players=4))
        ),
    ],
)
def test_a_game_that_a_learner_does_not_take_is_refused_at_once_in_one_line(name, game, message):
    algorithm = ALGORITHMS[name]
    with pytest.raises(ValueError, match=message) as caught:
        algorithm.learner(game, algorithm.args(), 0)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("; ppo, mmd and nfsp learn any game")
