"""Every shipped game with each of its rules overridden in turn, at tiny sizes.

Whoever goes by the class of such a game, and not by what its rules do, takes it for another game.
"""

import dataclasses
from fractions import Fraction
from functools import cached_property

from cardwar_envs import Duel, DuelState, Game, Transition, WarState, make_game
from cardwar_envs.core.game import ActionImage, Canonical

BASES = {
    "jujitsu": make_game("jujitsu", num_cards=3),
    "words": make_game("jujitsu", num_cards=3, view="word"),
    "dinosaur_war": make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4)),
    "dice_wars": make_game("dice_wars", num_cards=3, sides=2),
    "war": make_game("war", ranks=3, discards=1, max_rounds=3),
    "dice_poker": make_game("dice_poker", sides=3),
}
# Overriding these changes what is played or paid.
PLAY = {"initial", "transitions", "legal_actions", "acting_players", "trick_outcomes", "cyclic_tricks", "_payoff"}


def _negated(base):
    def transitions(self, state, actions):
        outcomes = base.transitions(self, state, actions)
        return [outcome._replace(rewards=tuple(0.0 - paid for paid in outcome.rewards)) for outcome in outcomes]

    return {"transitions": transitions}


def _not_the_highest(base):
    """The highest action is forbidden to whoever has another one."""

    def legal_actions(self, state, player):
        legal = base.legal_actions(self, state, player)
        return legal[:-1] or legal

    return {"legal_actions": legal_actions}


def _wider_bounds(base):
    def facts(self):
        return dataclasses.replace(base.facts.func(self), min_payoff=-9.0, max_payoff=9.0)

    return {"facts": cached_property(facts)}


def _told_more(base):
    return {"info": lambda self, state, player: {**base.info(self, state, player), "hint": player + 1}}


def _refuses(self, state):
    raise ValueError("no state is good enough")


def _no_form(self, *arguments):
    raise ValueError("not a game of that kind")


def _same(base, name):
    """The same rule, by another function."""
    rule = getattr(base, name)
    return {name: lambda self, *arguments: rule(self, *arguments)}


def _of_every_game(base):
    """Rule -> what a subclass overrides."""
    return {
        "transitions": _negated(base),
        "legal_actions": _not_the_highest(base),
        "action_mask": {**_not_the_highest(base), "action_mask": Game.action_mask},
        "action_counts": {"action_counts": lambda self, observations, masks: masks.astype(float)},
        "opponent_masks": {"opponent_masks": lambda self, observations: Game.opponent_masks(self, observations)},
        "state_of": _same(base, "state_of"),
        "live_players": _same(base, "live_players"),
        "facts": _wider_bounds(base),
        "info": _told_more(base),
        "check": {"check": _refuses},
        "canonical": {"canonical": lambda self, state: Canonical(state, (0, 1))},
        "canonical_actions": {
            "canonical_actions": lambda self, state, player: tuple(
                ActionImage(action, action, Fraction(1)) for action in self.legal_actions(state, player)
            )
        },
        "settled": {"settled": lambda self, state: None},
        "compiled_rules": {"compiled_rules": lambda self: None},
        "rounds_form": {"rounds_form": _no_form},
        "bayesian_form": {"bayesian_form": _no_form},
    }


def _of_duels(base):
    def initial(self):
        hand_0, hand_1 = self.hands
        return (Transition(Fraction(1), DuelState((hand_0[:-1], hand_1[1:])), (0.0, 0.0)),)

    def observation(self, state, player):
        """The other's counts first."""
        seen, size = base.observation(self, state, player), len(self.ranks)
        seen[: 2 * size] = [*seen[size : 2 * size], *seen[:size]]
        return seen

    def lowest_wins(self, rank_0, rank_1):
        return tuple((chance, -winner) for chance, winner in base.trick_outcomes(self, rank_0, rank_1))

    def cyclic(self, rank_0, rank_1):
        """The lowest rank beats the highest."""
        outcomes = base.trick_outcomes(self, rank_0, rank_1)
        ends = {rank_0, rank_1} == {self.ranks[0], self.ranks[-1]} and rank_0 != rank_1
        return tuple((chance, -winner) for chance, winner in outcomes) if ends else outcomes

    return {
        "initial": {"initial": initial},
        "acting_players": {"acting_players": lambda self, state: (0, 1) if len(state.hands[0]) > 1 else ()},
        "observation": {"observation": observation},
        "trick_outcomes": {"trick_outcomes": lowest_wins},
        "cyclic_tricks": {"trick_outcomes": cyclic, "ranks_are_ordinal": property(lambda self: False)},
        "ranks_are_ordinal": {"ranks_are_ordinal": property(lambda self: False)},
        "keeps_score": {"keeps_score": property(lambda self: False)},
    }


def _of_war(base):
    def initial(self):
        start = WarState(hands=((2, 2, 3), (3, 4, 4)), wins=((), ()), rounds_left=self.rounds)
        return (Transition(Fraction(1), start, (0.0, 0.0)),)

    def acting_players(self, state):
        """In a war only the first of those who can pay for it."""
        acting = base.acting_players(self, state)
        return acting[:1] if state.tied else acting

    def live_players(self, state):
        """The last round is not played."""
        return () if state.rounds_left == 1 and not state.tied else base.live_players(self, state)

    def observation(self, state, player):
        """The own wins pile before the own hand."""
        seen = base.observation(self, state, player)
        seen[: 2 * self.ranks] = [*seen[self.ranks : 2 * self.ranks], *seen[: self.ranks]]
        return seen

    return {
        "initial": {"initial": initial},
        "acting_players": {"acting_players": acting_players},
        "live_players": {"live_players": live_players},
        "observation": {"observation": observation},
    }


def _of_dice_poker(base):
    def initial(self):
        deals = [deal for deal in base.initial(self) if deal.state.rolls[0] != deal.state.rolls[1]]
        return [deal._replace(probability=Fraction(1, len(deals))) for deal in deals]

    def observation(self, state, player):
        """A roll of 1 looks like a 2."""
        seen = base.observation(self, state, player)
        seen[0] = max(seen[0], 2)
        return seen

    return {
        "initial": {"initial": initial},
        "acting_players": {
            "acting_players": lambda self, state: (
                () if state.rolls == (1, 1) else base.acting_players(self, state)  # nothing to play for
            )
        },
        "observation": {"observation": observation},
        "_payoff": {"_payoff": lambda self, rolls, actions: 0.5 * base._payoff(self, rolls, actions)},
    }


def changed_rules():
    """(name, game) for each shipped game and each of its rules: the game with that rule overridden."""
    for name, game in BASES.items():
        base = type(game)
        own = _of_duels if isinstance(game, Duel) else {"war": _of_war, "dice_poker": _of_dice_poker}[name]
        for rule, methods in {**_of_every_game(base), **own(base)}.items():
            if name == "words" and "ranks_are_ordinal" in methods:
                continue  # the game refuses this view then
            title = f"{base.__name__}_{rule}"
            # Once, under its name in this module, so that it can be pickled.
            kind = globals().setdefault(title, type(title, (base,), {**methods, "__module__": __name__}))
            yield f"{name}-{rule}", kind(**game.parameters())
