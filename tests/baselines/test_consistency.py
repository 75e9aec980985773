"""Policies that are no functions of what they see: exact figures refuse them, samples play them."""

import copy

import numpy as np
import pytest
from thinning import each_row
from toys import Answering, Arbitrary, uniform_over

import baselines
from baselines import best_response, cross_play, exploitability, head_to_head, match, nash_conv
from baselines.oracles.answers.guards import FEWEST_AGAIN
from baselines.oracles.answers.recording import MOST_RECORDED, RecordingPolicy
from cardwar_envs import make_game

JUJITSU = make_game("jujitsu", num_cards=4)
# One game for each oracle.
FAMILIES = {
    "duel": JUJITSU,
    "graph": make_game("goofspiel", num_cards=3),
    "private": make_game("dice_poker", sides=3),
    "rounds": make_game("war", ranks=3, discards=1, max_rounds=4),
    "three players": make_game("lowest_unique", num_players=3, numbers=3, rounds=2),
}
QUESTIONS = {
    "nash_conv": nash_conv,
    "best_response": lambda game, policy: best_response(game, policy, 1),
    "head_to_head": lambda game, policy: head_to_head(game, policy, "uniform"),
}


def counting(masks):
    return np.arange(masks.shape[1]) + np.zeros(masks.shape)


# Ways to give two answers to one question: weights of actions, by the policy's own state or by the batch.
FICKLE = {
    "random": lambda own, seen, masks: own.rng.random(masks.shape) + 1e-3,
    # Draws an action and says that it plays it with certainty.
    "sampling": lambda own, seen, masks: np.eye(masks.shape[1])[(own.rng.random(masks.shape) * masks).argmax(axis=1)],
    # Changes with each question, as a policy that learns.
    "drifting": lambda own, seen, masks: 1.0 + counting(masks) * own.questions,
    "by turns": lambda own, seen, masks: counting(masks) * (own.calls % 3) + 1e-3,
    # Looks at where in the batch a question stands.
    "by place": lambda own, seen, masks: counting(masks) ** (np.arange(len(masks)) % 3)[:, None] + 1e-3,
    # Normalises over the batch, as a network does that was left in training.
    "by batch": lambda own, seen, masks: np.exp(masks + seen.std() * counting(masks)),
}


class Fickle:
    """Has a state of its own."""

    def __init__(self, way):
        self.rng, self.calls, self.questions, self.way = np.random.default_rng(5), 0, 0, FICKLE[way]

    def action_probabilities(self, observations, action_masks):
        self.calls, self.questions = self.calls + 1, self.questions + len(observations)
        weights = self.way(self, observations, action_masks) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


@each_row("way", FICKLE)
@pytest.mark.parametrize("family", FAMILIES)
def test_an_exact_figure_of_a_policy_that_gives_two_answers_is_refused(family, way):
    game = FAMILIES[family]
    for name, question in QUESTIONS.items():
        if family == "three players" and name == "head_to_head":
            continue
        with pytest.raises(ValueError, match=r"policy Fickle: two answers to the same query, at .*first action"):
            question(game, Fickle(way))


def test_the_error_names_the_state_and_both_answers():
    with pytest.raises(ValueError, match=r"at DuelState\(hands=.*\) as player_0 sees it: first action \d 0\.") as error:
        exploitability(JUJITSU, Fickle("random"))
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=r"at observation \["):
        exploitability(FAMILIES["private"], Fickle("random"))


def test_to_exploit_a_policy_that_gives_two_answers_is_refused():
    with pytest.raises(ValueError, match="policy Fickle: two answers"):
        baselines.solve(FAMILIES["graph"], selection=baselines.Exploit(Fickle("random")))


@pytest.mark.parametrize("family", FAMILIES)
def test_results_say_how_often_was_asked(family):
    policy, game = Arbitrary(1), FAMILIES[family]
    counts = nash_conv(game, policy).queries
    assert counts.total > 0
    assert counts.repeated == max(FEWEST_AGAIN, min(counts.total, MOST_RECORDED))
    assert counts.compared == 0


class Changeful:
    """Always the same answer, each time in an array that is changed later."""

    def __init__(self):
        self.answer, self._policy = np.zeros((0, 0)), Arbitrary(1)

    def action_probabilities(self, observations, action_masks):
        self.answer *= np.nan
        if self.answer.shape != action_masks.shape:
            self.answer = np.empty(action_masks.shape)
        self.answer[:] = self._policy.action_probabilities(observations, action_masks)
        observations[:], action_masks[:] = 7, 1
        return self.answer


@pytest.mark.parametrize(
    "policy",
    [
        Changeful(),
        Answering(lambda o, m: Arbitrary(1).action_probabilities(o, m).tolist()),
        Answering(lambda o, m: Arbitrary(1).action_probabilities(o, m).astype(np.float32)),
        Answering(lambda o, m: Arbitrary(1).action_probabilities(o, m) * (1 + 1e-6)),
    ],
    ids=["one array", "lists", "float32", "1 + 1e-6"],
)
def test_odd_policies_that_always_answer_alike_get_the_figure_of_the_plain_one(policy):
    for game in FAMILIES.values():
        found, plain = nash_conv(game, policy), nash_conv(game, Arbitrary(1))
        assert np.allclose([*found.payoffs, *found.per_player], [*plain.payoffs, *plain.per_player], atol=1e-5)


def test_whole_numbers_are_probabilities_of_a_pure_policy():
    def first(observations, masks):
        return np.eye(masks.shape[1], dtype=np.int8)[masks.argmax(axis=1)]

    assert nash_conv(JUJITSU, Answering(first)) == nash_conv(JUJITSU, "lowest_card")


def test_an_answer_that_turns_out_no_array_is_refused():
    answers = iter([uniform_over] * 2)

    def late(observations, masks):
        return next(answers, lambda masks: None)(masks)

    with pytest.raises(ValueError, match="policy Answering: a repeated query returned None"):
        head_to_head(make_game("dice_poker"), Answering(late), "uniform")


def test_games_with_a_policy_that_draws_its_moves_are_samples():
    game = make_game("jujitsu", num_cards=3)
    played = match(game, Fickle("sampling"), Fickle("sampling"), games=50)
    assert played.games == 50
    assert not played.payoff.exact
    assert cross_play(game, [Fickle("sampling"), Fickle("sampling")], games=50).games == 50
    assert cross_play(game, ["highest_card"] * 2, games=50).games == 1


# -- what policies say of themselves -----------------------------------------------------------------


class Claims:
    """Says of itself what it is told to."""

    def __init__(self, policy, **claims):
        self.action_probabilities = policy.action_probabilities
        vars(self).update(claims)


DUEL_LIARS = {
    "by cards": Arbitrary(1),
    "every rank alike": Answering(lambda o, m: uniform_over(m)),
    "by the score": Answering(lambda o, m: uniform_over(m * (1 + np.arange(m.shape[1]) * (o[:, -2:-1] > 0)))),
}


@each_row("name", DUEL_LIARS)
def test_who_plays_otherwise_than_by_words_is_found(name):
    game = make_game("dinosaur_war", num_cards=5, ties="carry")
    liar = Claims(DUEL_LIARS[name], by_words=True)
    for question in (exploitability, *QUESTIONS.values()):
        with pytest.raises(
            ValueError,
            match=r"declares by_words, but plays differently in states with the same interleaving, .*DuelState",
        ):
            question(game, liar)
    assert nash_conv(game, (liar, Arbitrary(2))).queries.compared == 0, "then cards are asked about"
    assert best_response(game, (liar, "uniform"), 0).queries.compared > 100, "its own seat is not asked"


WAR = make_game("war", ranks=4, discards=1, max_rounds=11)


def later(observations, masks):
    """Plays otherwise the more rounds are left, which the last entry shows."""
    return uniform_over(masks * (1 + observations[:, -1:] * np.arange(masks.shape[1])))


def test_who_is_not_stationary_is_found():
    for question in QUESTIONS.values():
        with pytest.raises(ValueError, match=r"policy Claims declares stationary, but plays differently at WarState"):
            question(WAR, Claims(Answering(later), stationary=True))
    assert nash_conv(WAR, "min").queries.compared > 50
    assert nash_conv(WAR, Answering(later)).queries.compared == 0


def test_a_recorded_policy_can_be_copied_and_keeps_its_attributes():
    policy = Arbitrary(1)
    policy.zest = "kept"
    again = copy.deepcopy(RecordingPolicy(policy))
    assert (again.zest, again.queries) == ("kept", 0)
