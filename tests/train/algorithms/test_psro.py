"""PSRO: that the double oracle comes to the equilibrium, how mixtures average and what they concede, runs of it."""

from itertools import product

import numpy as np
import pytest
from brute_force import asked, mean_payoff
from thinning import each_row
from tiny_games import EVERY_GAME
from toys import Answering, Arbitrary, in_turn
from trees import tree

from baselines import best_response, exploitability, head_to_head, make_policy
from cardwar_envs import make_game
from cardwar_envs.core.table_policy import TablePolicy
from train.algorithms.information_states import Mixture, MixtureTables
from train.algorithms.psro import Learner
from train.algorithms.registry import ALGORITHMS
from train.measures.exact import evaluate
from train.policies.table import LearnedTable

GAME = make_game("jujitsu", num_cards=3)
FOUR = make_game("jujitsu", num_cards=4)
UNLIKE = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
ENTRY = ALGORITHMS["psro"]
SMALL = {"steps": 3, "response_steps": 400, "num_games": 20, "rollout": 5, "batch_size": 50, "width": 8}


def learner(game=GAME, **values):
    return ENTRY.learner(game, ENTRY.args(**SMALL | values), seed=0)


def by_seat(game, policies):
    """A policy that is another in each seat, in a game whose observations say which seat it is."""

    def answer(observations, masks):
        answers = [policy.action_probabilities(observations, masks) for policy in policies]
        return np.stack([answers[game.state_of(seen)[1]][row] for row, seen in enumerate(observations)])

    return Answering(answer)


@pytest.mark.parametrize("game", [GAME, tree()], ids=["three cards", "tree"])
def test_with_exact_responses_the_double_oracle_comes_to_an_equilibrium(monkeypatch, game):
    def exact(self, opponents):
        best = [best_response(game, self.policy(), player).policy for player in (0, 1)]
        return (best[0] if game is GAME else by_seat(game, best)), {}

    monkeypatch.setattr(Learner, "_response", exact)
    learning = learner(game)
    assert evaluate(game, learning.policy()).exploitability > 0.2
    figures = learning.advance(12)
    assert evaluate(game, learning.policy()).exploitability == pytest.approx(0.0, abs=1e-9)
    assert figures["mixture_exploitability"] == pytest.approx(0.0, abs=1e-9)
    assert figures["response_gain"] == pytest.approx(0.0, abs=1e-9)


def test_the_first_response_beats_uniform_play():
    figures = learner(response_steps=2000, num_games=64, batch_size=64, width=32).advance(1)
    assert figures["response_gain"] > 0.3  # the exact best response's is 0.5


@pytest.mark.parametrize("game", [GAME, UNLIKE], ids=["alike", "unlike"])
def test_payoffs_between_members_are_exact(game):
    learning = learner(game)
    learning.advance(2)
    assert len(learning._policies) == 3  # with uniform play
    for (i, first), (j, second) in product(enumerate(learning._policies), repeat=2):
        assert learning._payoffs[i, j] == pytest.approx(mean_payoff(game, (first, second), 0), abs=1e-9)
    if game is GAME:
        assert np.array_equal(learning._payoffs, -learning._payoffs.T)


def test_a_response_is_learned_against_the_equilibrium_of_the_population(monkeypatch):
    met, response = [], Learner._response

    def watched(self, opponents):
        met.append(opponents)
        return response(self, opponents)

    monkeypatch.setattr(Learner, "_response", watched)
    learning = learner(UNLIKE)
    figures = learning.advance(3)
    payoffs, (first, second) = learning._payoffs, met[-1].weights
    value = first @ payoffs[:3, :3] @ second
    assert (payoffs[:3, :3] @ second).max() == pytest.approx(value)
    assert (first @ payoffs[:3, :3]).min() == pytest.approx(value)
    gain = ((payoffs[3, :3] @ second - value) + (value - first @ payoffs[:3, 3])) / 2
    assert figures["response_gain"] == pytest.approx(gain)


def remembering(game, policies, weights, player):
    """What a player gets at best from an opponent that draws one of the policies, by following every game."""

    def follow(state, chances):
        acting = game.acting_players(state)
        if not acting or not chances.any():
            return 0.0
        mixes = [asked(game, policy, state, 1 - player) if 1 - player in acting else None for policy in policies]
        best = -np.inf
        for own in game.legal_actions(state, player) if player in acting else (None,):
            worth = 0.0
            for other in game.legal_actions(state, 1 - player) if 1 - player in acting else (None,):
                left = chances * [1.0 if other is None else mix[other] for mix in mixes]
                joint = {p: a for p, a in ((player, own), (1 - player, other)) if a is not None}
                for move in game.transitions(state, joint):
                    chance = float(move.probability)
                    worth += chance * (left.sum() * move.rewards[player] + follow(move.state, left * chance) / chance)
            best = max(best, worth)
        return best

    return sum(
        float(start.probability) * (start.rewards[player] + follow(start.state, np.array(weights)))
        for start in game.initial()
    )


def pure(game, number):
    """An arbitrary pure policy."""

    def answer(observations, masks):
        chosen = [np.flatnonzero(m)[(int(seen @ np.arange(1, len(seen) + 1)) * number) % m.sum()]
                  for seen, m in zip(observations, masks, strict=True)]  # fmt: skip
        return np.eye(masks.shape[1])[chosen]

    return Answering(answer)


def mixed(game, player, policies, weights):
    tables = MixtureTables(game)
    return tables, Mixture(np.stack([tables.strategy(player, each) for each in policies]), np.array(weights))


@each_row(
    ("game", "player"),
    [*product([GAME, FOUR, UNLIKE, make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2), in_turn()], (0, 1))],
)
def test_what_a_mixture_concedes_is_what_follows_from_every_course_of_play(game, player):
    policies, weights = [pure(game, 3), pure(game, 5), Arbitrary(), make_policy("uniform", game)], [0.4, 0.3, 0.3, 0.0]
    tables, mixture = mixed(game, 1 - player, policies, weights)
    expected = remembering(game, policies, weights, player)
    assert tables.response_value(player, mixture) == pytest.approx(expected, abs=1e-12)


def test_where_no_histories_meet_the_average_plays_as_the_mixture():
    """Kuhn's theorem."""
    game, weights = tree(), [0.5, 0.2, 0.3]
    policies = [pure(game, 3), pure(game, 5), Arbitrary()]
    tables, mixture = mixed(game, 0, policies, weights)
    strategy, _ = tables.average(0, mixture)
    seen = tables.seen(0, strategy)
    average = TablePolicy({o.tobytes(): p for o, p in zip(seen.observations, seen.probabilities, strict=True)})
    for opponent in (Arbitrary(), make_policy("uniform", game), pure(game, 7)):
        drawn = [head_to_head(game, policy, opponent).mean for policy in policies]
        assert head_to_head(game, average, opponent).mean == pytest.approx(np.dot(weights, drawn), abs=1e-12)
    assert tables.response_value(1, mixture) == pytest.approx(best_response(game, average, 1).value, abs=1e-12)
    plain = np.average(mixture.parts, axis=0, weights=weights)
    assert np.abs(strategy - plain).max() > 0.05


def test_the_average_is_a_part_by_itself_and_uniform_where_no_part_comes():
    tables, mixture = mixed(GAME, 0, [make_policy("highest_card", GAME), Arbitrary()], [1.0, 0.0])
    strategy, reach = tables.average(0, mixture)
    assert np.array_equal(strategy[reach > 0], mixture.parts[0][reach > 0])
    assert np.array_equal(strategy[reach == 0], tables.uniform[0][reach == 0])
    assert 0 < np.count_nonzero(reach) < len(reach)


def test_histories_are_counted():
    # The last cards are no choice, but where points are at stake they are played.
    assert MixtureTables(UNLIKE).num_histories() == 1 + 3 * 3 + 3 * 3 * 2 * 2
    assert MixtureTables(in_turn()).num_histories() == 3
    assert MixtureTables(tree()).num_histories() == 4


def test_large_games_go_without_the_mixtures_own_figure(monkeypatch):
    monkeypatch.setattr("train.algorithms.psro.MAX_HISTORIES", 10)
    assert "mixture_exploitability" not in learner().advance(1)


def test_the_policy_is_the_average_of_both_seats():
    learning = learner()
    figures = learning.advance(3)
    policy = learning.policy()
    assert isinstance(policy, LearnedTable)
    assert exploitability(GAME, policy) == pytest.approx(figures["mixture_exploitability"], abs=0.1)
    assert 1.0 <= figures["support"] <= 4.0


@each_row("game", [game for game in EVERY_GAME if game.facts.num_players == 2 and game.facts.public_state])
def test_every_game_is_learned(game):
    learner(game, response_steps=100).advance(1)
