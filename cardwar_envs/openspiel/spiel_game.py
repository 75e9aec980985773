"""The game classes registered with OpenSpiel; imports pyspiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel

from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.play import joint_actions, listed

# Number of states searched for the largest number of chance outcomes.
MOST_STATES = 1000
# Maximum length of an information state tensor.
MOST_NUMBERS = 100_000


def register(name: str, rules: Game[Any]) -> None:
    """Registers a game with OpenSpiel."""
    facts, types = rules.facts, pyspiel.GameType
    deterministic = facts.chance == "none"
    kind = types(
        short_name=name,
        long_name=facts.name,
        dynamics=types.Dynamics.SIMULTANEOUS,
        chance_mode=types.ChanceMode.DETERMINISTIC if deterministic else types.ChanceMode.EXPLICIT_STOCHASTIC,
        information=getattr(types.Information, f"{'' if facts.public_state else 'IM'}PERFECT_INFORMATION"),
        utility=types.Utility.ZERO_SUM if facts.zero_sum else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.REWARDS,
        max_num_players=facts.num_players,
        min_num_players=facts.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=_recall_size(rules) <= MOST_NUMBERS,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=facts.num_actions,
        max_chance_outcomes=0 if deterministic else _most_outcomes(rules),
        num_players=facts.num_players,
        min_utility=facts.min_payoff,
        max_utility=facts.max_payoff,
        utility_sum=0.0 if facts.zero_sum else None,
        max_game_length=facts.max_length,
    )

    class Maker:  # a class, because OpenSpiel releases it after Python has shut down, when releasing a function crashes
        def __new__(cls, params: Any = None) -> _SpielGame:
            return _SpielGame(kind, info, rules)

    pyspiel.register_game(kind, Maker)


def _recall_size(rules: Game[Any]) -> int:
    """The length of an information state tensor: one-hot seat, all observations, and own actions, one-hot."""
    facts = rules.facts
    return facts.num_players + facts.observation_size + facts.max_length * (facts.observation_size + facts.num_actions)


def _most_outcomes(rules: Game[Any]) -> int:
    """The maximum number of outcomes of a chance node among the first states of the game."""
    found = listed(rules, rules.initial())
    most, known = len(found), [each.state for each in found]
    seen = set(known)
    for state in known:
        for actions in joint_actions(rules, state):
            outcomes = listed(rules, rules.transitions(state, actions))
            most = max(most, len(outcomes))
            for each in outcomes:
                if each.state not in seen and len(known) < MOST_STATES:
                    seen.add(each.state)
                    known.append(each.state)
    return most


class _SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    def __init__(self, kind: Any, info: Any, rules: Game[Any]) -> None:
        super().__init__(kind, info, {})
        self.rules = rules

    def new_initial_state(self) -> _SpielState:
        return _SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        if params:
            raise ValueError(f"params ({params}) must be empty: observers have no parameters")
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return _Observer(self.rules, recall)


class _SpielState(pyspiel.State):  # type: ignore[misc]
    """A state; at a chance node `outcomes` lists the possible results."""

    def __init__(self, game: _SpielGame) -> None:
        super().__init__(game)
        self.rules = game.rules
        players = self.rules.facts.num_players
        self.paid, self.total = [0.0] * players, [0.0] * players
        # Per player: observations alternating with own actions (None while waiting).
        self.seen: list[tuple[Any, ...]] = [()] * players
        self.position: Any = None
        self._follow(self.rules.initial())

    def _follow(self, outcomes: Sequence[Transition[Any]]) -> None:
        self.outcomes, self.paid = tuple(outcomes), [0.0] * len(self.paid)
        if len(outcomes) == 1:
            self._enter(outcomes[0])

    def _enter(self, outcome: Transition[Any]) -> None:
        self.outcomes, self.position = (), outcome.state
        self.paid = [float(pay) for pay in outcome.rewards]
        self.total = [total + pay for total, pay in zip(self.total, self.paid, strict=True)]
        for player, before in enumerate(self.seen):
            self.seen[player] = (*before, tuple(self.rules.observation(self.position, player).tolist()))

    def _play(self, actions: dict[int, int]) -> None:
        self.seen = [(*before, actions.get(player)) for player, before in enumerate(self.seen)]
        self._follow(self.rules.transitions(self.position, actions))

    def current_player(self) -> Any:
        if self.outcomes:
            return pyspiel.PlayerId.CHANCE
        acting = self.rules.acting_players(self.position)
        if not acting:
            return pyspiel.PlayerId.TERMINAL
        return acting[0] if len(acting) == 1 else pyspiel.PlayerId.SIMULTANEOUS

    def is_terminal(self) -> bool:
        return not self.outcomes and not self.rules.acting_players(self.position)

    def _legal_actions(self, player: int) -> list[int]:
        if self.outcomes or player not in self.rules.acting_players(self.position):
            return []
        return list(self.rules.legal_actions(self.position, player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, float(each.probability)) for number, each in enumerate(self.outcomes)]

    def _apply_action(self, action: int) -> None:
        if self.outcomes:
            self._enter(self.outcomes[action])
        else:
            self._play({self.rules.acting_players(self.position)[0]: action})

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self._play({player: actions[player] for player in self.rules.acting_players(self.position)})

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return self.rules.describe_action(action, player)

    def rewards(self) -> list[float]:
        return self.paid

    def returns(self) -> list[float]:
        return self.total

    def __str__(self) -> str:
        return "chance" if self.outcomes else self.rules.describe(self.position)


class _Observer:
    """A player's view: the last observation or, with perfect recall, all observations and the player's own actions."""

    def __init__(self, rules: Game[Any], recall: bool) -> None:
        self.rules, self.recall = rules, recall
        size = _recall_size(rules) if recall else rules.facts.num_players + rules.facts.observation_size
        self.tensor = np.zeros(size, dtype=np.float32) if size <= MOST_NUMBERS else None
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: _SpielState, player: int) -> None:
        """Sets the tensor to `player`'s view."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        self.tensor[player] = 1
        at, facts = self.rules.facts.num_players, self.rules.facts
        for part in self._parts(state, player):
            if isinstance(part, tuple):
                self.tensor[at : at + len(part)] = part
                at += len(part)
            else:
                if part is not None:
                    self.tensor[at + part] = 1
                at += facts.num_actions

    def string_from(self, state: _SpielState, player: int) -> str:
        """`player`'s view as text."""
        return f"player_{player}" + "".join(
            f" sees {' '.join(f'{number:g}' for number in part)}"
            if isinstance(part, tuple)
            else f" {'waits' if part is None else f'plays {part}'}"
            for part in self._parts(state, player)
        )

    def _parts(self, state: _SpielState, player: int) -> tuple[Any, ...]:
        return state.seen[player] if self.recall else tuple(p for p in state.seen[player] if isinstance(p, tuple))[-1:]
