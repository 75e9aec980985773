"""What holds for all learners: arguments, games, learning, seeds, checkpoints, schedules, policies on disk."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
import torch
from shifted import shifted
from thinning import each_row
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from toys import END, Toy, general_sum, one_step

from baselines import head_to_head
from cardwar_envs import make_game, table_game
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.jujitsu import Jujitsu
from train.algorithms.experience.opponents import LineUp
from train.algorithms.presets import PRESETS
from train.algorithms.registry import ALGORITHMS
from train.learner.contract import CommonArgs
from train.measures.exact import evaluate
from train.policies.files import load_policy, save_policy
from train.policies.learned_policy import has_many_actions
from train.runs.loop import reproducible, run
from train.storage.archive import Archive, read_archive, write_archive

GAME = make_game("jujitsu", num_cards=3)
WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=30)
LEARNERS = [name for name, algorithm in ALGORITHMS.items() if not algorithm.base]  # all but presets
NETWORKS = [name for name in LEARNERS if ALGORITHMS[name].step in ("joint actions", "updates")]
LITTLE = {"num_games": 20, "rollout": 3, "batch_size": 30, "width": 8, "replay_size": 100,
          "reservoir_size": 100, "memory": 64, "passes": 2, "past_every": 80, "simulations": 4,
          "opponents": "highest_card,past"}  # fmt: skip


def little(name, game=None, **more):
    """An algorithm's arguments, for small updates."""
    known, values = ALGORITHMS[name].defaults(), {**LITTLE, **more}
    return ALGORITHMS[name].args(game, **{key: value for key, value in values.items() if key in known})


def learner_of(name, game=GAME, **more):
    return ALGORITHMS[name].learner(game, little(name, game, **more), 0)


def same(first, second):
    """Whether two states of learners have equal tensors."""
    first, second = first[0], second[0]
    return first.keys() == second.keys() and all(torch.equal(tensor, second[key]) for key, tensor in first.items())


@each_row("algorithm", ALGORITHMS.values())
def test_every_argument_has_a_default_and_a_line_of_help(algorithm):
    assert issubclass(algorithm.args_type(), CommonArgs)
    for field in dataclasses.fields(algorithm.args_type()):
        assert field.default is not dataclasses.MISSING
        assert field.metadata["description"]
        assert "\n" not in field.metadata["description"]
    assert algorithm.args() == algorithm.args_type()(**algorithm.settings)


@each_row(
    ("name", "values", "message"),
    [
        ("minimax_q", {"final_rate": 1.2}, r"final_rate \(1.2\) must be at most 1"),
        ("minimax_q", {"steps": 10**400}, r"steps \(100000…\(401 digits\)\) must be at most 9007199254740992"),
        ("minimax_q", {"learning_rate": 10**400}, r"learning_rate \(100000…\(401 digits\)\) must be a number"),
        ("minimax_q", {"steps": True}, r"steps \(True\) must be an integer"),
        ("minimax_q", {"learning_rate": float("inf")}, r"learning_rate \(inf\) must be a finite number"),
        ("minimax_q", {"lr": 1}, r"minimax_q has no parameter 'lr' \(did you mean 'learning_rate'\?\); it has steps, "),
        ("minimax_q", {"num_game": 1}, r"has no parameter 'num_game' \(did you mean 'num_games'\?\); it has steps, "),
        ("best_response", {"opponent": ""}, r"opponent \(''\) must not be empty"),
        ("best_response", {"opponent": None}, r"opponent \(None\) must be a string"),
    ],
)
def test_a_bad_argument_is_named_with_its_range(name, values, message):
    with pytest.raises(ValueError, match=message):
        ALGORITHMS[name].args(**values)


def test_only_ppo_has_other_defaults_with_many_actions():
    small, large = make_game("jujitsu"), make_game("war")
    others = {}
    for name, algorithm in ALGORITHMS.items():
        usual, here = algorithm.defaults(), algorithm.defaults(large)
        assert algorithm.args(small) == algorithm.args()
        assert dataclasses.asdict(algorithm.args(large)) == here
        others |= {name: changed} if (changed := dict(here.items() - usual.items())) else {}
    assert others == {"ppo": {"entropy": 0.03, "final_entropy": 0.1}}
    given = ALGORITHMS["ppo"].args_from({"entropy": "0.2"}, large)
    assert (given.entropy, given.final_entropy) == (0.2, 0.1)


@each_row("preset", PRESETS)
def test_a_preset_is_arguments_of_a_learner_and_its_source(preset):
    """Given arguments come before its settings, which are the same in all games."""
    entry, base = ALGORITHMS[preset.name], ALGORITHMS[preset.base]
    assert (entry.args_type(), entry.uses, entry.learns) == (base.args_type(), base.uses, base.learns)
    args = dataclasses.asdict(entry.args(make_game("war")))
    assert preset.settings.items() <= args.items()
    assert entry.args(width=8).width == 8
    assert "arXiv" in preset.source
    assert preset.read_in
    learner = entry.learner(GAME, little(preset.name), 0)
    assert np.isfinite(list(learner.advance(1).values())).all()


def test_the_settings_of_a_preset_reach_the_update():
    learner = ALGORITHMS["rudolph_mmd"].learner(GAME, ALGORITHMS["rudolph_mmd"].args(steps=100, width=8), 0)
    model = learner._model
    clipped = model.clip_range(1.0), model.clip_range_vf(1.0), model.max_grad_norm
    assert (*clipped, model.vf_coef, model.target_kl) == (0.1, 0.1, 0.5, 0.5, None)
    learner._before_rollout()
    assert (model.policy.proximal_weight, model.policy.magnet_weight) == (0.05, 0.0)


def test_the_registry_imports_neither_torch_nor_pydantic():
    code = "import sys, train, train.algorithms.registry; sys.exit(bool({'torch', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


WORD = make_game("jujitsu", num_cards=3, view="word")
# No policy is exploitable here, so learning on it shows only that chance is handled.
DICE = make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2)
UNLIKE = make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4))
LIMITED_WAR = make_game("war", ranks=3, discards=1, max_rounds=4)
POKER = make_game("dice_poker", sides=3)
# Player 0 chooses one of two matrix games, or a coin does; then both players move. The seats are not alike.
IN_TURN = Toy(
    (
        ((0,), {(0,): [(1, 1, 0.5)], (1,): [("1/3", 1, 0), ("2/3", 2, 0)]}),
        ((0, 1), {(0, 0): [(1, END, 1)], (0, 1): [(1, END, -1)], (1, 0): [(1, END, -2)], (1, 1): [(1, END, 2)]}),
        ((0, 1), {(0, 0): [(1, END, 3)], (0, 1): [(1, END, 0)], (1, 0): [(1, END, 1)], (1, 1): [(1, END, 2)]}),
    )
)
Q = {"num_games": 64, "batch_size": 32, "width": 32, "memory": 256, "target_rate": 0.1}
PLAYS = {"num_games": 64, "batch_size": 128, "width": 32, "memory": 256, "target_rate": 0.1, "learning_rate": 0.01}
VALUE = {"steps": 120, "batch_size": 64, "width": 32}
CRITIC = {"steps": 8_000, "num_games": 16, "batch_size": 32, "width": 32, "actor_rate": 3e-3, "critic_rate": 3e-3,
          "magnet_rate": 0.03, "target_rate": 0.1}  # fmt: skip
MMD = {"num_games": 64, "width": 32, "magnet_every": 10, "average_share": 0.2}
RESPONSE = {"num_games": 64, "batch_size": 64, "width": 32}
wide = pytest.mark.wide
# Algorithm, game, arguments, and the exploitability that it reaches; uniform play's on three cards is 0.5.
LEARNS = [
    ("minimax_q", GAME, {"steps": 8_000, **PLAYS}, 0.02),
    pytest.param("minimax_q", WORD, {"steps": 8_000, **PLAYS, "exploration": 0.5}, 0.02, marks=wide),
    pytest.param("minimax_q", make_game("goofspiel", num_cards=3), {"steps": 30_000, **PLAYS}, 0.02, marks=wide),
    ("minimax_q_model", DICE, {"steps": 300, **Q}, 0.02),
    pytest.param("minimax_q_model", GAME, {"steps": 1_500, **Q}, 0.02, marks=wide),
    pytest.param("minimax_q_model", WORD, {"steps": 1_500, **Q}, 0.02, marks=wide),
    ("fitted_value", GAME, VALUE, 0.02),
    ("fitted_value", make_game("goofspiel", num_cards=3), {**VALUE, "steps": 400}, 0.05),
    ("fitted_value", IN_TURN, VALUE, 0.02),
    pytest.param("fitted_value", WORD, VALUE, 0.02, marks=wide),
    pytest.param("fitted_value", UNLIKE, {**VALUE, "steps": 400}, 0.02, marks=wide),
    pytest.param("fitted_value", make_game("oshi_zumo", coins=4, size=1), VALUE, 0.02, marks=wide),
    pytest.param("fitted_value", LIMITED_WAR, {**VALUE, "steps": 1_000}, 0.02, marks=wide),
    ("joint_critic", GAME, CRITIC, 0.05),
    pytest.param("rnad", GAME, {"steps": 8_000, "num_games": 16, "batch_size": 32, "width": 32, "actor_rate": 3e-3,
                                "critic_rate": 3e-3, "target_rate": 0.1, "memory": 256, "magnet_every": 50}, 0.1),
    ("ppo", GAME, {"steps": 2_304, "num_games": 32, "rollout": 9, "batch_size": 288, "width": 32,
                   "learning_rate": 3e-3, "final_rate": 1.0}, 0.35),
    ("mmd", POKER, {"steps": 10_000, **MMD, "rollout": 2, "batch_size": 64, "learning_rate": 6e-3}, 0.07),
    pytest.param("mmd", WORD, {"steps": 12_000, **MMD, "rollout": 3, "batch_size": 96, "learning_rate": 3e-3}, 0.2,
                 marks=wide),
    pytest.param("nfsp", GAME, {"steps": 20_000, "num_games": 16, "width": 32, "batch_size": 128, "replay_size": 5000,
                                "learning_rate": 3e-3, "average_rate": 3e-3}, 0.3, marks=pytest.mark.slow),
    ("cfr_plus", GAME, {"steps": 300}, 0.004),
    ("alphazero", GAME, {"steps": 8_000, **Q, "batch_size": 64, "simulations": 10, "updates": 4,
                         "learning_rate": 0.01}, 0.1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "game", "values", "bound"), LEARNS)
def test_each_learns_a_small_game(name, game, values, bound):
    args = ALGORITHMS[name].args(**values)
    learner = ALGORITHMS[name].learner(game, args, seed=0)
    figures = learner.advance(args.steps)
    assert learner.steps >= args.steps
    assert all(map(np.isfinite, figures.values()))
    assert evaluate(game, learner.policy()).exploitability < bound


@pytest.mark.parametrize(
    ("name", "values", "opponent"),
    [
        ("best_response", {"steps": 2500, **RESPONSE, "learning_rate": 0.005}, "highest_card"),
        pytest.param("best_response", {"steps": 2500, **RESPONSE, "learning_rate": 0.005}, "uniform", marks=wide),
        ("dqn_response", {"steps": 2400, "num_games": 12, "batch_size": 64, "width": 32, "learning_rate": 0.005,
                          "target_rate": 0.1}, "uniform"),
        ("ppo", {"steps": 3600, "num_games": 60, "rollout": 3, "batch_size": 30, "width": 32, "learning_rate": 0.01,
                 "entropy": 0.02, "opponent_share": 1.0}, "highest_card"),
    ],
)  # fmt: skip
def test_a_best_response_is_found_on_three_cards(name, values, opponent):
    named = {"opponents" if name == "ppo" else "opponent": opponent}
    learner = ALGORITHMS[name].learner(GAME, ALGORITHMS[name].args(**values, **named), seed=0)
    learner.advance(values["steps"] if name != "ppo" else 1800)
    if name == "ppo":
        assert head_to_head(GAME, learner.policy(), opponent).mean > 0.8
    else:
        figures = learner.figures()
        assert figures["share"] == pytest.approx(1.0)
        assert figures.get("sampled_share", 1.0) > 0.6


OTHER_KINDS = (
    make_game("lowest_unique", numbers=3),
    make_game("lowest_unique", num_players=2, numbers=3, payoff="prize"),
    make_game("lowest_unique", numbers=3, payoff="prize"),
)


def short(name):
    """Arguments of a run of an update or so."""
    steps = 64 if name in NETWORKS else 1
    more = {"num_games": 8, "rollout": 8, "batch_size": 16, "opponents": ""}
    return little(name, steps=steps, evaluate_every=steps, **more)


@pytest.mark.thin
@pytest.mark.parametrize("name", ["ppo", "mmd", "nfsp", "independent_q", "best_response", "dqn_response"])
@pytest.mark.parametrize("game", OTHER_KINDS, ids=range(3))
def test_games_of_other_kinds_are_learned_by_some(tmp_path, name, game):
    result = run(game, name, short(name), tmp_path / "run")
    assert result.figures["nash_conv"] == sum(result.figures[f"gain_{p}"] for p in range(game.facts.num_players))
    assert min(result.figures.values()) >= 0.0
    assert "a player who deviates can gain" in result.verdict


@pytest.mark.thin
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    "game",
    [
        make_game("goofspiel", num_cards=3),
        make_game("goofspiel", num_cards=3, prizes="descending", ties="carry", payoff="win", view="word"),
        make_game("oshi_zumo", coins=3, size=1),
        make_game("lowest_unique", num_players=2, numbers=3),
    ],
    ids=["goofspiel", "goofspiel-word", "oshi_zumo", "lowest_unique"],
)
def test_every_algorithm_runs_on_other_games(tmp_path, name, game):
    result = run(game, name, short(name), tmp_path / "run")
    assert 0.0 <= result.figures["exploitability"] <= game.facts.max_payoff
    assert result.reference["value"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_batch_is_at_most_as_large_as_announced(name):
    learner = learner_of(name)
    learner.advance(1)
    assert 1 <= learner.steps <= little(name).batch(GAME.facts)


@pytest.mark.parametrize(("name", "game"), [*((name, GAME) for name in LEARNERS), ("dqn_response", WAR)])
def test_a_seed_repeats_everything_and_a_restored_learner_goes_on_as_the_first(tmp_path, name, game):
    """And a policy stays as it was when learning goes on, and is the same when it is read from a file."""
    whole = {"joint actions": 240, "updates": 36, "iterations": 30}[ALGORITHMS[name].step]
    parts = (whole // 3, whole * 2 // 3, whole)
    observations, masks = (each[:, 0] for each in GameBatch(game, 20, seed=0, start="random").reset())

    def learner(seed):
        return ALGORITHMS[name].learner(game, little(name, steps=whole), seed)

    def advanced(learner, *steps):
        """The last figures and policy; as in a run, there is a policy of each part, which takes random numbers."""
        return [(learner.advance(each), learner.policy()) for each in steps][-1]

    with reproducible(3):
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
    save_policy(tmp_path / "policy.safetensors", policy)
    assert np.array_equal(load_policy(tmp_path, game).action_probabilities(observations, masks), answers)
    assert not same(begun, state)
    with reproducible(3):
        again = learner(3)
        assert advanced(again, *parts)[0] == figures
    assert same(again.state(), first.state())
    with reproducible(4):
        other = learner(4)
        other.advance(parts[0])
        assert same(other.state(), begun) == (name == "cfr_plus"), "seeds change what is learned from samples"
        restored = learner(4)
        restored.restore(*state)
        torch.set_rng_state(generators[0])
        np.random.set_state(generators[1])
        assert restored.steps >= parts[1]
        assert restored.advance(parts[2]) == figures
    assert same(restored.state(), first.state())
    if name in ("ppo", "mmd"):
        assert "past.2.0.weight" in first.state()[0], "earlier checkpoints play too"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_evaluations_of_a_run_change_nothing_that_it_learns(tmp_path, name):
    whole = {"joint actions": 240, "updates": 36, "iterations": 12}[ALGORITHMS[name].step]
    found = []
    for every in (whole // 2 if name == "psro" else whole // 6, whole):
        args = little(name, steps=whole, evaluate_every=every)
        folder = run(GAME, name, args, tmp_path / str(every), seed=3).folder
        found.append((read_archive(folder / "policy.safetensors"), read_archive(folder / "checkpoint.safetensors")))
        assert (len(found[-1][1].data["rows"]) > 1) == (every < whole)
    for often, seldom in zip(*found, strict=True):
        assert same(often, seldom)
    often, seldom = (checkpoint.data for _, checkpoint in found)
    assert (often["learner"], often["generator"]) == (seldom["learner"], seldom["generator"])


@pytest.mark.parametrize(
    ("name", "players"),
    [("ppo", 2), pytest.param("mmd", 3, marks=wide), ("nfsp", 3), ("joint_critic", 2), ("dqn_response", 2)],
)
def test_full_decks_of_war_are_learned_and_go_on_after_a_stop(tmp_path, name, players):
    game = make_game("war", num_players=players, max_rounds=5)
    assert has_many_actions(game)
    more = {"num_games": 8, "rollout": 4, "batch_size": 16, "replay_size": 200, "opponents": "", "evaluate_every": 64}
    first, second = (learner_of(name, game, **more) for _ in range(2))
    with reproducible(0):
        first.advance(64)
        tensors, data = first.state()
        kept = {key: tensor.clone() for key, tensor in tensors.items()}
        assert sum(tensor.nbytes for tensor in kept.values()) < 4e6
    second.restore(kept, data)
    ends = []
    for learner in (first, second):
        with reproducible(1):
            figures = learner.advance(128)
            ends.append((figures, learner.state()))
    assert ends[0][0] == ends[1][0]
    assert np.isfinite(list(ends[0][0].values())).all()
    assert same(ends[0][1], ends[1][1])
    save_policy(tmp_path / "policy.safetensors", first.policy())
    state = game.initial()[0].state
    seen, mask = game.observation(state, 0)[None], game.action_mask(state, 0)[None]
    again = load_policy(tmp_path, game).action_probabilities(seen, mask)
    assert np.allclose(again, first.policy().action_probabilities(seen, mask), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("falling", [False, True])
def test_only_schedules_make_learning_depend_on_the_steps_to_come(name, falling):
    """So runs without them can be extended."""
    whole = {"joint actions": 120, "updates": 12, "iterations": 5}[ALGORITHMS[name].step]
    constant = {"final_rate": 1.0, "final_entropy": 1.0, "exploration": 0.5}
    constant["final_exploration"] = 0.5 if name == "nfsp" else 1.0
    states = []
    for steps in (whole, 2 * whole):
        args = little(name, steps=steps, **({} if falling else constant))
        with reproducible(3):
            learner = ALGORITHMS[name].learner(GAME, args, 3)
            learner.advance(whole)
        states.append(learner.state())
    assert same(*states) == (not args.schedules())
    assert not args.schedules() or falling or name == "fitted_value", "its layers share the steps"


# Algorithm, its initial rates, and the optimizers that have them after half of the run.
RATES = [
    ("minimax_q", {"learning_rate": 0.01, "memory_rate": 0.1}, ["adam", "memory_optimizer"]),
    ("minimax_q", {"learning_rate": 0.01}, ["muon"]),
    ("minimax_q_model", {"learning_rate": 0.01, "memory_rate": 0.1}, ["optimizer", "memory_optimizer"]),
    ("joint_critic", {"actor_rate": 0.01, "critic_rate": 0.002}, ["optimizer"]),
    ("joint_critic", {"memory_rate": 0.1}, ["memory_optimizer"]),
    ("ppo", {"learning_rate": 0.01}, ["optimizer"]),
    ("mmd", {"learning_rate": 0.01}, ["optimizer"]),
    ("best_response", {"learning_rate": 0.01}, ["optimizer"]),
    ("dqn_response", {"learning_rate": 0.01}, ["dqn_optimizer"]),
    ("independent_q", {"learning_rate": 0.01}, ["dqn_optimizer"]),
    ("nfsp", {"average_rate": 0.01}, ["average_optimizer"]),
]


@pytest.mark.parametrize(("name", "rates", "optimizers"), RATES)
def test_rates_fall_linearly_over_the_whole_run(name, rates, optimizers):
    """And not anew from one evaluation to the next, as SB3's own schedule would."""
    learner = learner_of(name, steps=10**6, final_rate=0.2, exploration=1.0, anticipatory=1.0, **rates)
    tensors, data = learner.state()
    learner.restore(tensors, data | {"steps": 500_000})
    learner.advance(500_100)
    found = {group["lr"] for optimizer in optimizers for group in learner.parts[optimizer].param_groups}
    assert sorted(found) == pytest.approx(sorted(0.6 * rate for rate in rates.values()), rel=1e-3)


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
    learner = learner_of(name)
    with TypesSeen() as seen:
        learner.advance(60)
    assert torch.float32 in seen.types
    assert not seen.types & {torch.bfloat16, torch.float16}


class PrivateJujitsu(Jujitsu):
    """Declares that an observation does not show the state."""

    @property
    def facts(self):
        return dataclasses.replace(super().facts, public_state=False)


@each_row("name", [name for name in LEARNERS if not hasattr(ALGORITHMS[name].args(), "opponent")])
def test_a_constant_sum_game_is_learned_like_the_zero_sum_one_to_the_bit(name):
    """Both players get 1 point more at the end of one of the games; nothing else differs."""
    learned = []
    for more, declared in ((1.0, False), (0.0, True)):
        game = shifted(Jujitsu, (more, more), declared)(num_cards=3)
        with reproducible(0):
            learner = learner_of(name, game, opponents="")
            learner.advance(100)
            learned.append((learner.state(), evaluate(game, learner.policy())))
    (first, shift), (second, plain) = learned
    assert same(first, second)
    assert shift.exploitability == plain.exploitability > 0.0
    assert shift.guarantees == pytest.approx([each + 1.0 for each in plain.guarantees])


def test_a_response_is_measured_in_the_points_of_a_constant_sum_game():
    game, plain = (shifted(Jujitsu, (more, more), not more)(num_cards=3) for more in (1.0, 0.0))
    figures, others = (LineUp(each, "uniform").figures(named_policy("equilibrium", each)) for each in (game, plain))
    assert figures["shortfall"] == pytest.approx(others["shortfall"])
    for seat in (0, 1):
        assert figures[f"best_{seat}"] == others[f"best_{seat}"] + 1.0
        assert figures[f"payoff_{seat}"] == pytest.approx(others[f"payoff_{seat}"] + 1.0)


def test_payoffs_too_large_for_floats_of_32_bits_are_refused():
    huge = table_game([[1e16, -1], [-1, 1]])
    with pytest.raises(ValueError, match=r"payoffs of up to 1e\+16 points are too large for PPO"):
        ALGORITHMS["ppo"].require(huge)
    ALGORITHMS["cfr_plus"].require(huge)


ZERO_SUM = "{} supports only two-player zero-sum games"
PUBLIC = f"{ZERO_SUM} with a public state"
PUBLIC_DUELS = (
    ("minimax_q", "minimax-Q"),
    ("minimax_q_model", "minimax-Q with a model"),
    ("fitted_value", "fitted value iteration"),
    ("joint_critic", "joint critic"),
)
THREE, PRIVATE, DECK = one_step(players=3), PrivateJujitsu(num_cards=3), make_game("war")


@each_row(
    ("name", "game", "message"),
    [
        *(
            (name, game, PUBLIC.format(label))
            for name, label in PUBLIC_DUELS
            for game in (PRIVATE, THREE, general_sum(), make_game("dice_poker"))
        ),
        *(("cfr_plus", game, ZERO_SUM.format(r"CFR\+")) for game in (THREE, general_sum())),
        ("cfr_plus", PRIVATE, "not a game in which both players move once"),
        *(
            (name, game, "^war")
            for name in ("cfr_plus", "minimax_q", "minimax_q_model", "fitted_value")
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
