"""Checks of payoffs."""

from __future__ import annotations

import math
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from cardwar_envs.conformance.ends import objectives
from cardwar_envs.conformance.explore import Watch, watcher
from cardwar_envs.conformance.kinds import AECPlay, ParallelPlay
from cardwar_envs.conformance.play import Play, as_text, finite, seats
from cardwar_envs.conformance.subject import Api, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

# Rewards may be rounded: 1/3 has no exact binary representation.
TOLERANCE = 1e-6
# Installed solvers: callables that take a game and `max_states`, and return `value` and `policy`.
ORACLES = "cardwar_envs.oracles"
MAX_STATES = 20_000
GAMES = 400
STANDARD_ERRORS = 4.0


def _declares_zero_sum(subject: Subject) -> bool:
    if subject.zero_sum is not None:
        return subject.zero_sum
    game = subject.game()
    return bool(subject.any_env().metadata.get("zero_sum", False) if game is None else game.facts.zero_sum)


def _require_zero_sum(subject: Subject) -> None:
    if not _declares_zero_sum(subject):
        raise NotApplicable("not declared zero-sum")
    if objectives(subject):
        raise NotApplicable("rewards are vectors, see nobody_is_paid_after_the_end")


@watcher("AEC", "Parallel", first=_require_zero_sum)
def zero_sum_holds(play: Play, subject: Subject) -> Watch:
    """If the game is declared zero-sum, the rewards of every complete episode sum to zero.

    Otherwise exploitability, minimax values and self-play ratings are meaningless.

    Example: The winner gets 1 and the loser 0, or both get a half for a tie.
    Fix: Pay the loser -1 and a tie 0, or do not declare the game zero-sum.
    """
    if not subject.once("zero-sum", lambda: _declares_zero_sum(subject)):
        return
    paid = dict.fromkeys(seats(play.env), 0.0)
    while not play.over:
        yield
        _receive(play, paid, after=False)
        yield
        _receive(play, paid, after=True)
    if not np.all(np.abs(total := sum(paid.values())) <= TOLERANCE):
        raise Failed(f"{play.where}: payoffs {paid} sum to {as_text(total)}, not to 0")


def _receive(play: Play, paid: dict[Any, float], after: bool) -> None:
    """Adds the rewards that a learner receives: in AEC before a step, from last(); in Parallel after it."""
    if isinstance(play, AECPlay) and not after:
        paid[play.env.agent_selection] += play.cumulative_reward()
    if isinstance(play, ParallelPlay) and after:
        for agent, reward in play.rewards().items():
            paid[agent] += reward


def totals(play: Play) -> dict[Any, float]:
    """Each agent's total reward up to the end, as a learner receives it."""
    paid = dict.fromkeys(seats(play.env), 0.0)
    while not play.over:
        _receive(play, paid, after=False)
        play.step_to_end()
        _receive(play, paid, after=True)
    return paid


def equilibrium_earns_its_value(subject: Subject) -> None:
    """Equilibrium play earns the value of the game and, in either seat, at least as much against uniform play.

    Both hold, within 4 standard errors, if environment and solver agree on rewards, observations, masks and chance. The
    solver comes from the entry-point group `cardwar_envs.oracles`.

    Example: Observations swap the two hands, so an equilibrium policy sees the wrong state.
    Fix: Derive rewards, observations and masks from the same rules that the solver uses.
    """
    game = subject.game()
    if game is None:
        raise NotApplicable("there are no rules to solve: only games of cardwar_envs have an oracle")
    for env in (api.make() for api in subject.apis()):
        if any(env.observation_space(agent) != env.unwrapped.observation_space(agent) for agent in seats(env)):
            raise NotApplicable("a wrapper changes the observations, and the oracle's policies read the game's own")
    value, policy = _solution(subject, game)
    uniform, known = _Uniform(), dict[Any, Any]()
    for api in subject.apis():
        for line_up, least in (((policy, policy), None), ((policy, uniform), value), ((uniform, policy), -value)):
            seat = 1 if line_up[0] is uniform else 0
            mean, error = _mean_payoff(api, line_up, seat, known)
            margin = STANDARD_ERRORS * error + TOLERANCE
            if least is None and not abs(mean - value) <= margin:
                raise Failed(f"{api.kind}: equilibrium play earns {mean:.4f} +- {error:.4f}, the value is {value:.4f}")
            if least is not None and not mean >= least - margin:
                raise Failed(
                    f"{api.kind}: equilibrium play of player_{seat} earns {mean:.4f} +- {error:.4f} against "
                    f"uniform play, less than the {least:.4f} that it guarantees"
                )


def _solution(subject: Subject, game: Any) -> tuple[float, Any]:
    for oracle in entry_points(group=ORACLES):
        try:
            solution = oracle.load()(game, max_states=MAX_STATES)
        except ValueError as reason:
            raise NotApplicable(f"no oracle: {reason}") from None
        value = finite(solution.value if subject.value is None else subject.value, "the value of the game")
        return value, solution.policy
    raise NotApplicable(f"no oracle is installed (entry points {ORACLES})")


class _Uniform:
    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        return action_masks / action_masks.sum(axis=1, keepdims=True)


def _mean_payoff(api: Api[Play], line_up: tuple[Any, ...], seat: int, known: dict[Any, Any]) -> tuple[float, float]:
    """Mean and standard error of a seat's payoff; `known` caches the policies' probabilities."""
    play, rng, earned = api.new(), np.random.default_rng(11), []
    for number in range(GAMES):
        play.reset(None if number else 1)
        play.chooser = _Seated(play, line_up, rng, known)  # type: ignore[assignment]  # duck-typed
        earned.append(totals(play)[play.env.possible_agents[seat]])
    return float(np.mean(earned)), float(np.std(earned, ddof=1) / math.sqrt(GAMES))


class _Seated:
    """Draws actions from the policies of all seats."""

    def __init__(self, play: Play, line_up: tuple[Any, ...], rng: np.random.Generator, known: dict[Any, Any]) -> None:
        self._play, self._line_up, self._rng, self._known = play, line_up, rng, known

    def choose(self, agent: Any, space: Any, mask: Any) -> int:
        seat = self._play.env.possible_agents.index(agent)
        seen = self._play.told(agent)[0]["observation"]
        key = id(self._line_up[seat]), seen.tobytes(), mask.tobytes()
        if key not in self._known:
            answer = self._line_up[seat].action_probabilities(seen[None], mask[None])[0]
            self._known[key] = np.cumsum(answer)
        cumulative = self._known[key]
        return int(np.searchsorted(cumulative, self._rng.random() * cumulative[-1], side="right"))
