"""The list of algorithms and their arguments."""

import dataclasses
import subprocess
import sys

import pytest
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.learner.contract import CommonArgs
from train.runs.loop import run


@each_row("algorithm", ALGORITHMS.values())
def test_every_argument_has_a_default_and_a_line_of_help(algorithm):
    assert issubclass(algorithm.args_type(), CommonArgs)
    for field in dataclasses.fields(algorithm.args_type()):
        assert field.default is not dataclasses.MISSING
        assert field.metadata["description"]
        assert "\n" not in field.metadata["description"]
    assert algorithm.args() == algorithm.args_type()()


@each_row(
    ("values", "message"),
    [
        ({"final_rate": 1.2}, r"final_rate \(1.2\) must be at most 1"),
        ({"steps": 10**400}, r"steps \(100000…\(401 digits\)\) must be at most 9007199254740992"),
        ({"learning_rate": 10**400}, r"learning_rate \(100000…\(401 digits\)\) must be a number"),
        ({"steps": True}, r"steps \(True\) must be an integer"),
        ({"learning_rate": float("inf")}, r"learning_rate \(inf\) must be a finite number"),
        ({"lr": 1}, r"minimax_q has no parameter 'lr' \(did you mean 'learning_rate'\?\); it has steps, "),
        ({"num_game": 1}, r"minimax_q has no parameter 'num_game' \(did you mean 'num_games'\?\); it has steps, "),
        ({"learning": 1}, r"minimax_q has no parameter 'learning' \(did you mean 'learning_rate'\?\); it has steps, "),
    ],
)
def test_a_bad_argument_is_named_with_its_range(values, message):
    with pytest.raises(ValueError, match=message):
        ALGORITHMS["minimax_q"].args(**values)


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


# As little as each algorithm can do: at most this much of what it takes.
LITTLE = {"num_games": 8, "width": 8, "rollout": 8, "batch_size": 16, "response_steps": 64}
OTHER_KINDS = (
    make_game("lowest_unique", numbers=3),
    make_game("lowest_unique", num_players=2, numbers=3, payoff="prize"),
    make_game("lowest_unique", numbers=3, payoff="prize"),
)


def little(algorithm):
    """Its arguments, for a single update or so."""
    names = {field.name for field in dataclasses.fields(algorithm.args_type())}
    steps = 64 if algorithm.step == "joint actions" else 1
    return algorithm.args(
        steps=steps, evaluate_every=steps, **{name: value for name, value in LITTLE.items() if name in names}
    )


@pytest.mark.thin
@pytest.mark.parametrize("name", ["ppo", "mmd", "nfsp", "best_response", "dqn_response"])
@pytest.mark.parametrize("game", OTHER_KINDS, ids=range(3))
def test_games_of_other_kinds_are_learned_by_some(tmp_path, name, game):
    result = run(game, name, little(ALGORITHMS[name]), tmp_path / "run")
    assert result.figures["nash_conv"] == sum(result.figures[f"gain_{p}"] for p in range(game.facts.num_players))
    assert min(result.figures.values()) >= 0.0
    assert "a player who deviates can gain" in result.verdict


def test_games_of_other_kinds_are_refused_by_the_others_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="PSRO supports only two-player zero-sum games"):
        run(OTHER_KINDS[0], "psro", ALGORITHMS["psro"].args(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.thin
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=list(ALGORITHMS))
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
def test_every_algorithm_runs_on_a_game_or_says_why_not(tmp_path, algorithm, game):
    if algorithm.name == "fitted_value" and game.facts.chance == "moves":
        with pytest.raises(ValueError, match="looking ahead is for games without chance after the deal"):
            run(game, algorithm.name, little(algorithm), tmp_path / "run")
        return
    result = run(game, algorithm.name, little(algorithm), tmp_path / "run")
    assert 0.0 <= result.figures["exploitability"] <= game.facts.max_payoff
    assert result.reference["value"] == pytest.approx(0.0, abs=1e-12)


def test_the_list_imports_neither_torch_nor_pydantic():
    code = "import sys, train, train.algorithms.registry; sys.exit(bool({'torch', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
