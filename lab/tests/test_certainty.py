"""Games that separate two players: exact moments against played games, and the numbers of the page."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from baselines import head_to_head, solve
from cardwar_envs import make_game
from cardwar_play.judge import Judge
from lab.certainty import PAGE, PAIRS, Moments, compare, in_seat, player, section

GAME = make_game("goofspiel", num_cards=3)


def played(game, policies):
    """The distribution of (payoff to seat 0, cost to seat 0 - cost to seat 1), by following the rules."""
    judge, found = Judge(solve(game)), Counter()

    def follow(state, chance, paid, cost):
        acting = game.acting_players(state)
        if not acting:
            found[paid, cost] += chance
            return
        seen = [(game.observation(state, seat)[None], game.action_mask(state, seat)[None]) for seat in acting]
        odds = [policies[seat].action_probabilities(*each)[0] for seat, each in zip(acting, seen, strict=True)]
        lost = [judge.verdict(state, seat, game.legal_actions(state, seat)[0]).costs for seat in acting]
        for chosen in product(*(game.legal_actions(state, seat) for seat in acting)):
            signed = sum((1 - 2 * seat) * lost[k][chosen[k]] for k, seat in enumerate(acting))
            likely = chance * np.prod([odds[k][chosen[k]] for k in range(len(acting))])
            for after in game.transitions(state, dict(zip(acting, chosen, strict=True))):
                part = likely * float(after.probability)
                follow(after.state, part, paid + after.rewards[0], cost + signed)

    for deal in game.initial():
        follow(deal.state, float(deal.probability), deal.rewards[0], 0.0)
    return found


def test_moments_are_those_of_all_trajectories():
    policies = player("uniform", GAME), player("equilibrium 30%", GAME)
    found = played(GAME, policies)
    assert sum(found.values()) == pytest.approx(1.0)
    score, payoff, saved = in_seat(GAME, policies, 0)
    odds = head_to_head(GAME, *policies)
    assert score == pytest.approx((odds.win + odds.tie / 2, odds.win + odds.tie / 4))
    for place, moments in enumerate((payoff, saved)):
        sign = 1 - 2 * place
        assert moments.mean == pytest.approx(sum(p * sign * x[place] for x, p in found.items()))
        assert moments.square == pytest.approx(sum(p * x[place] ** 2 for x, p in found.items()))
    mirrored = in_seat(GAME, policies[::-1], 1)
    assert np.array(mirrored)[1:, 0] == pytest.approx(-np.array([payoff, saved])[:, 0])


def test_against_an_equilibrium_cost_is_payoff():
    for words, pair in (("goofspiel num_cards=3", "uniform"), ("oshi_zumo coins=5 size=1", "equilibrium 40%")):
        row = compare(words, ("equilibrium", pair))
        assert row.cost == pytest.approx(row.payoff, abs=1e-9)
        assert row.payoff > 0.01


def test_a_test_finds_the_difference_as_often_as_it_says():
    policies, rng = (player("equilibrium 30%", GAME), player("uniform", GAME)), np.random.default_rng(0)
    saved = in_seat(GAME, policies, 0)[2]
    spread = np.sqrt(saved.square - saved.mean**2)
    assert saved.games() == pytest.approx(((2.5758 + 1.2816) * spread / saved.mean) ** 2, rel=1e-3)
    found = played(GAME, policies)
    costs = np.array([-cost for _, cost in found])
    games = rng.choice(costs, (4000, round(saved.games())), p=list(found.values()))
    ahead = games.mean(axis=1) / (games.std(axis=1, ddof=1) / np.sqrt(games.shape[1]))
    assert (ahead > 2.5758).mean() == pytest.approx(0.9, abs=0.02)
    assert Moments(0.5, 0.5).games(offset=-0.5) == np.inf


def test_the_page_has_the_figures():
    rows = [compare(words, pairs[0]) for words, pairs in PAIRS.items() if words.startswith("oshi")]
    text = PAGE.read_text()
    assert section(rows).splitlines()[-1] in text
    assert all(f"| `{words}` | {' v. '.join(pair)} |" in text for words, pairs in PAIRS.items() for pair in pairs)
