"""Policies that public functions return play on wherever a game can get, also where it is decided early."""

import numpy as np
import pytest
from brute_force import can_be, reachable
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_games import TINY_GAMES, each_of
from toys import Answering, Arbitrary

from baselines import best_response, match, solve
from baselines.oracles.rank_games.sizes import ranks_matter
from cardwar_envs import Duel, make_game
from cardwar_envs.core.play import play_episode
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.policy_names import names_for, needs_others, seated_policies
from cardwar_envs.envs.single_agent import SingleAgentEnv

LOWEST = Answering(lambda observations, masks: np.eye(masks.shape[1])[masks.argmax(axis=1)])


@st.composite
def duels(draw):
    """Duels of one to three cards: ranks can be held twice, and each card of player 1 can beat all of player 0."""
    hands_of = st.integers(1, 3).flatmap(lambda cards: st.tuples(*[st.tuples(*[st.integers(1, 4)] * cards)] * 2))
    (first, second), lift = draw(hands_of), draw(st.sampled_from([0, 4]))
    return make_game(
        draw(st.sampled_from(["jujitsu", "dinosaur_war"])),
        hand_0=tuple(sorted(first)),
        hand_1=tuple(sorted(rank + lift for rank in second)),
        ties=draw(st.sampled_from(["carry", "discard"])),
        payoff=draw(st.sampled_from(["win", "margin"])),
        view=draw(st.sampled_from(["cards", "word"])),
    )


def returned(game):
    """What public functions return: (seats that it plays in, policy, how it was made)."""
    players = range(game.facts.num_players)
    for other in ("uniform", Arbitrary(1)):
        for player in players:
            yield (player,), best_response(game, other, player).policy, f"best_response({other!r}, {player})"
    if game.facts.num_players == 2 and game.facts.zero_sum:
        yield players, solve(game).policy, "solve"
        yield players, solve(game, exact=True).policy, "solve in rationals"
    for name in names_for(game):
        name += ",simulations=5" * name.startswith("search:")  # for speed
        for player in players if needs_others(name) else [0]:
            line_up = [name if seat == player else LOWEST for seat in players]  # some must know what others do
            yield (player,) if needs_others(name) else players, seated_policies(line_up, game)[player], name


def states_of(game):
    """The states that can come up, and in a duel those of other scores and ties, from which games can be started."""
    states = reachable(game)
    if isinstance(game, Duel):
        shifts = [(score, ties) for score in (-2, -1, 1, 2) for ties in (0, 1)]
        others = [s._replace(score=s.score + score, ties=s.ties + ties) for s in states for score, ties in shifts]
        states = [*states, *filter(lambda state: can_be(game, state), others)]
    return [state for state in states if game.acting_players(state)]


def plays_everywhere(game):
    states = states_of(game)
    for seats, policy, made in returned(game):
        for seat in seats:
            acting = [state for state in states if seat in game.acting_players(state)]
            seen = np.array([game.observation(state, seat) for state in acting])
            masks = np.array([game.action_mask(state, seat) for state in acting])
            try:
                together = checked_probabilities(policy, seen, masks)
                alone = [
                    checked_probabilities(policy, *each) for each in zip(seen[:, None], masks[:, None], strict=True)
                ]
            except Exception as error:
                raise AssertionError(f"{made} in seat {seat}") from error
            assert np.concatenate(alone) == pytest.approx(together, abs=1e-12), made


@settings(deadline=None, max_examples=15)
@given(duels())
def test_in_every_duel(game):
    plays_everywhere(game)


@each_of({name: game for name, game in TINY_GAMES.items() if not ranks_matter(game)})
def test_in_other_games(game):
    plays_everywhere(game)


EARLY = [
    make_game("jujitsu", hand_0=(1, 1, 1), hand_1=(2, 2, 2)),
    make_game("jujitsu", hand_0=(1,) * 6, hand_1=(2,) * 6),  # decided two tricks before the last
    make_game("jujitsu", hand_0=(1, 2, 3), hand_1=(4, 5, 6), view="word"),
    make_game("jujitsu", hand_0=(1, 2, 3), hand_1=(4, 5, 6), ties="discard"),
    make_game("dinosaur_war", hand_0=(1, 2, 3), hand_1=(4, 5, 6), payoff="win"),
]


@pytest.mark.parametrize("game", EARLY, ids=lambda game: f"{game.facts.name}-{game.view}-{game.ties}")
def test_whole_games_are_played_where_one_hand_beats_the_other(game):
    for player, value in ((0, -1.0), (1, 1.0)):
        response = best_response(game, "uniform", player)
        assert response.value == value
        seats = [response.policy, "uniform"] if player == 0 else ["uniform", response.policy]
        assert play_episode(game, seats, seed=0).payoffs == (-1.0, 1.0)
        assert match(game, response.policy, "uniform", games=4).payoff.mean == 0.0  # -1 and 1, by seat
        env = SingleAgentEnv(game, opponent=response.policy, seat=1 - player)
        env.reset(seed=0)
        total = 0.0
        while env.action_masks().any():
            total += env.step(int(env.action_masks().argmax()))[1]
        assert total == -value
