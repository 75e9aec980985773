"""Figures from an agent's answers: exact from probabilities, bounds from moves, and costs of moves in games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import baselines
from baselines.matches.intervals import Interval, mean_interval
from cardwar_envs import Game
from cardwar_envs.core.play import draw_action, random_state, sample_transition
from cardwar_play.interview import Answered, Interviewer
from cardwar_play.judge import Judge
from train.policies.table_files import Key, View

# If games from this many random starts reach no decision, the game is assumed to have none.
MOST_STARTS = 1000
Advance = Callable[[int], None]


def exact_from_mixes(
    agent: Interviewer, states: Mapping[Key, View], advance: Advance, prefix: str = ""
) -> baselines.NashConv:
    """Computes the NashConv of the policy that the agent states, with probabilities at every information state.

    Keys of the queries begin with `prefix`.
    """
    mixes = {}
    for number, (key, view) in enumerate(states.items()):
        mixes[key] = agent.mix(f"{prefix}mix {number}", view, "mix")
        advance(number + 1)
    return baselines.nash_conv(agent.form.game, Answered(mixes))


def intervals_of(game: Game[Any], judge: Judge, samples: NDArray[np.float64]) -> dict[str, Interval]:
    """Returns 99 % intervals, valid for any number of samples, around the means of costs, in payoff points.

    The payoffs that can follow a state differ by at most the range of the game's payoffs, and so does the cost of one
    decision.

    Args:
        game: The rules.
        judge: The equilibrium.
        samples: What `costs_at_states` (`[samples]`) or `costs_in_games` (`[games, 2]`) yields.
    """
    facts, value = game.facts, max(abs(float(judge.value(seat))) for seat in (0, 1))
    most = facts.max_payoff - facts.min_payoff
    if samples.ndim == 1:
        return {"cost_per_decision": mean_interval(samples, 0.0, most)}
    costs, losses = samples.T
    return {
        "cost_per_game": mean_interval(costs, 0.0, most * facts.max_length),
        "loss_per_game": mean_interval(losses, -value - facts.max_payoff, value - facts.min_payoff),  # in either seat
    }


def bounds_from_moves(
    agent: Interviewer, states: Mapping[Key, View], repeats: int, seed: int, advance: Advance
) -> tuple[float, Interval]:
    """Queries an agent for `repeats` moves at every information state of a two-player zero-sum game.

    Returns:
        The exploitability of the move frequencies, in payoff points: exact for them, and on average larger than the
        agent's, because a best response to them also exploits sampling noise. And the payoff, against the rest of the
        moves, of best responses to the first quarter: the low end of the interval is a lower bound on the agent's
        exploitability, if the answers are independent and no game visits an information state twice. It makes no
        distributional assumption, so it needs a few hundred moves.
    """
    game, rng = agent.form.game, np.random.default_rng(seed)
    moves: list[dict[Key, NDArray[np.float64]]] = [{} for _ in range(repeats)]
    for number, (key, view) in enumerate(states.items()):
        for repeat, policy in enumerate(moves):
            mix = agent.mix(f"move {number} {repeat}", view, "any")
            policy[key] = np.eye(len(mix))[rng.choice(len(mix), p=mix)]
            advance(number * repeats + repeat + 1)

    def frequencies(of: list[dict[Key, NDArray[np.float64]]]) -> Answered:
        return Answered({key: np.mean([policy[key] for policy in of], axis=0) for key in states})

    first, rest = moves[: repeats // 4], moves[repeats // 4 :]
    responses = [baselines.best_response(game, frequencies(first), player).policy for player in (0, 1)]
    won = []
    for pure in map(Answered, rest):
        as_0 = baselines.head_to_head(game, responses[0], pure).mean
        won.append((as_0 - baselines.head_to_head(game, pure, responses[1]).mean) / 2)
    bound = mean_interval(np.array(won), game.facts.min_payoff, game.facts.max_payoff)
    return baselines.exploitability(game, frequencies(moves)), bound


def costs_at_states(agent: Interviewer, judge: Judge, samples: int, seed: int) -> Iterator[float]:
    """Yields expected costs of the agent's strategy at states that random play reaches, in payoff points."""
    game = agent.form.game
    for number in range(samples):
        rng = np.random.default_rng([seed, number])
        for _ in range(MOST_STARTS):
            state = random_state(game, rng)
            player = int(rng.choice(game.acting_players(state)))
            if _matters(game, state, player):
                break
        else:
            raise ValueError(
                f"{game.facts.name}: random play reached {MOST_STARTS:,} states, none with a choice that matters"
            )
        view = game.observation(state, player), game.action_mask(state, player)
        yield _cost(judge, state, player, agent.mix(f"sample {number}", view, "mix"))


def costs_in_games(agent: Interviewer, judge: Judge, games: int, seed: int) -> Iterator[tuple[float, float]]:
    """Plays games against the equilibrium of a two-player zero-sum game, with the agent in both seats in turn.

    Yields:
        For each game, the total cost of the agent's moves, and the game's value minus the agent's payoff, in payoff
        points. Both have the same expectation, but the second has a higher variance.
    """
    for number in range(games):
        yield _game(agent, judge, number, np.random.default_rng([seed, number]))


def _game(agent: Interviewer, judge: Judge, number: int, rng: np.random.Generator) -> tuple[float, float]:
    game, seat = agent.form.game, number % 2
    _, state, rewards = sample_transition(game.initial(), rng)
    cost, paid, moves = 0.0, rewards[seat], 0
    while acting := game.acting_players(state):
        actions = {}
        for player in acting:
            if player != seat:
                actions[player] = draw_action(game, state, player, judge.solution.policy, rng)
                continue
            if not _matters(game, state, player):
                actions[player] = game.legal_actions(state, player)[0]
                continue
            view = game.observation(state, player), game.action_mask(state, player)
            mix = agent.mix(f"game {number} move {moves}", view, "any")
            moves += 1
            cost += _cost(judge, state, player, mix)
            actions[player] = int(rng.choice(len(mix), p=mix))
        _, state, rewards = sample_transition(game.transitions(state, actions), rng)
        paid += rewards[seat]
    return cost, float(judge.value(seat)) - paid


def _matters(game: Game[Any], state: Any, player: int) -> bool:
    """Whether the player has a choice; otherwise the agent is not queried."""
    return len(game.legal_actions(state, player)) > 1 and game.settled(state) is None


def _cost(judge: Judge, state: Any, player: int, mix: NDArray[np.float64]) -> float:
    costs = judge.verdict(state, player, int(mix.argmax())).costs
    return float(sum(mix[action] * cost for action, cost in costs.items()))
