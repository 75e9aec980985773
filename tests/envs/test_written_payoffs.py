"""Rewards of written games; `tests/conformance/test_stateful.py` compares all games with the rules."""

from cardwar_envs import DuelState, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


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


def test_carried_ties_are_paid_once():
    """Jujitsu after one tie: the next trick decides, and only the end pays."""
    env = ParallelGameEnv("jujitsu", num_cards=3)
    env.reset(seed=0, options={"state": DuelState(((1, 2), (1, 2)), score=0, ties=1)})
    assert env.step({"player_0": 1, "player_1": 0})[1] == {"player_0": 0.0, "player_1": 0.0}
    assert env.step({"player_0": 0, "player_1": 1})[1] == {"player_0": 1.0, "player_1": -1.0}  # 2 tricks to 1
