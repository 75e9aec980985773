"""What a subclass of a shipped game still claims about its rules is true, whichever rule it overrides."""

import pickle

import numpy as np
import pytest
from brute_force import Values, final_payoffs, joint_actions, reachable
from changed_rules import BASES, changed_rules

from cardwar_envs.core.game import same_rules_as

CHANGED = [(name, game) for name, game in changed_rules()]
# A rule of the base that is not asked for what is played.
ONLY_TEXTS = {"check"}


def of(name):
    """The changed games of one shipped game."""
    return [(full_name.split("-")[1], game) for full_name, game in CHANGED if full_name.startswith(f"{name}-")]


each_game = pytest.mark.parametrize("name", BASES)


def test_every_rule_is_overridden_somewhere():
    rules = {rule for name in BASES for rule, _ in of(name)}
    methods = {"initial", "transitions", "legal_actions", "acting_players", "observation", "live_players", "facts"}
    claims = {"canonical", "canonical_actions", "settled", "compiled_rules", "rounds_form", "bayesian_form"}
    read = {"state_of", "action_mask", "action_counts", "opponent_masks", "info", "check"}
    assert rules >= methods | claims | read | {"trick_outcomes", "ranks_are_ordinal", "keeps_score"}


@each_game
def test_nobody_takes_it_for_its_base(name):
    base = type(BASES[name])
    for rule, game in of(name):
        assert game != BASES[name]
        assert same_rules_as(game, base) == (rule in ONLY_TEXTS), rule
        assert pickle.loads(pickle.dumps(game)) == game
        assert type(pickle.loads(pickle.dumps(game))) is type(game)


@each_game
def test_masks_and_counts_are_those_of_its_legal_actions(name):
    for rule, game in of(name):
        for state in reachable(game):
            for player in game.acting_players(state):
                mask, seen = game.action_mask(state, player), game.observation(state, player)
                legal = game.legal_actions(state, player)
                assert np.flatnonzero(mask).tolist() == list(legal), rule
                assert np.flatnonzero(game.action_counts(seen[None], mask[None])[0]).tolist() == list(legal), rule


@each_game
def test_observations_are_read_by_its_own_rules_or_not_at_all(name):
    for rule, game in of(name):
        for state in reachable(game):
            for player in game.acting_players(state):
                seen = game.observation(state, player)
                try:
                    turned, who = game.state_of(seen)
                except ValueError:
                    continue
                assert np.array_equal(game.observation(turned, who), seen), rule
                masks = game.opponent_masks(seen[None])
                assert np.array_equal(masks[0], game.action_mask(state, 1 - player)), rule


@each_game
def test_settled_and_canonical_are_true_of_its_payoffs(name):
    for rule, game in of(name):
        to_go, truth = final_payoffs(game), Values(game)
        for state in reachable(game):
            settled = game.settled(state)
            assert settled is None or to_go(state) == {settled}, rule
            if not game.facts.public_state:
                continue
            representative, seats = game.canonical(state)
            sign = 1 if seats == (0, 1) else -1
            assert truth.value(state) == pytest.approx(sign * truth.value(representative), abs=1e-9), rule
            images = {p: {i.action: i.image for i in game.canonical_actions(state, p)} for p in (0, 1)}
            for actions in joint_actions(game, state):
                there = {seats[player]: images[player][action] for player, action in actions.items()}
                same = sign * truth.worth(representative, there)
                assert truth.worth(state, actions) == pytest.approx(same, abs=1e-9), rule


@each_game
def test_the_forms_are_those_of_its_base_or_refused(name):
    """None of these games, but the ones that change nothing of what is played, has arrays that others may go by."""
    for rule, game in of(name):
        if rule in ONLY_TEXTS:
            continue
        assert game.compiled_rules() is None, rule
        with pytest.raises(ValueError, match="not a"):
            game.bayesian_form()
        with pytest.raises(ValueError, match="not a"):
            game.rounds_form([game.initial()[0].state], 1000)
