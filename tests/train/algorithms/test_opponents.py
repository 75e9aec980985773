"""Learners against fixed policies and earlier checkpoints: who plays, exact figures, runs that resume."""

import command
import numpy as np
import pytest
from brute_force import mean_payoff
from run_files import rows
from thinning import each_row

from baselines import best_response, make_policy
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms import ppo
from train.algorithms.experience.opponents import MOST_PAST, League
from train.algorithms.registry import ALGORITHMS
from train.policies.networks import GreedyPolicy, SoftmaxPolicy
from train.runs.loop import run
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)
UNIQUE = make_game("lowest_unique", numbers=3)
WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=30)
RESPONDERS = ["best_response", "dqn_response"]
SMALL = {"num_games": 8, "batch_size": 32, "width": 16}
RESPONSE = {"steps": 320, "evaluate_every": 100, "num_games": 20, "rollout": 5, "batch_size": 50, "width": 8}
LEAGUE = {"steps": 600, "num_games": 20, "rollout": 3, "batch_size": 30, "width": 8, "opponents": "highest_card,past"}


def learner_of(name, game=GAME, **values):
    return ALGORITHMS[name].learner(game, ALGORITHMS[name].args(**values), seed=0)


def test_an_opponent_is_drawn_for_each_game_and_plays_all_of_it():
    policies = [make_policy(name, GAME) for name in ("highest_card", "lowest_card")]
    count = 2000
    # In the first seat mostly the one, in the second mostly the other.
    opponents = Opponents(policies, np.array([[0.9, 0.1], [0.3, 0.7]]))
    envs = AgainstVecEnv(GameBatch(GAME, count, seed=0), opponents, seed=0)
    with pytest.raises(ValueError, match="reset must be called before the first step"):
        envs.step(np.zeros(count, dtype=np.int64))
    envs.reset()
    games = []
    for _ in range(2):
        for card in (1, 2, 0):  # against 3, 2, 1: lost, won, tied; against 1, 2, 3: won, won, lost
            _, rewards, _, _ = envs.step(np.full(count, card))
        assert set(rewards.tolist()) == {0.0, 1.0}
        games.append(rewards)
    lowest = np.mean(games, axis=0)
    assert lowest[0::2].mean() == pytest.approx(0.7, abs=0.04)
    assert lowest[1::2].mean() == pytest.approx(0.1, abs=0.03)
    assert (games[0] != games[1])[0::2].mean() == pytest.approx(2 * 0.7 * 0.3, abs=0.05)


def test_figures_are_sums_over_all_trajectories():
    game = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    learning, opponent = learner_of("best_response", game, **RESPONSE, opponent="highest_card"), "highest_card"
    learning.advance(320)
    figures, opponent = learning.figures(), make_policy(opponent, game)
    network = learning.policy().network
    for name, policy in (("payoff", GreedyPolicy(game, network)), ("sampled", SoftmaxPolicy(game, network))):
        assert figures[f"{name}_0"] == pytest.approx(mean_payoff(game, (policy, opponent), 0))
        assert figures[f"{name}_1"] == pytest.approx(mean_payoff(game, (opponent, policy), 1))
    best = [best_response(game, opponent, player).value for player in (0, 1)]
    assert [figures["best_0"], figures["best_1"]] == pytest.approx(best)
    got = figures["payoff_0"] + figures["payoff_1"]
    assert figures["shortfall"] == pytest.approx((sum(best) - got) / 2)
    assert figures["share"] == pytest.approx(got / sum(best))
    assert figures["shortfall"] >= 0.0
    nothing = learner_of("best_response", **RESPONSE, opponent="equilibrium").figures()
    assert nothing["best_0"] == pytest.approx(0.0, abs=1e-9)
    assert not {"share", "sampled_share"} & nothing.keys()


@pytest.mark.parametrize("game", [GAME, make_game("war", ranks=10)], ids=["actions", "parts"])
def test_the_policy_of_dqn_plays_the_legal_action_of_greatest_value(game):
    learning, played = learner_of("dqn_response", game, **SMALL, steps=400), 0
    learning.advance(200)
    policy, views = learning.policy(), learning._envs.reset()
    for _ in range(12):
        observations, masks = views[:, : game.facts.observation_size], learning._envs.venv.action_masks()
        probabilities = policy.action_probabilities(observations, masks)
        assert probabilities.argmax(axis=1).tolist() == learning._dqn.greedy_actions(views).tolist()
        assert (probabilities.max(axis=1) == 1.0).all()
        assert not probabilities[masks == 0].any()
        played += len(masks)
        views, *_ = learning._envs.step(probabilities.argmax(axis=1))
    assert played == 12 * 8


@pytest.mark.parametrize("name", [RESPONDERS[0], pytest.param(RESPONDERS[1], marks=pytest.mark.wide)])
@each_row(
    ("game", "opponent"),
    [
        (UNIQUE, "uniform"),
        (UNIQUE, "uniform,uniform_actions"),
        (make_game("lowest_unique", num_players=2, numbers=3, payoff="prize"), "uniform"),
        (WAR, "dummie,max"),
        (make_game("war"), "dummie"),
        (make_game("jujitsu"), "highest_card"),
    ],
)
def test_games_that_no_oracle_supports_are_learned_without_exact_figures(name, game, opponent):
    learning = learner_of(name, game, **SMALL, steps=80, opponent=opponent)
    figures = learning.advance(80) | learning.figures()
    assert learning.steps == 80
    assert all(np.isfinite(figure) for figure in figures.values())
    assert not {"payoff_0", "best_0", "share", "shortfall"} & figures.keys()
    observations, masks = GameBatch(game, 3, seed=0).reset()
    for seat in range(game.facts.num_players):
        assert np.allclose(learning.policy().action_probabilities(observations[:, seat], masks[:, seat]).sum(axis=1), 1)


@pytest.mark.parametrize("name", RESPONDERS)
def test_a_best_response_against_two_is_found(name):
    """Against two who play 1, 2 or 3 alike, 1 wins with probability 4/9, and 2 and 3 with 2/9."""
    learning = learner_of(name, UNIQUE, **SMALL | {"steps": 960, "num_games": 48}, learning_rate=0.01)
    learning.advance(960)
    observations, masks = GameBatch(UNIQUE, 1, seed=0).reset()
    assert learning.policy().action_probabilities(observations[0], masks[0]).argmax(axis=1).tolist() == [0, 0, 0]


def test_the_command_takes_an_opponent(tmp_path, capsys):
    options = [word for name, value in RESPONSE.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = ["train", "jujitsu", "num_cards=3", "--algorithm", "best_response", "--out", str(tmp_path / "run")]
    code, out, _ = command.run(capsys, *words, *options, "--opponent", "lowest_card")
    assert code == 0
    last = RunFolder(tmp_path / "run").read_metrics()[-1]
    got, share = (last["payoff_0"] + last["payoff_1"]) / 2, last["share"]
    said = f"against its opponent it gets {got:.4f}, {share:.1%} of it, where a best response gets 1.0000"
    assert said in " ".join(out.split())
    code, out, _ = command.run(capsys, "train", "jujitsu", "--algorithm", "best_response", "--list-options")
    assert (code, "--opponent" in out, "policy to exploit" in out) == (0, True, True)


@each_row(("share", "environments"), [(0.5, 10 * 3 + 10), (0.9, 2 * 3 + 18), (1.0, 20)])
def test_a_share_of_the_games_has_one_seat_of_the_learner_and_steps_count_all_games(share, environments):
    assert isinstance(learner_of("ppo", **LEAGUE | {"opponents": ""})._model.env, SelfPlayVecEnv)
    given = LEAGUE | {"opponent_share": share, "opponents": "uniform,past"}
    learning, again = (learner_of("ppo", UNIQUE, **given) for _ in range(2))
    assert learning._model.n_envs == environments
    learning.advance(120)
    assert learning.steps == 120
    seats = learning._league.learns[20 - round(20 * share) :]
    assert (seats.sum(axis=1) == 1).all()
    assert np.ptp(seats.sum(axis=0)) <= 1
    again.restore(*learning.state())
    assert again._model.num_timesteps == learning._model.num_timesteps == 6 * environments


def test_each_name_is_drawn_equally_often_and_ten_earlier_checkpoints_are_kept():
    league, past = League(GAME, 20, "highest_card,past,uniform", 0.5), []
    assert league.opponents().weights.tolist() == [[0.5, 0.5]]
    for _ in range(MOST_PAST + 3):
        past.append(object())
        league.remember(past[-1])
    drawn = league.opponents()
    assert drawn.policies[2:] == past[-MOST_PAST:]
    assert drawn.weights[0] == pytest.approx([1 / 3] * 2 + [1 / 3 / MOST_PAST] * MOST_PAST)


@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_earlier_checkpoints_are_the_policies_after_every_so_many_steps(name):
    learning, played = learner_of(name, **LEAGUE | {"opponents": "past", "past_every": 60}), []
    for steps in (60, 120, 180):
        played.append(learning.policy())
        learning.advance(steps)
    observations, masks = (each[:, 0] for each in learning._batch.reset())
    answers = [policy.action_probabilities(observations, masks)[0] for policy in played]
    past = learning._model.env.opponents.policies
    assert np.array_equal([policy.action_probabilities(observations, masks)[0] for policy in past], answers)
    assert not np.array_equal(answers[0], answers[2])


@pytest.mark.parametrize(
    ("name", "values"), [("ppo", LEAGUE | {"opponents": "{},past"}), ("best_response", RESPONSE | {"opponent": "{}"})]
)
def test_a_killed_run_goes_on_and_notices_another_opponent(tmp_path, monkeypatch, name, values):
    for steps in (3, 4):
        run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(steps=steps), tmp_path / str(steps))
    (tmp_path / "cfr").symlink_to(tmp_path / "3")
    values = {key: value.format(tmp_path / "cfr") if isinstance(value, str) else value for key, value in values.items()}
    args = ALGORITHMS[name].args(**values | {"evaluate_every": 100})
    run(GAME, name, args, tmp_path / "whole")
    with monkeypatch.context() as patch:

        def advance_or_die(self, steps, advance=ppo.Learner.advance):
            if steps > 200:
                raise KeyboardInterrupt
            return advance(self, steps)

        patch.setattr(ppo.Learner, "advance", advance_or_die)
        with pytest.raises(KeyboardInterrupt):
            run(GAME, name, args, tmp_path / "killed")
    begun = rows(tmp_path / "killed")
    assert len(begun) == 2
    for steps, message in ((4, "cfr has changed since the run started: it plays differently now"), (3, None)):
        (tmp_path / "cfr").unlink()
        (tmp_path / "cfr").symlink_to(tmp_path / str(steps))
        if message:
            with pytest.raises(ValueError, match=message):
                run(GAME, name, args, tmp_path / "killed", resume=True)
            assert rows(tmp_path / "killed") == begun
    run(GAME, name, args, tmp_path / "killed", resume=True)
    assert rows(tmp_path / "whole") == rows(tmp_path / "killed")


@each_row(
    ("name", "game", "values", "message"),
    [
        ("ppo", GAME, {"opponents": "uniform,nobody"}, "unknown policy 'nobody'; policies for jujitsu are "),
        ("ppo", GAME, {"opponents": "runs/nowhere"}, "no run folder or policy file 'runs/nowhere'"),
        ("ppo", GAME, {"opponents": "uniform,"}, "the policies 'uniform,' contain an empty name"),
        ("ppo", GAME, {"opponents": "min"}, "jujitsu"),
        ("ppo", GAME, {"opponents": "past", "opponent_share": 0.001}, r"opponent_share \(0.001\) of num_games \(250\)"),
        *((name, GAME, {"opponent": "nobody"}, "unknown policy 'nobody'") for name in RESPONDERS),
        *((name, GAME, {"opponent": "uniform,uniform"}, "names 2 policies; jujitsu needs one$") for name in RESPONDERS),
        *(
            (name, WAR, {"opponent": "uniform,max,min"}, "war needs one for all 2 other seats, or one for each")
            for name in RESPONDERS
        ),
    ],
)
def test_opponents_that_cannot_play_are_refused_in_one_line_before_any_work(tmp_path, name, game, values, message):
    with pytest.raises(ValueError, match=message) as caught:
        run(game, name, ALGORITHMS[name].args(**values), tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
