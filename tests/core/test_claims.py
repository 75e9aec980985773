"""A subclass that changes a rule does not inherit what its base claims about the rules."""

from dataclasses import dataclass

import pytest

from cardwar_envs import Game, make_game
from cardwar_envs.core.game import CERTAIN, CLAIMS, keeps_rules
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War


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


@pytest.mark.parametrize("kind", [LowestWins, Mixed])
def test_a_changed_rule_drops_the_claims_about_all_rules(kind):
    assert claims(kind) == {"state_of", "action_counts", "action_mask", "opponent_masks"}
    assert claims(Duel) > claims(kind)


def test_a_changed_observation_drops_what_reads_it():
    assert claims(SeesLess) == {"action_mask"}


@pytest.mark.parametrize("kind", [Renamed, Jujitsu, DiceWars, type("Own", (DiceWars,), {})])
def test_texts_defaults_and_what_is_said_to_hold_stay(kind):
    assert claims(kind) == claims(Duel)


def test_a_claim_made_anew_stays():
    class Settled(LowestWins):
        settled = Duel.settled

    assert Settled.settled is Duel.settled
    assert Settled.canonical is Game.canonical
    assert type("Own", (Settled,), {}).settled is Duel.settled


def test_other_games_drop_their_forms():
    def transitions(self, state, actions):
        return []

    assert type("Other", (War,), {"transitions": transitions}).rounds_form is Game.rounds_form
    assert type("Other", (DicePoker,), {"transitions": transitions}).bayesian_form is Game.bayesian_form


def test_whose_rules_a_game_keeps():
    assert keeps_rules(make_game("jujitsu", num_cards=3), Duel)
    assert keeps_rules(Renamed(), Duel)
    assert not keeps_rules(make_game("dice_wars", num_cards=3), Duel)
    assert keeps_rules(make_game("dice_wars", num_cards=3), DiceWars)
    assert not keeps_rules(LowestWins(num_cards=3), Duel)
    assert not keeps_rules(Mixed(num_cards=3), Duel)
    assert not keeps_rules(make_game("dice_poker"), Duel)
