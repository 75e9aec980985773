"""Batches and environments play a subclass of a shipped game by the subclass's rules, whichever it overrides."""

import numpy as np
import pytest
from by_rules import (
    AECPair,
    ParallelPair,
    assert_shows,
    mask_by_rules,
    outcomes_until_asked,
    single_by_the_rules,
    step_by_the_rules,
)
from changed_rules import BASES, PLAY, changed_rules
from knock_out import Always
from toys import Answering, uniform_over

from cardwar_envs.core.play import play_episode
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.engines.compiled import CompiledEngine
from cardwar_envs.envs.engines.rules import RulesEngine
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

CHANGED = {name: {} for name in BASES}
for full_name, changed in changed_rules():
    CHANGED[full_name.split("-")[0]][full_name.split("-")[1]] = changed
# A subclass that overrides these keeps its compiled rules, which are still true.
KEEPS_COMPILED = {"check"}
STEPS = 12
LOWEST = Always(0)
HIGHEST = Answering(lambda seen, masks: LOWEST.action_probabilities(seen, masks[:, ::-1])[:, ::-1])
ANY = Answering(lambda seen, masks: uniform_over(masks))


def playable(game):
    """Whether nobody's game is over when it starts."""
    return all(game.acting_players(deal.state) for deal in game.initial())


def legal_joint(game, state, rng):
    """A legal action for everybody who acts, 0 for others."""
    acting = game.acting_players(state)
    legal = [game.legal_actions(state, player) if player in acting else (0,) for player in range(2)]
    return [actions[int(rng.integers(len(actions)))] for actions in legal]


# -- the list itself -------------------------------------------------------------------------------


def transcript(game):
    """All that a few seeded episodes show."""
    shown = []
    for seed in range(20):
        episode = play_episode(game, (LOWEST, HIGHEST) if seed % 2 else (ANY, ANY), seed)
        shown.append((episode.states, episode.actions, episode.payoffs))
    return shown


def test_the_changes_are_changes():
    for name, base in BASES.items():
        same = [rule for rule, game in CHANGED[name].items() if rule in PLAY and transcript(game) == transcript(base)]
        assert not same, name


def each_change(check):
    """A test for every shipped game, which makes the check for each rule that is overridden."""

    @pytest.mark.parametrize("name", BASES)
    def test(name):
        for rule, game in CHANGED[name].items():
            check(game, rule)

    return test


def each_playable_change(check):
    """As `each_change`, without games that can be over when they start: batches refuse them."""
    return each_change(lambda game, rule: playable(game) and check(game, rule))


# -- batches -----------------------------------------------------------------------------------------


@each_change
def test_an_engine_believes_compiled_rules_only_of_their_own_game(game, rule):
    if not playable(game):
        with pytest.raises(ValueError, match="over when they start"):
            GameBatch(game, 2)
    elif rule in KEEPS_COMPILED:
        assert isinstance(GameBatch(game, 2)._engine, CompiledEngine)
    else:
        assert isinstance(GameBatch(game, 2)._engine, RulesEngine)
        with pytest.raises(ValueError, match="has no compiled rules"):
            GameBatch(game, 2, engine="compiled")


@each_playable_change
def test_a_batch_plays_by_the_rules(game, rule):
    for start in ("initial", "random"):
        rng, batch = np.random.default_rng(3), GameBatch(game, 5, seed=4, start=start)
        assert_shows(batch, batch.reset())
        for _ in range(STEPS):
            for state, drawn in zip(batch.states(), batch.uniform_actions(), strict=True):
                assert all(drawn[player] in game.legal_actions(state, player) for player in game.acting_players(state))
            step_by_the_rules(batch, np.array([legal_joint(game, state, rng) for state in batch.states()]))


@each_playable_change
def test_a_batch_refuses_what_the_rules_forbid(game, rule):
    batch = GameBatch(game, 1, seed=1)
    batch.reset()
    (state,) = batch.states()
    for player in game.acting_players(state):
        for action in set(range(game.facts.num_actions)) - set(game.legal_actions(state, player)):
            joint = legal_joint(game, state, np.random.default_rng(0))
            joint[player] = action
            with pytest.raises(ValueError, match=f"player_{player} cannot play action"):
                batch.step(np.array([joint]))


@each_playable_change
def test_states_are_read_from_observations_only_where_they_show_them(game, rule):
    if not game.facts.public_state:
        return
    batch = GameBatch(game, 2)
    state = game.initial()[0].state
    seen = np.stack([game.observation(state, 0)] * 2)
    if rule == "observation":
        with pytest.raises(ValueError, match="does not show the whole state"):
            batch.reset_to(seen)
    else:
        batch.reset_to(seen)
        assert batch.states() == [state, state]


@each_playable_change
def test_states_to_start_from_are_checked_by_the_game_itself(game, rule):
    state = game.initial()[-1].state
    if rule == "check":
        for make in (AECGameEnv, ParallelGameEnv, SingleAgentEnv, GameVectorEnv):
            with pytest.raises(ValueError, match="no state is good enough"):
                make(game).reset(seed=1, options={"state": state})
        with pytest.raises(ValueError, match="no state is good enough"):
            GameBatch(game, 1).reset([state])
    elif rule != "initial":  # `check` knows the usual start
        assert GameBatch(game, 1).reset([state]).observations.shape[0] == 1


# -- PettingZoo ---------------------------------------------------------------------------------------


@each_change
def test_pettingzoo_plays_by_the_rules(game, rule):
    for both in (AECPair(game), ParallelPair(game, illegal_action="forfeit")):
        for seed in range(6):
            rng = np.random.default_rng(seed)
            both.reset(seed, {})
            while both.agents:
                both.step(rng)
                both.assert_same()


@each_playable_change
def test_forfeits_pay_the_least_that_the_facts_name(game, rule):
    env = ParallelGameEnv(game, illegal_action="forfeit")
    env.reset(seed=1)
    legal = {agent: game.legal_actions(env._session.state, env._player_of[agent])[0] for agent in env.agents}
    rewards = env.step({**legal, "player_0": game.facts.num_actions})[1]
    assert rewards == {"player_0": game.facts.min_payoff, "player_1": -game.facts.min_payoff}


# -- Gymnasium ----------------------------------------------------------------------------------------


@each_change
def test_gymnasium_plays_by_the_rules(game, rule):
    single_by_the_rules(game, 0, LOWEST)


@each_change
def test_vector_environments_play_by_the_rules(game, rule):
    for opponent in (LOWEST, "uniform"):
        play_a_vector_environment(game, opponent)


def play_a_vector_environment(game, opponent):
    rng, env = np.random.default_rng(5), GameVectorEnv(game, 4, opponent=opponent)
    seen, info = env.reset(seed=2)
    for _ in range(STEPS):
        before = env._games.engine.states()
        for i, state in enumerate(before):
            assert np.array_equal(seen["observation"][i], game.observation(state, 0))
            assert np.array_equal(seen["action_mask"][i], mask_by_rules(game, state, 0))
            assert {key: info[key][i] for key in game.info(state, 0)} == game.info(state, 0)
        actions = np.array([rng.choice(game.legal_actions(state, 0)) for state in before])
        seen, rewards, over, _, info = env.step(actions)
        if isinstance(opponent, str):
            continue
        for i, state in enumerate(before):
            ends = [
                (paid, after) for paid, after in outcomes_until_asked(game, state, 0, actions[i]) if paid == rewards[i]
            ]
            if over[i]:
                (final,) = (info["final_obs"][i]["observation"],)
                assert any(np.array_equal(final, game.observation(after, 0)) for _, after in ends)
            else:
                assert env._games.engine.states()[i] in [after for _, after in ends]
