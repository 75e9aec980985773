"""Constant-sum games: games of the suite in which both players are paid something more."""

from dataclasses import dataclass, replace

from cardwar_envs.core.numbers import exact_or_rounded, shortest


def _sum(rewards, more):
    pairs = [(exact_or_rounded(paid), exact_or_rounded(each)) for paid, each in zip(rewards, more, strict=True)]
    return tuple(shortest(paid + each) for paid, each in pairs)


def _shifted(game, state, rewards, more):
    """Payments, with `more` at the end of the game."""
    if game.acting_players(state):
        return rewards
    return _sum(rewards, more)


def shifted(kind, more, declared=False, **claims):
    """A subclass of the game class `kind` that pays each player `more` at the end; it may declare that it is zero-sum.

    Overriding `transitions`, it loses the declarations of `kind`, unless `keeps_claims=True`.
    """

    @dataclass(frozen=True)
    class Shifted(kind, **claims):
        name = f"shifted_{kind.name}"

        @property
        def facts(self):
            facts = super().facts
            low, high = facts.min_payoff + min(more), facts.max_payoff + max(more)
            return replace(facts, name=self.name, zero_sum=declared, min_payoff=float(low), max_payoff=float(high))

        def transitions(self, state, actions):
            found = super().transitions(state, actions)
            return [each._replace(rewards=_shifted(self, each.state, each.rewards, more)) for each in found]

        def settled(self, state):
            settled = super().settled(state)
            return settled and _sum(settled, more)

        def compiled_rules(self):
            return None

    return Shifted
