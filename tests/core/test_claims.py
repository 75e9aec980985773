"""A subclass that changes a rule does not inherit what its base claims about the rules."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from thinning import each_row

from cardwar_envs import Game, check_game, make_game
from cardwar_envs.core.game import CERTAIN, CLAIMS, same_rules_as
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.jujitsu import Jujitsu


class LowestWins(Jujitsu):
    def trick_outcomes(self, rank_0, rank_1):
        return ((CERTAIN, (rank_0 < rank_1) - (rank_0 > rank_1)),)


class Mixin:
    def transitions(self, state, actions):
        return super().transitions(state, actions)


class Mixed(Mixin, Jujitsu):
    pass


class SeesLess(Jujitsu):
    def observation(self, state, player):
        return super().observation(state, player) * 0


@dataclass(frozen=True)
class RuleAsField(Jujitsu):
    """Each game of this class can have other rules, though the class has the method of its base."""

    trick_outcomes: Callable = Jujitsu.trick_outcomes


class RuleSetLate(Jujitsu):
    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "trick_outcomes", LowestWins(num_cards=1).trick_outcomes)


class RuleLookedUp(Jujitsu):
    def __getattribute__(self, name):
        return LowestWins(num_cards=1).trick_outcomes if name == "trick_outcomes" else super().__getattribute__(name)


@dataclass(frozen=True)
class Renamed(Jujitsu):
    """Other texts and defaults, the same rules."""

    name = "renamed"
    default_cards = 4
    ties: str = "discard"

    def describe(self, state):
        return "cards"


def claims(kind):
    """The claims that a class makes beyond those of every game."""
    return {claim for claim in CLAIMS if getattr(kind, claim) is not getattr(Game, claim)}


@each_row("kind", [LowestWins, Mixed])
def test_a_changed_rule_drops_the_claims_about_all_rules(kind):
    assert claims(kind) == {"state_of", "action_counts", "action_mask", "opponent_masks"}
    assert claims(Duel) > claims(kind)


@each_row("kind", [RuleAsField, RuleSetLate, RuleLookedUp])
def test_rules_that_only_instances_have_drop_the_claims(kind):
    game = kind(num_cards=3)
    assert not claims(kind) & {"canonical", "canonical_actions", "settled", "compiled_rules"}
    assert not same_rules_as(game, Duel)
    assert game.compiled_rules() is None
    lower = RuleAsField(num_cards=3, trick_outcomes=LowestWins(num_cards=1).trick_outcomes)
    assert lower.trick_outcomes(1, 2) == RuleSetLate().trick_outcomes(1, 2) == RuleLookedUp().trick_outcomes(1, 2)


def test_a_changed_rule_drops_the_claim_of_a_mixin():
    class Compiled:
        def compiled_rules(self):
            return Duel.compiled_rules(self)

    mixed = type("Mixed", (Compiled, Jujitsu), {})
    assert mixed.compiled_rules is Compiled.compiled_rules
    assert type("Other", (mixed,), {"trick_outcomes": LowestWins.trick_outcomes}).compiled_rules is Game.compiled_rules


def test_other_actions_drop_the_counts_of_cards():
    class FromTheTop(Jujitsu):
        def legal_actions(self, state, player):
            return tuple(len(self.ranks) - 1 - action for action in reversed(super().legal_actions(state, player)))

        def transitions(self, state, actions):
            return super().transitions(state, {p: len(self.ranks) - 1 - action for p, action in actions.items()})

    game = FromTheTop(hand_0=(1, 3), hand_1=(2, 4))
    start = game.initial()[0].state
    seen, mask = game.observation(start, 0), game.action_mask(start, 0)
    assert mask.tolist() == [0, 1, 0, 1]
    assert game.action_counts(seen[None], mask[None]).tolist() == [[0, 1, 0, 1]]


def test_a_changed_observation_drops_what_reads_it():
    assert claims(SeesLess) == {"action_mask"}


@each_row("kind", [Renamed, Jujitsu, DiceWars, type("Own", (DiceWars,), {})])
def test_texts_defaults_and_what_is_said_to_hold_stay(kind):
    assert claims(kind) == claims(Duel)


def test_a_claim_made_anew_stays():
    class Settled(LowestWins):
        settled = Duel.settled

    assert Settled.settled is Duel.settled
    assert Settled.canonical is Game.canonical
    assert type("Own", (Settled,), {}).settled is Duel.settled


def test_whose_rules_a_game_keeps():
    """Of the shipped games and their changed rules, `test_changed_rules` says it."""
    assert same_rules_as(Renamed(), Duel)
    assert same_rules_as(make_game("dice_wars", num_cards=3), DiceWars)
    assert not same_rules_as(make_game("dice_wars", num_cards=3), Duel)


def test_a_lost_claim_is_named_with_the_rule_that_lost_it():
    class Blind(Jujitsu):
        def observation(self, state, player):
            return super().observation(state, player)

    class Below(Blind):
        pass

    said = "state_of of Duel was dropped because Blind overrides observation: declare Blind with keeps_claims=True"
    for game in (Blind(num_cards=3), Below(num_cards=3)):
        with pytest.raises(ValueError, match=re.escape(said)):
            game.state_of(game.observation(game.initial()[0].state, 0))
        failures = {result.check: result.reason for result in check_game(game).failed}
        assert said in failures["state_of_reads_observations"]
