"""shimmy 2.0.1, OpenSpielCompatibilityV0: with simultaneous moves, an illegal action blocks the game for the others.

While others have yet to move, `step` stores any action, such as a bid that the mask forbids, -1 or 2.7. OpenSpiel
rejects the joint action when the last player moves: that player's legal action raises, and so does every other, because
the stored action stays. Suggested fix: raise ValueError before storing an action that the agent's mask does not allow.
"""

from shimmy import OpenSpielCompatibilityV0

env = OpenSpielCompatibilityV0(game_name="oshi_zumo")
for action in (45, -1, 2.7):
    env.reset(seed=1)
    for bid in (50, 10):  # player_0 spends all its coins
        env.step(bid)
    allowed = env.infos["player_0"]["action_mask"].nonzero()[0]
    env.step(action)
    print(f"player_0, whose mask allows {allowed}, plays {action}: no error, and {env.agent_selection} is next")
    for legal in (0, 1):
        try:
            env.step(legal)
        except Exception as error:
            print(f"player_1 plays {legal}, which is legal: {type(error).__name__}")
