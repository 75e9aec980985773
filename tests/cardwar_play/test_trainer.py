"""The trainer: what moves cost, what is fixed before the person moves, and how games end."""

import dataclasses
import itertools
import re

import numpy as np
import pytest
from thinning import each_row

import baselines
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.core.play import Episode, draw_action
from cardwar_play.account import account_of, amount, explained
from cardwar_play.judge import Judge, Verdict, grade
from cardwar_play.record import Record, record_of
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer
from cardwar_play.view import verdict_view, view_of, worst_of


def play_out(trainer, choose):
    while trainer.ending is None:
        trainer.play(choose(trainer))
    return trainer


def by_policy(policy, rng):
    return lambda trainer: draw_action(trainer.table.game, trainer.state, trainer.table.seat, policy, rng)


# -- what moves cost --------------------------------------------------------------------


@pytest.mark.parametrize("stake", [2.0**-40, 2.0**20])
def test_costs_are_proportional_to_the_payoffs(stake):
    games = [make_game("dice_poker", sides=3, ante=each, raise_size=each) for each in (1, stake)]
    usual, other = (Judge(baselines.solve(game)) for game in games)
    table = table_for(games[1], 0, [], other.solution)
    for start in games[0].initial():
        for player, action in itertools.product((0, 1), (0, 1)):
            expected, found = (judge.verdict(start.state, player, action) for judge in (usual, other))
            costs = {each: stake * cost for each, cost in expected.costs.items()}
            assert found.costs == pytest.approx(costs, rel=1e-9, abs=0)
            shown = verdict_view(table, start.state, found)
            assert ("; best was " in shown["sentence"]) == bool(expected.cost)
            assert shown["grade"] == grade(expected, games[0].facts)
    start, actions = games[1].initial()[5].state, {0: 1, 1: 1}  # a raise with a 2 of 3
    assert other.verdict(start, 0, 1).cost
    (after,) = games[1].transitions(start, actions)
    episode = Episode((start, after.state), (actions,), (0.0, 0.0), (after.rewards,))
    assert "you gave away" in explained(other, episode, 0).sentence("equilibrium")


def test_moves_of_the_equilibrium_cost_nothing_in_any_state(solution):
    judge, moves = Judge(solution), 0
    for state in full_graph(solution.game).states:
        for player in solution.game.acting_players(state):
            legal = solution.game.legal_actions(state, player)
            verdict = judge.verdict(state, player, legal[0])
            assert [
                verdict.costs[action] for action in legal if verdict.mix[action] > 0.0 and verdict.costs[action]
            ] == []
            moves += len(legal)
    assert moves > 1000


def test_less_than_the_gap_counts_as_nothing(solution, trainer_of):
    play = solution.game.facts.num_actions - 1  # the highest card
    assert trainer_of(solution).play(play).cost > 0.1
    assert trainer_of(dataclasses.replace(solution, gap=0.2)).play(play).cost == 0.0


@each_row(
    ("costs", "met", "named"),
    [
        ((0.0, 1.0), True, "best"),
        ((1e-6, 0.0), True, "inaccuracy"),
        ((0.0999, 0.0), True, "inaccuracy"),
        ((0.1, 0.0), True, "mistake"),  # 5 % of the range from -1 to 1
        ((0.3 - 1e-12, 0.0), True, "blunder"),
        ((0.0,), True, "only move"),
        ((0.0, 0.0), False, ""),
    ],
)
def test_a_move_is_named_by_the_share_of_the_payoffs_that_it_costs(costs, met, named):
    verdict = Verdict(0, dict(enumerate(costs)), {}, met)
    assert grade(verdict, make_game("jujitsu").facts) == named


def test_the_review_names_the_costliest_move_and_says_why_it_cost_something(solution, trainer_of):
    def worst(trainer):
        judge = trainer.table.judge
        return max(trainer.choices, key=lambda action: judge.verdict(trainer.state, 0, action).cost)

    trainer = play_out(trainer_of(solution, seed=5), worst)
    review, costs = view_of(trainer)["review"], [step.cost for step in trainer.decisions]
    assert [told["verdict"]["lost"] for told in review] == costs
    assert trainer.total == pytest.approx(sum(costs))
    at, said = worst_of(review)
    (number, cost), step = max(enumerate(costs), key=lambda each: each[1]), trainer.steps[at]
    best = [str(action + 1) for action, lost in step.verdict.costs.items() if not lost]
    named, played = grade(step.verdict, solution.game.facts), step.actions[0] + 1
    *said, free = re.split(" points; best was ", said)
    said, named = said[0], named.capitalize()
    assert (at, said) == (number, f"Your worst move was move {at + 1}. {named}: {played} cost {amount(cost)}")
    assert re.split(", | or ", free.rstrip(".")) == best
    replies = {str(a + 1): share for a, share in enumerate(solution.strategies(step.before)[1]) if share > 0.005}
    told = dict(re.findall(r"(\d) [(](\d+)%[)]", review[at]["verdict"]["why"]))
    assert told == {name: f"{100 * share:.0f}" for name, share in replies.items()}


# -- what is fixed before the person moves ----------------------------------------------


def test_the_opponents_move_does_not_depend_on_the_persons(solution, trainer_of):
    replies = {trainer_of(solution, seed=11).play(action).actions[1] for action in range(5)}
    assert len(replies) == 1
    assert len({trainer_of(solution, seed=seed).play(0).actions[1] for seed in range(20)}) > 1


def test_the_seal_stays_shut_when_it_is_printed_and_has_a_nonce_that_the_seed_does_not_give(solution, trainer_of):
    trainer = trainer_of(solution, seed=1)
    assert trainer_of(solution, seed=1).digest != trainer.digest
    assert "plays" in trainer._seal.text
    assert "plays" not in repr(trainer._seal)


# -- how games end ----------------------------------------------------------------------


def test_what_was_sealed_is_opened_when_the_person_gives_up(solution, trainer_of):
    trainer = trainer_of(solution)
    shown = trainer.digest
    trainer.stop("given up")
    assert (trainer.ending, trainer.choices, trainer.left.digest, trainer.digest) == ("given up", (), shown, "")
    with pytest.raises(ValueError, match="the game has ended"):
        trainer.play(0)
    trainer.stop("broken off")
    assert trainer.ending == "given up"


def test_war_with_a_person_and_two_strategies_of_the_paper_to_the_end():
    game = make_game("war", num_players=3)
    table = table_for(game, 1, ["dummie", "simple_minded_1"], None, "No costs.")
    assert table.opponents == {0: "dummie", 2: "simple_minded_1"}
    policy, rng = baselines.make_policy("simple_minded_2", game), np.random.default_rng(0)
    games = [play_out(Trainer(table, seed), by_policy(policy, rng)) for seed in range(3)]
    for trainer in games:
        assert trainer.ending == ("out" if game.acting_players(trainer.state) else "over")
        assert 1 not in game.live_players(trainer.state)
        assert trainer.payoffs[1] == pytest.approx(sum(step.rewards[1] for step in trainer.steps))
        assert all(step.verdict is None for step in trainer.steps)
        assert any(1 in step.before.tied for step in trainer.decisions)  # the person chose in wars, too
    won = [trainer for trainer in games if trainer.ending == "over"]
    assert {account_of(trainer) for trainer in games} == {None}
    assert won
    assert all(sum(trainer.payoffs) == pytest.approx(0.0) for trainer in won)


def test_war_goes_on_without_a_player_who_is_out_or_not_tied():
    game = make_game("war", num_players=3)
    policy, rng = baselines.make_policy("min", game), np.random.default_rng(0)
    out, in_wars = (
        play_out(Trainer(table_for(game, 0, [name], None), 1), by_policy(policy, rng)) for name in ("dummie", "max")
    )
    assert (out.ending, out.payoffs, game.acting_players(out.state)) == ("out", (-0.5, 0.0, 0.0), (1, 2))
    steps = [step for step in in_wars.steps if step.seal is None]
    assert {step.before.tied for step in steps} == {(1, 2)}
    assert all(0 not in step.actions for step in steps)


def test_a_turn_of_the_other_player_is_no_move():
    game = make_game("liars_dice", sides=2)
    trainer = Trainer(table_for(game, 1, [], baselines.solve(game)), 2)
    while trainer.ending is None:
        assert trainer.steps[-1].seal is None
        trainer.play(trainer.choices[0])
    view = view_of(trainer)
    assert [told["number"] for told in view["review"]] == list(range(1, len(trainer.steps) // 2 + 1))
    assert "wait" not in str(view["review"])
    assert Record(record_of(trainer)).episode == trainer.episode
