"""The AEC and the Parallel environment pay what the rules pay, step by step and in all."""

import numpy as np
import pytest
from skins import choose, every_game

from cardwar_envs import DuelState, make_game
from cardwar_envs.core.play import sample_transition
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import own_stream


def rules_episode(game, seed, choices):
    """Joint actions, and the rewards after each, of a random game by the rules alone."""
    chance, rng = own_stream(np.random.default_rng(seed)), np.random.default_rng(choices)
    _, state, dealt = sample_transition(game.initial(), chance)
    played = []
    while acting := game.acting_players(state):
        actions = {}
        for player in acting:
            legal = game.legal_actions(state, player)
            actions[player] = legal[int(rng.integers(len(legal)))]
        live = game.live_players(state)
        _, state, rewards = sample_transition(game.transitions(state, actions), chance)
        if not played:  # what the deal paid cannot be handed out before the first step
            rewards = tuple(np.add(rewards, dealt))
        played.append((live, actions, rewards))
    return played


def parallel_rewards(game, seed, episode):
    """What the Parallel environment pays after each joint action of an episode."""
    env, paid = ParallelGameEnv(game), []
    env.reset(seed=seed)
    for live, actions, _ in episode:
        assert env.agents == [f"player_{player}" for player in live]
        waiting = {player: game.legal_actions(env._session.state, player)[0] for player in live}
        chosen = {**waiting, **actions}
        _, rewards, terminations, truncations, _ = env.step({f"player_{p}": chosen[p] for p in live})
        paid.append({int(agent[-1]): reward for agent, reward in rewards.items()})
        assert {agent for agent, out in terminations.items() if not out} == set(env.agents)
        assert not any(truncations.values())
    assert not env.agents, "the game must end where the rules end it"
    return paid


def aec_rewards(game, seed, episode):
    """The same of the AEC environment; `last()` must hand out exactly what was paid since the agent was last asked."""
    env, paid = AECGameEnv(game), []
    env.reset(seed=seed)
    received, owed = np.zeros(game.facts.num_players), np.zeros(game.facts.num_players)

    def ask(expected):
        player = int(env.agent_selection[-1])
        _, reward, terminated, truncated, _ = env.last()
        assert (player, terminated, truncated) == (*expected, False)
        assert reward == pytest.approx(owed[player])
        received[player] += reward
        owed[player] = 0.0
        return player

    for live, actions, _ in episode:
        for player in actions:  # ascending, and only those who act
            assert ask((player, False)) == player
            env.step(actions[player])
            if player != max(actions):
                assert set(env.rewards.values()) == {0}, "nothing is paid before all have committed"
        paid.append({int(agent[-1]): reward for agent, reward in env.rewards.items()})
        for player, reward in paid[-1].items():
            owed[player] += reward
        out = [player for player in live if player not in env.game.live_players(env._session.state)]
        for player in out:
            ask((player, True))
            env.step(None)
            assert f"player_{player}" not in env.agents
    assert not env.agents, "the game must end where the rules end it"
    assert received == pytest.approx(sum_of(paid, game))
    return paid


def sum_of(paid, game):
    """Totals by player of a list of rewards."""
    return [sum(rewards.get(player, 0.0) for rewards in paid) for player in range(game.facts.num_players)]


@every_game
def test_all_skins_pay_what_the_rules_pay(game):
    totals = []
    for seed in range(40):
        episode = rules_episode(game, seed, choices=seed + 1000)
        by_rules = [{player: rewards[player] for player in live} for live, _, rewards in episode]
        assert aec_rewards(game, seed, episode) == by_rules
        assert parallel_rewards(game, seed, episode) == by_rules
        totals.append(sum_of(by_rules, game))
        if game.facts.zero_sum:
            assert sum(totals[-1]) == pytest.approx(0.0)
        assert game.facts.min_payoff - 1e-9 <= min(totals[-1])
        assert max(totals[-1]) <= game.facts.max_payoff + 1e-9
    assert len(set(map(tuple, totals))) > 1, "else nothing was compared"


def test_written_game_of_dinosaur_war():
    # Cards 2, 3, 6 against 1, 3, 5: 6 beats 5, 3 ties with 3, 2 beats 1 (actions are 1, 2, 3, 5, 6).
    game = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    env = AECGameEnv(game)
    env.reset(seed=0)
    seen = []
    for action in (4, 3, 2, 2, 1, 0):
        seen.append((env.agent_selection, env.last()[1]))
        env.step(action)
    for _ in range(2):
        seen.append((env.agent_selection, env.last()[1]))
        env.step(None)
    assert seen == [
        ("player_0", 0), ("player_1", 0), ("player_0", 1), ("player_1", -1),
        ("player_0", 0), ("player_1", 0), ("player_0", 1), ("player_1", -1),
    ]  # fmt: skip
    assert env.agents == []


def test_rewards_stand_until_the_next_commit():
    env = AECGameEnv("dinosaur_war", num_cards=2)
    env.reset(seed=0)
    env.step(1)
    env.step(0)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    env.step(0)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert env.last()[1] == -1.0  # player_1 has not been asked since it lost the trick


def test_dead_agents_take_none_only():
    env = AECGameEnv("dinosaur_war", num_cards=1)
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert env.agents == ["player_0", "player_1"]
    assert all(env.terminations.values())
    env.step(None)
    assert (env.agents, env.agent_selection) == (["player_1"], "player_1")


def test_carried_ties_are_paid_once():
    """Jujitsu after one tie: the next trick decides, and only the end pays."""
    env = ParallelGameEnv("jujitsu", num_cards=3)
    env.reset(seed=0, options={"state": DuelState(((1, 2), (1, 2)), score=0, ties=1)})
    assert env.step({"player_0": 1, "player_1": 0})[1] == {"player_0": 0.0, "player_1": 0.0}
    assert env.step({"player_0": 0, "player_1": 1})[1] == {"player_0": 1.0, "player_1": -1.0}  # 2 tricks to 1


def test_choose_is_legal():
    """The driver of these tests itself plays legal actions only, and all of them."""
    env = ParallelGameEnv("jujitsu", num_cards=3)
    env.reset(options={"state": DuelState(((1, 3), (1, 2)), score=-1)})
    rng = np.random.default_rng(0)
    assert {choose(env, 0, rng) for _ in range(50)} == {0, 2}
