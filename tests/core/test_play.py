"""Episodes: reproducible, from any state, drawn from the very lists that oracles sum over."""

from collections import Counter
from fractions import Fraction

import numpy as np
from brute_force import outcome_distribution, reachable
from thinning import each_row
from tiny_games import TINY_GAMES, each_of
from toys import Answering, Arbitrary, in_turn

from cardwar_envs import DuelState, Transition, make_game, play_episode
from cardwar_envs.core.play import random_state, sample_transition

JUJITSU = make_game("jujitsu", num_cards=4)
DICE = make_game("dice_wars", num_cards=3)


@each_of(TINY_GAMES)
def test_random_states_and_episodes_go_by_the_rules(game):
    undecided = {state for state in reachable(game) if game.acting_players(state)}
    rng = np.random.default_rng(0)
    assert {random_state(game, rng) for _ in range(100)} <= undecided
    for seed in range(3):
        episode = play_episode(game, ["uniform_actions"] * game.facts.num_players, seed)
        assert episode.states[0] in [start.state for start in game.initial()]
        assert len(episode.states) == len(episode.actions) + 1 == len(episode.rewards) + 1
        for before, actions, rewards, after in zip(
            episode.states, episode.actions, episode.rewards, episode.states[1:], strict=False
        ):
            assert tuple(actions) == game.acting_players(before)
            outcomes = game.transitions(before, actions)
            assert (after, rewards) in [(t.state, t.rewards) for t in outcomes]
        assert not game.acting_players(episode.states[-1])
        assert episode.payoffs == tuple(np.sum(episode.rewards, axis=0))


def test_a_written_episode():
    """Highest card against lowest card: 4-1 and 3-2 are won, 2-3 and 1-4 lost."""
    episode = play_episode(make_game("dinosaur_war", num_cards=4), ["highest_card", "lowest_card"])
    assert episode.actions == ({0: 3, 1: 0}, {0: 2, 1: 1}, {0: 1, 1: 2}, {0: 0, 1: 3})
    assert episode.rewards == ((1, -1), (1, -1), (-1, 1), (-1, 1))
    assert [state.score for state in episode.states] == [0, 1, 2, 1, 0]
    assert episode.payoffs == (0, 0)


@each_row("game", [JUJITSU, DICE])
def test_a_seed_says_the_whole_episode(game):
    episodes = [play_episode(game, ["uniform", Arbitrary()], seed) for seed in (7, 7, np.random.default_rng(7))]
    assert episodes[0] == episodes[1] == episodes[2]
    others = {play_episode(game, ["uniform", Arbitrary()], seed).states for seed in range(20)}
    assert len(others) > 10


def test_an_episode_can_start_anywhere():
    state = DuelState(((1, 4), (2, 3)), score=-2)
    episode = play_episode(JUJITSU, ["highest_card", "lowest_card"], 0, state)
    assert episode.states == (state, DuelState(((1,), (3,)), -1), DuelState(((), ()), -2))
    assert episode.payoffs == (-1, 1)


def test_only_those_who_act_are_asked():
    asked = []

    def answer(observations, masks):
        asked.append(observations.tolist())
        return np.eye(3)[[1]]

    episode = play_episode(in_turn(), [Answering(answer)] * 2)
    assert asked == [[[0, 0]], [[2, 1]]]
    assert episode.actions == ({0: 1}, {1: 1})
    assert episode.payoffs == (2, -2)


@each_row("game", [make_game("jujitsu", num_cards=3), DICE])
def test_frequencies_are_those_of_the_enumeration(game):
    policies = [Arbitrary(1), Arbitrary(2)]
    exact, games, rng = outcome_distribution(game, policies), 600, np.random.default_rng(5)
    seen = Counter(play_episode(game, policies, rng).payoffs for _ in range(games))
    assert set(seen) <= set(exact)
    for paid, probability in exact.items():
        error = np.sqrt(probability * (1 - probability) / games)
        assert abs(seen[paid] / games - probability) <= 4.5 * error + 1e-12


# -- chance ------------------------------------------------------------------------------------


def outcomes(*probabilities):
    return [Transition(Fraction(p), state, (0.0, 0.0)) for state, p in enumerate(probabilities)]


class Draw:
    def __init__(self, draw):
        self.draw = draw

    def random(self):
        return self.draw


@each_row(("draw", "state"), [(0.0, 0), (0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (np.nextafter(1.0, 0.0), 2)])
def test_chance_is_drawn_by_probability(draw, state):
    assert sample_transition(outcomes("1/4", "1/2", "1/4"), Draw(draw)).state == state


def test_rounding_cannot_lose_a_draw():
    """Ten tenths as floats sum to less than one."""
    assert sample_transition(outcomes(*["1/10"] * 10), Draw(1.0)).state == 9


def test_certainty_leaves_the_generator_alone():
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    assert sample_transition(outcomes("1"), rng).state == 0
    assert rng.bit_generator.state == before


# -- random states -----------------------------------------------------------------------------


def test_random_states_come_from_every_depth_alike():
    rng, draws = np.random.default_rng(1), 4000
    depths = Counter(4 - len(random_state(JUJITSU, rng).hands[0]) for _ in range(draws))
    assert set(depths) == {0, 1, 2, 3}
    for count in depths.values():
        assert abs(count / draws - 0.25) <= 4.5 * np.sqrt(0.25 * 0.75 / draws)


def test_random_states_play_cards_not_ranks_alike():
    """Of three 1s and one 2 the 2 goes first with probability 1/4."""
    game, rng = make_game("dinosaur_war", hand_0=(1, 1, 1, 2), hand_1=(3, 4, 5, 6)), np.random.default_rng(2)
    first = [state for state in (random_state(game, rng) for _ in range(4000)) if len(state.hands[0]) == 3]
    share = np.mean([state.hands[0] == (1, 1, 1) for state in first])
    assert abs(share - 0.25) <= 4.5 * np.sqrt(0.25 * 0.75 / len(first))


def test_random_states_are_any_on_the_way_to_an_early_end():
    """`in_turn` is over after two moves, whatever depth up to nine is drawn: state 0 is half of what comes up."""
    rng = np.random.default_rng(0)
    found = Counter(random_state(in_turn(), rng) for _ in range(200))
    assert set(found) == {0, 1, 2}
    assert abs(found[0] - 100) <= 4.5 * np.sqrt(50)
