"""What a game may declare about its rules, so that solvers, batches and learners save time.

Everything here has a default that is true of every game.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import ClassVar, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import BayesianForm, CompiledRules, RoundsForm
from cardwar_envs.core.rules import CERTAIN, Rules, S


class Canonical(NamedTuple, Generic[S]):
    """An equal-valued representative of a state, its canonical form, so that solvers solve both at once.

    In Jujitsu with nothing but the order of ranks to go by, and the seats swapped:

        state      player 0 holds 3 and 4, player 1 holds 1 and 6, player 0 leads by 1
        canonical  player 0 holds 1 and 3, player 1 holds 2 and 2, player 1 leads by 1, seats (1, 0)

    Attributes:
        state: The representative.
        seats: `seats[p]` is the seat that player `p` holds in the representative:
            what is still to be paid to `p` here is what is still to be paid to
            `seats[p]` there. `(1, 0)` means that the two seats were swapped.
    """

    state: S
    seats: tuple[int, ...]


class ActionImage(NamedTuple):
    """Where an action of a state stands in its representative.

    Attributes:
        action: The action in the state itself.
        image: The action in the representative that stands for it.
        share: The share of the image's probability that belongs to this action
            (several interchangeable actions can have one image).
    """

    action: int
    image: int
    share: Fraction


# What a class may declare -> the rules that the declaration is about (and the private methods that these may call);
# () stands for all rules.
CLAIMS: dict[str, tuple[str, ...]] = {
    "canonical": (),
    "canonical_actions": (),
    "settled": (),
    "compiled_rules": (),
    "rounds_form": (),
    "bayesian_form": (),
    "state_of": ("observation",),
    "uniform_is_optimal": (),
    "count_states": (),
    "action_parts": (),
    "action_counts": ("observation", "legal_actions"),
    "action_mask": ("legal_actions",),
    "opponent_masks": ("observation", "legal_actions"),
}
# Methods that change neither the play nor what players observe.
TEXTS = {
    *("describe", "describe_action", "describe_play", "describe_revealed", "describe_course", "scene"),
    *("check", "parameters", "smallest"),
}
# Special methods that can give an instance other methods than its class has.
SPECIAL = {"__post_init__", "__getattribute__"}


def changed_rule(kind: type, base: type, about: Collection[str] = ()) -> str:
    """The first of these rules of `base`, or of all, or private methods, that a class does not inherit; else ""."""
    below = [each for each in kind.__mro__ if each not in base.__mro__]
    fields = {name for each in below for name in inspect.get_annotations(each)}  # instances have these themselves
    for name in dir(base):
        rule = inspect.getattr_static(base, name)
        unasked = name in TEXTS or (name.startswith("__") and name not in SPECIAL)
        is_rule = (callable(rule) or hasattr(rule, "__get__")) and not unasked
        asked = not about or name in about or name.startswith("_")
        if is_rule and asked and (name in fields or inspect.getattr_static(kind, name, None) is not rule):
            return name
    return ""


class LostClaim(NamedTuple):
    """An inherited declaration that a class has lost, because it overrides a rule.

    Attributes:
        claim: Its name.
        owner: Name of the class that made the declaration.
        loser: Name of the class that overrides the rule.
        rule: The rule.
    """

    claim: str
    owner: str
    loser: str
    rule: str


class Structure(Rules[S]):
    """Optional declarations about the rules."""

    _lost_claims: ClassVar[tuple[LostClaim, ...]] = ()

    def _lost(self, claim: str) -> str:
        """For an error: why the class lost a declaration that it could have inherited; "" if it did not."""
        lost = next((each for each in self._lost_claims if each.claim == claim), None)
        if lost is None:
            return ""
        _, owner, loser, rule = lost
        kept = f"declare {loser} with keeps_claims=True if all claims of its bases still hold"
        return (
            f"; {claim} of {owner} was dropped because {loser} overrides {rule}: {kept}, or define {claim} in {loser}"
        )

    def settled(self, state: S) -> tuple[float, ...] | None:
        """What is still to be paid to each player if the state is settled, else None.

        A state is settled if no choice matters any more. In Jujitsu, for example:

            two cards each left, no ties carried, player 0 leads by 3: player 0 wins, (1.0, -1.0)
            two cards each left, no ties carried, player 0 leads by 1: not settled, None
        """
        return None

    def state_of(self, observation: NDArray[np.float32]) -> tuple[S, int]:
        """The state that an observation shows, and the player who sees it.

        In a seat-symmetric game the state is turned so that the observer is player 0.

        Raises:
            ValueError: If the game is not one of public state.
        """
        raise ValueError(f"{self.facts.name}: an observation does not show the whole state{self._lost('state_of')}")

    def bayesian_form(self) -> BayesianForm:
        """The whole game as arrays, if both of two players move once, on private information.

        Raises:
            ValueError: If the game is not of that kind.
        """
        lost = self._lost("bayesian_form")
        raise ValueError(f"{self.facts.name}: not a game in which both players move once on private information{lost}")

    def rounds_form(self, starts: Sequence[S], max_positions: int) -> RoundsForm[S]:
        """All positions that can follow some states as arrays, if positions come up again in this game.

        Raises:
            ValueError: If the game is not of that kind, or there are more than `max_positions` nodes.
        """
        lost = self._lost("rounds_form")
        raise ValueError(f"{self.facts.name}: not a two-player game whose positions come up again{lost}")

    def canonical(self, state: S) -> Canonical[S]:
        """An equal-valued representative (see `Canonical`); by default the state itself."""
        return Canonical(state, tuple(range(self.facts.num_players)))

    def canonical_actions(self, state: S, player: int) -> tuple[ActionImage, ...]:
        """Where each legal action of `player` stands in the representative of `state`."""
        return tuple(ActionImage(a, a, CERTAIN) for a in self.legal_actions(state, player))

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """In how many ways each action can be played, for example how many cards of a rank are held.

        Args:
            observations: `[batch, observation_size]`.
            action_masks: `[batch, num_actions]`, 1 where an action is legal.

        Returns:
            `[batch, num_actions]` counts, 0 where an action is illegal.
        """
        return action_masks.astype(np.float64)

    def action_parts(self) -> NDArray[np.int64] | None:
        """What actions are made of, in games with so many actions that a learner cannot try each of them.

        A choice of two discards and a card to battle with, for example, has the parts "discard a 3" (once or twice)
        and "battle with a 7". What is learned of a part then holds for every action that has it.

        Returns:
            `[num_actions, parts]`: how often each part occurs in each action, the same for all players. Different
            actions must differ in it. None if each action is a part of its own.
        """
        return None

    def uniform_is_optimal(self) -> bool:
        """Whether playing every card alike, as `uniform` does, is optimal for both players at every state.

        Solvers then choose that equilibrium among several, at every state at which their certificate confirms it.
        """
        return False

    def opponent_masks(self, observations: NDArray[np.float32]) -> NDArray[np.int8]:
        """What the opponent of the observer may play, in two-player games whose observations show the state.

        Args:
            observations: `[batch, observation_size]`.

        Returns:
            `[batch, num_actions]`, 1 where an action is legal for the player who does not observe.

        Raises:
            ValueError: If observations do not show the state.
        """
        seen = [self.state_of(observation) for observation in observations]
        masks = [self.action_mask(state, 1 - player) for state, player in seen]
        return np.array(masks, dtype=np.int8).reshape(len(observations), self.facts.num_actions)

    def compiled_rules(self) -> CompiledRules[S] | None:
        """The compiled rules for many states at once; None if the game has none."""
        return None

    def count_states(self, canonical: bool) -> int | None:
        """At least how many states there are in which something is decided, if there is a formula; else None.

        A game with more states than an oracle can list is then refused before the work.

        Args:
            canonical: Count representatives (see `canonical`) instead of states.
        """
        return None
