"""Batches and environments play a subclass of a shipped game by the subclass's rules, whichever it overrides."""

import numpy as np
import pytest
from changed_rules import BASES, PLAY, changed_rules
from knock_out import Always
from toys import Answering

from cardwar_envs.core.play import play_episode
from cardwar_envs.envs.engines.compiled import CompiledEngine
from cardwar_envs.envs.engines.rules import RulesEngine
from cardwar_envs.envs.game_batch import GameBatch

CHANGED = {name: {} for name in BASES}
for full_name, changed in changed_rules():
    CHANGED[full_name.split("-")[0]][full_name.split("-")[1]] = changed
# A subclass that overrides these keeps its compiled rules, which are still true.
KEEPS_COMPILED = {"check"}
STEPS = 12


def playable(game):
    """Whether nobody's game is over when it starts."""
    return all(game.acting_players(deal.state) for deal in game.initial())


def legal_joint(game, state, rng):
    """A legal action for everybody who acts, 0 for others."""
    acting = game.acting_players(state)
    legal = [game.legal_actions(state, player) if player in acting else (0,) for player in range(2)]
    return [actions[int(rng.integers(len(actions)))] for actions in legal]


def acting_only(game, state, joint):
    return {player: joint[player] for player in game.acting_players(state)}


def mask_by_rules(game, state, player):
    """What the player may play, by `legal_actions` alone."""
    mask = np.zeros(game.facts.num_actions, dtype=np.int8)
    if player in game.live_players(state):
        mask[list(game.legal_actions(state, player))] = 1
    return mask


# -- the list itself -------------------------------------------------------------------------------


def highest(observations, masks):
    return np.eye(masks.shape[1])[masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)]


def transcript(game):
    """All that a few seeded episodes show."""
    shown = []
    for seed in range(20):
        policies = (Always(0), Answering(highest)) if seed % 2 else ["uniform_actions"] * 2
        episode = play_episode(game, policies, seed)
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
        play_a_batch(game, start)


def play_a_batch(game, start):
    rng, batch = np.random.default_rng(3), GameBatch(game, 5, seed=4, start=start)
    views = batch.reset()
    for _ in range(STEPS):
        before = batch.states()
        for state, seen, masks in zip(before, views.observations, views.masks, strict=True):
            for player in (0, 1):
                assert np.array_equal(seen[player], game.observation(state, player))
                assert np.array_equal(masks[player], mask_by_rules(game, state, player))
        for state, drawn in zip(before, batch.uniform_actions(), strict=True):
            assert all(drawn[player] in game.legal_actions(state, player) for player in game.acting_players(state))
        joint = [legal_joint(game, state, rng) for state in before]
        views = batch.step(np.array(joint))
        for i, state in enumerate(before):
            outcomes = game.transitions(state, acting_only(game, state, joint[i]))
            paid = [outcome for outcome in outcomes if outcome.rewards == tuple(views.rewards[i])]
            assert paid
            if views.done[i]:
                assert any(not game.acting_players(outcome.state) for outcome in paid)
            else:
                assert batch.states()[i] in [outcome.state for outcome in paid]
                assert game.acting_players(batch.states()[i])


@each_playable_change
def test_states_are_read_from_observations_only_where_they_show_them(game, rule):
    if not game.facts.public_state:
        return
    batch = GameBatch(game, 2)
    state = game.initial()[0].state
    seen = np.stack([game.observation(state, 0)] * 2)
    if rule in ("observation", "_view"):
        with pytest.raises(ValueError, match="does not show the whole state"):
            batch.reset_to(seen)
    else:
        batch.reset_to(seen)
        assert batch.states() == [state, state]
