"""Accounts of games: the terms are those of their definitions, add up, and luck is luck."""

from dataclasses import astuple
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from bayes import PrivateToy
from brute_force import asked, joint_actions
from hidden_games import Kuhn, Veils
from thinning import each_row

import baselines
from baselines import PrivateSolution
from cardwar_envs import Game, make_game, play_episode
from cardwar_envs.core.play import Episode
from cardwar_play.account import Account, Series, account_of, amount, explained
from cardwar_play.judge import Judge
from cardwar_play.one_file import places_of
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer

GAMES = [
    make_game("jujitsu", num_cards=4),
    make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5), ties="carry"),
    make_game("dice_wars", hand_0=(1, 2, 2), hand_1=(1, 1, 3), sides=3, payoff="win"),
    make_game("goofspiel", num_cards=4),
    make_game("goofspiel", num_cards=3, ties="carry", payoff="win"),
    make_game("oshi_zumo", coins=6, size=1),
    make_game("dice_poker", sides=4),
    make_game("war", ranks=2, discards=1, max_rounds=4),
]


def terms_at(solution, state, actions):
    """Value, payoff to go, mistakes of both and luck of the draws at a state for player 0, by their definitions."""
    game = solution.game
    if isinstance(solution, PrivateSolution):
        form = game.bayesian_form()
        i, j = (
            int(np.flatnonzero((form.observations[player] == game.observation(state, player)).all(axis=1))[0])
            for player in (0, 1)
        )
        x, y = solution.behaviour
        matrix = form.payoffs[i, j]
        rows = np.einsum("j,jb,jab->a", form.weights[i] / form.weights[i].sum(), y, form.payoffs[i])
        columns = np.einsum("i,ia,iab->b", form.weights[:, j] / form.weights[:, j].sum(), x, form.payoffs[:, j])
        value, legal = x[i] @ matrix @ y[j], form.actions
    else:
        matrix, value = solution.payoff_matrix(state), solution.value_at(state)
        acting = game.acting_players(state)
        legal = [game.legal_actions(state, player) if player in acting else (None,) for player in (0, 1)]
        x, y = (
            mix[list(own)] if own != (None,) else np.ones(1)
            for mix, own in zip(solution.strategies(state), legal, strict=True)
        )
        rows, columns = matrix @ y, x @ matrix
    a, b = (own.index(actions.get(player)) for player, own in enumerate(legal))
    mistakes = rows.max() - rows[a], columns[b] - columns.min()
    return value, matrix[a, b], mistakes, matrix[a, b] - value + mistakes[0] - mistakes[1]


@each_row("game", GAMES)
def test_the_terms_are_those_of_the_oracle_and_add_up(game):
    """In random games, half of them from each seat."""
    solution, rng = baselines.solve(game), np.random.default_rng(1)
    judge = Judge(solution)
    terms = cache(lambda state, joint: terms_at(solution, state, dict(joint)))
    for number in range(60):
        episode, seat = play_episode(game, ["uniform", "uniform"], rng), number % 2
        values, payoffs, mistakes, draws = zip(
            *(
                terms(state, tuple(joint.items()))
                for state, joint in zip(episode.states, episode.actions, strict=False)
            ),
            strict=True,
        )
        paid = [rewards[0] for rewards in episode.rewards]
        chance = episode.dealt[0] + values[0] - solution.value
        chance += sum(np.add(paid, [*values[1:], 0.0]) - payoffs)
        sign = 1 - 2 * seat
        account = explained(judge, episode, seat)
        expected = (episode.payoffs[seat], sign * solution.value, sign * chance, sign * sum(draws))
        found = (account.result, account.value, account.chance, account.draws)
        assert found == pytest.approx(expected, abs=1e-9)
        assert [account.mine, account.theirs] == pytest.approx(np.sum(mistakes, axis=0)[[seat, 1 - seat]], abs=1e-9)
        luck = account.chance + account.draws
        assert account.result == pytest.approx(account.value + luck - account.mine + account.theirs, abs=1e-9)


@each_row(
    "game",
    [
        make_game("goofspiel", num_cards=3),
        make_game("dice_wars", hand_0=(1, 1, 2), hand_1=(1, 1, 3), sides=3, payoff="win"),
    ],
)
def test_the_terms_are_fractions_and_add_up_exactly_where_the_solution_is_exact(game):
    solution, rng = baselines.solve(game, exact=True), np.random.default_rng(0)
    judge, rough = Judge(solution), Judge(baselines.solve(game, exact=False))
    for number in range(20):
        episode, seat = play_episode(game, ["uniform", "uniform"], rng), number % 2
        each = explained(judge, episode, seat)
        assert {type(term) for term in astuple(each)} == {Fraction}
        assert each.result == each.value + each.chance + each.draws - each.mine + each.theirs
        assert each.value == (solution.exact if seat == 0 else -solution.exact)
        chance = explained(rough, episode, seat).chance
        assert each.chance.denominator < 10**6
        assert float(each.chance) == pytest.approx(chance, abs=1e-9)


def test_moves_on_private_information_are_judged_without_declared_arrays():
    class Undeclared(PrivateToy):
        bayesian_form = Game.bayesian_form

    payoffs = np.array([[[[1, -1], [0, 2]], [[0, 1], [2, -1]]]])
    game = Undeclared(np.ones((1, 2), dtype=np.int64), payoffs, ((0, 1), (0, 1)))
    judge, declared = (Judge(baselines.solve(each)) for each in (game, PrivateToy(game.deals, payoffs, game.actions)))
    for start in game.initial():
        assert judge.expected(start.state, 0) == pytest.approx(declared.expected(start.state, 0))
    assert len(places_of(game)) > 1


def all_games(game, policies):
    """Every game that these policies can play, with its probability."""

    def go_on(odds, states, actions, dealt, rewards):
        state = states[-1]
        if not (acting := game.acting_players(state)):
            yield odds, Episode(states, actions, dealt, rewards)
        mixes = {player: asked(game, policies[player], state, player) for player in acting}
        for played in joint_actions(game, state):
            if share := odds * np.prod([mixes[player][action] for player, action in played.items()]):
                for chance, after, paid in game.transitions(state, played):
                    follow = (*states, after), (*actions, played), dealt, (*rewards, paid)
                    yield from go_on(share * float(chance), *follow)

    for chance, state, dealt in game.initial():
        yield from go_on(float(chance), (state,), (), dealt, ())


@each_row(
    "game",
    [
        make_game("jujitsu", num_cards=3),
        make_game("goofspiel", num_cards=3),
        make_game("dice_wars", hand_0=(1, 2), hand_1=(1, 3), sides=2),
        make_game("dice_poker", sides=3),
        Kuhn(),
        Veils(0),
        make_game("goofspiel", num_cards=3, bids="hidden"),
    ],
)
def test_luck_has_mean_zero_if_either_player_plays_the_equilibrium(game):
    """And then the other's mistakes are what it loses: over all games, with their exact probabilities."""
    solution = baselines.solve(game)
    judge, uniform = Judge(solution), baselines.make_policy("uniform", game)
    for policies in ((solution.policy, solution.policy), (uniform, solution.policy), (solution.policy, uniform)):
        means = np.zeros(5)
        for odds, episode in all_games(game, policies):
            account = explained(judge, episode, 0)
            means += odds * np.array([1.0, account.chance, account.draws, account.mine, account.theirs])
        mean = baselines.head_to_head(game, *policies).mean
        assert means[:3] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
        assert solution.value - means[3] + means[4] == pytest.approx(mean, abs=1e-9)
        assert [means[3 + seat] < 1e-9 for seat in (0, 1) if policies[seat] is solution.policy]


# -- what is said -----------------------------------------------------------------------


LABELS = (
    "value of the game to you",
    "luck of chance",
    "luck and guessing in moves",
    "your mistakes",
    "mistakes of Level 3",
)


def test_the_numbers_shown_add_up_though_they_are_rounded():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        present, signs = rng.random(5) < 0.6, (1, 1, 1, -1, 1)
        value, chance, draws, mine, theirs = np.where(present, np.append(rng.normal(size=3), rng.random(2)), 0.0)
        account = Account(value + chance + draws - mine + theirs, value, chance, draws, mine, theirs)
        rows = {label: float(text) for label, text, _ in account.rows("level:3")}
        result = rows.pop("result")
        assert sum(rows.values()) == pytest.approx(result, abs=1e-9)
        assert 0.0 not in rows.values()
        terms = [rows.get(label, 0.0) for label in LABELS]
        assert terms == pytest.approx(np.multiply(signs, [value, chance, draws, mine, theirs]), abs=0.003)
        assert not np.any(np.array(terms)[~present]), "what is nothing stays nothing"
        assert rows.keys() <= {*LABELS}


@each_row(
    ("terms", "said"),
    [
        ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), "You broke even: neither you nor Level 3 made a mistake."),
        (
            (-1.0, 0.0, 0.0, -1.0, 0.0, 0.0),
            "You lost 1 point by luck and guessing: neither you nor Level 3 made a mistake.",
        ),
        (
            (1.0, 0.0, 0.1, 0.2, 0.0, 0.7),
            "You won 1 point: luck and guessing brought you 0.3 and Level 3 gave away 0.7; you made no mistake.",
        ),
        (
            (-2.5, -0.25, -2.0, 0.25, 0.75, 0.25),
            "You lost 2.5 points: the game is worth -0.25 to you, luck and guessing cost you 1.75, Level 3 gave away "
            "0.25 and you gave away 0.75.",
        ),
        (
            (0.0, 0.0, 0.0, 0.0001, 0.0001, 0.0),
            "You broke even: you gave away less than 0.001; Level 3 made no mistake.",
        ),
        (
            (0.0, 0.0, 0.0, 1e-10, 1e-10, 0.0),
            "You broke even: you gave away less than 0.001; Level 3 made no mistake.",
        ),
    ],
)
def test_what_happened_is_said_for_every_sign_and_for_nothing(terms, said):
    assert Account(*terms).sentence("level:3") == said


def test_a_game_without_a_solution_or_an_end_has_no_account(solution, trainer_of):
    given_up = trainer_of(solution)
    given_up.stop("given up")
    unsolved = Trainer(table_for(solution.game, 0, ["uniform"], None, "No costs."), 0)
    while unsolved.ending is None:
        unsolved.play(unsolved.choices[0])
    assert (account_of(given_up), account_of(unsolved)) == (None, None)


@each_row("against", ["equilibrium", "highest_card"])
def test_a_series_adds_up_games_that_were_played_to_their_end(solution, trainer_of, against):
    series, total = None, 0.0
    for seed in range(3):
        trainer = trainer_of(solution, 1, seed, [against])
        series = series or Series(trainer.table)
        while trainer.ending is None:
            trainer.play(trainer.choices[0])
        total += trainer.payoffs[1]
        series.add(trainer)
    trainer = trainer_of(solution, 1, 9, [against])
    trainer.stop("given up")
    series.add(trainer)
    assert (len(series.results), sum(series.results), len(series.accounts)) == (3, total, 3)
    said = " ".join(series.sentences())
    theirs = amount(sum(each.theirs for each in series.accounts) / 3)
    named = "the perfect player" if against == "equilibrium" else against.replace("_", " ").capitalize()
    assert f"and those of {named} {theirs} (means of the exact costs in 3 games)" in said
    cause = "luck" if against == "equilibrium" else "luck and guessing"
    assert f" {cause.capitalize()} " in said
    assert f"{cause} in moves" in [label for label, *_ in series.accounts[0].rows(against)]
    assert f": {cause} " in series.accounts[0].sentence(against)


@each_row(
    ("results", "decided", "standing"),
    [
        ([], False, "Best of 5."),
        ([1.0], False, "You lead in the best of 5, 1 to 0."),
        ([1.0, -1.0, 0.0], False, "It is 1 to 1 after 3 of at most 5 games."),
        ([-1.0, -1.0], False, "You are behind in the best of 5, 0 to 2."),
        ([0.5, 0.5, 0.5], True, "You win the best of 5, 3 to 0."),
        ([-1.0, 0.0, 0.0, -1.0], True, "You lose the best of 5, 0 to 2."),
        ([-1.0, 1.0, 0.0, 0.0, 0.0], True, "You draw the best of 5, 1 to 1."),
    ],
)
def test_the_best_of_five(results, decided, standing):
    series = Series(table=None, length=5)
    series.results = results
    assert (series.decided, series.standing) == (decided, standing)
