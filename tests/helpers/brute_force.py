"""Ground truth by plain recursion, to hold the library against.

`DuelTruth` is written from the papers alone and shares no code with the library. The other
functions take the rules of a `Game` as given and check what oracles make of them.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from scipy.optimize import linprog


def minimax(matrix):
    """Value of a matrix game to the row player, by one linear program."""
    matrix = np.asarray(matrix, dtype=float)
    rows, columns = matrix.shape
    if rows == 1:
        return float(matrix.min())
    if columns == 1:
        return float(matrix.max())
    outcome = linprog(
        [0.0] * rows + [-1.0],
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert outcome.status == 0, outcome.message
    return float(-outcome.fun)


def card_odds(first, second):
    """The higher card wins for certain."""
    return [(1.0, (first > second) - (first < second))]


def dice_odds(sides):
    """Odds of one battle by listing every roll of every die."""
    table = {}

    def odds(first, second):
        if (first, second) not in table:
            faces = range(1, sides + 1)
            counts = Counter(
                (sum(roll[:first]) > sum(roll[first:])) - (sum(roll[:first]) < sum(roll[first:]))
                for roll in product(faces, repeat=first + second)
            )
            total = sides ** (first + second)
            table[first, second] = [(ways / total, winner) for winner, ways in counts.items()]
        return table[first, second]

    return odds


class DuelTruth:
    """The value to go of a duel by recursion over (hands, score, ties); no symmetry is used."""

    def __init__(self, *, carry, win, odds=card_odds):
        self.carry, self.win, self.odds = carry, win, odds
        self.values = {}

    def value(self, first, second, score=0, ties=0):
        if not first:
            return float(np.sign(score)) if self.win else 0.0
        key = (first, second, score, ties)
        if key not in self.values:
            self.values[key] = minimax([[self._trick(key, a, b) for b in second] for a in first])
        return self.values[key]

    def matrix(self, first, second, score=0, ties=0):
        return [[self._trick((first, second, score, ties), a, b) for b in second] for a in first]

    def _trick(self, key, a, b):
        first, second, score, ties = key
        rest_0, rest_1 = without(first, a), without(second, b)
        worth = 0.0
        for probability, winner in self.odds(a, b):
            points = winner * (ties + 1)
            carried = ties + 1 if self.carry and winner == 0 else 0
            paid = 0 if self.win else points
            worth += probability * (paid + self.value(rest_0, rest_1, score + points, carried))
        return worth


def without(hand, card):
    """The hand, ascending, less one card."""
    left = list(hand)
    left.remove(card)
    return tuple(left)


def sub_hands(hand, size):
    """All distinct hands of `size` cards that can be left of `hand`."""
    return sorted(set(combinations(sorted(hand), size)))


# -- any game, by its rules --------------------------------------------------------------------


def joint_actions(game, state):
    """Every joint action at a state, as player -> action; none where the game is over."""
    acting = game.acting_players(state)
    if not acting:
        return
    for choice in product(*(game.legal_actions(state, player) for player in acting)):
        yield dict(zip(acting, choice, strict=True))


def reachable(game, limit=30_000):
    """Every state that can come up, the final ones included, in the order of a depth-first search."""
    seen, stack = {}, [start.state for start in game.initial()]
    while stack:
        state = stack.pop()
        if state in seen:
            continue
        seen[state] = None
        assert len(seen) <= limit, f"{game} is too large for a full-tree test: give it small parameters"
        stack.extend(t.state for a in joint_actions(game, state) for t in game.transitions(state, a))
    return list(seen)


class Values:
    """Minimax values to go of a two-player zero-sum game with a public state, without `canonical` or `settled`."""

    def __init__(self, game, value_of_matrix=minimax):
        self.game, self.memo, self.value_of_matrix = game, {}, value_of_matrix

    def at_the_start(self):
        return sum(float(s.probability) * (s.rewards[0] + self.value(s.state)) for s in self.game.initial())

    def value(self, state):
        acting = self.game.acting_players(state)
        if not acting:
            return 0.0
        if state not in self.memo:
            choices = [[{p: a} for a in self.game.legal_actions(state, p)] if p in acting else [{}] for p in (0, 1)]
            matrix = [[self.worth(state, {**row, **column}) for column in choices[1]] for row in choices[0]]
            self.memo[state] = self.value_of_matrix(matrix)
        return self.memo[state]

    def worth(self, state, actions):
        return sum(
            float(t.probability) * (t.rewards[0] + self.value(t.state)) for t in self.game.transitions(state, actions)
        )


def can_be(game, state):
    """Whether the game's check lets a state pass."""
    try:
        game.check(state)
    except ValueError:
        return False
    return True


def final_payoffs(game):
    """State -> the set of what can still be paid to the players from there on, over every course of play."""
    memo = {}

    def to_go(state):
        if not game.acting_players(state):
            return {(0.0,) * game.facts.num_players}
        if state not in memo:
            memo[state] = {
                tuple(r + p for r, p in zip(t.rewards, paid, strict=True))
                for a in joint_actions(game, state)
                for t in game.transitions(state, a)
                for paid in to_go(t.state)
            }
        return memo[state]

    return to_go


def seen(game, states, player):
    """What a player sees at some states, and may do there: the two arguments of `action_probabilities`."""
    observations = np.stack([game.observation(state, player) for state in states])
    return observations, np.stack([game.action_mask(state, player) for state in states])


def asked(game, policy, state, player):
    """A policy's probabilities at one state."""
    return policy.action_probabilities(*seen(game, [state], player))[0]


def best_response_value(game, policies, player):
    """What the best response of a player to the others' policies gets, for public state: the best action, each time."""
    memo = {}

    def value(state):
        acting = game.acting_players(state)
        if not acting:
            return 0.0
        if state not in memo:
            others = {p: asked(game, policies[p], state, p) for p in acting if p != player}
            worth = defaultdict(float)
            for actions in joint_actions(game, state):
                chance = float(np.prod([others[p][actions[p]] for p in others]))
                outcomes = game.transitions(state, actions) if chance else ()
                to_go = sum(float(t.probability) * (t.rewards[player] + value(t.state)) for t in outcomes)
                worth[actions.get(player)] += chance * to_go
            memo[state] = max(worth.values())
        return memo[state]

    return sum(float(s.probability) * (s.rewards[player] + value(s.state)) for s in game.initial())


def assert_optimal(game, state, matrix, strategies, value, tolerance=1e-9):
    """Both strategies are distributions over legal actions, and guarantee the value in the matrix of legal actions."""
    mixes = [np.ones(1)] * 2
    for player, strategy in enumerate(strategies):
        assert strategy.shape == (game.facts.num_actions,)
        legal = list(game.legal_actions(state, player)) if player in game.acting_players(state) else []
        assert not np.delete(strategy, legal).any()
        if legal:
            mixes[player] = strategy[legal]
            assert strategy.sum() == pytest.approx(1.0, abs=1e-12)
    assert (mixes[0] @ matrix).min() == pytest.approx(value, abs=tolerance)
    assert (matrix @ mixes[1]).max() == pytest.approx(value, abs=tolerance)


def outcome_distribution(game, policies):
    """Whole-game payoffs -> probability, by following every course of play."""
    result, mixes = defaultdict(float), {}
    reached = defaultdict(float)
    for start in game.initial():
        reached[start.state, start.rewards] += float(start.probability)
    while reached:
        after = defaultdict(float)
        for (state, paid), chance in reached.items():
            acting = game.acting_players(state)
            if not acting:
                result[paid] += chance
                continue
            if state not in mixes:
                mixes[state] = {p: asked(game, policies[p], state, p) for p in acting}
            for actions in joint_actions(game, state):
                chosen = chance * float(np.prod([mixes[state][p][a] for p, a in actions.items()]))
                for t in game.transitions(state, actions) if chosen > 0.0 else ():
                    rewards = tuple(x + y for x, y in zip(paid, t.rewards, strict=True))
                    after[t.state, rewards] += chosen * float(t.probability)
        reached = after
    return dict(result)


def mean_payoff(game, policies, player):
    """Expected payoff of one player, from `outcome_distribution`."""
    return sum(p * paid[player] for paid, p in outcome_distribution(game, policies).items())


class Pure:
    """Plays one action at each observation, given as its bytes."""

    def __init__(self, actions):
        self.actions = actions

    def action_probabilities(self, observations, action_masks):
        return np.eye(action_masks.shape[1])[[self.actions[row.tobytes()] for row in observations]]


def choices_seen(game, player):
    """A player's legal actions, by the bytes of its observations."""
    acting = [state for state in reachable(game) if player in game.acting_players(state)]
    return {game.observation(state, player).tobytes(): game.legal_actions(state, player) for state in acting}


def pure_strategies(game, player):
    """Every pure strategy of one player."""
    legal = choices_seen(game, player)
    return [Pure(dict(zip(legal, choice, strict=True))) for choice in product(*legal.values())]


def has_few_strategies(game):
    """Whether every pure strategy can be worked out, where states are hidden."""
    return game.facts.public_state or prod(map(len, choices_seen(game, 0).values())) < 1_000


def best_of_all(game, policies, player):
    """The most that any pure strategy of `player` gets, by working every one of them out."""
    return max(
        mean_payoff(game, [pure if seat == player else each for seat, each in enumerate(policies)], player)
        for pure in pure_strategies(game, player)
    )


def true_value(game, value_of_matrix=minimax):
    """The value at the start of a two-player zero-sum game, by rules alone; by pure strategies if states are hidden."""
    if game.facts.public_state:
        return Values(game, value_of_matrix).at_the_start()
    rows, columns = pure_strategies(game, 0), pure_strategies(game, 1)
    return value_of_matrix([[mean_payoff(game, (row, column), 0) for column in columns] for row in rows])


def true_response(game, policies, player):
    """What the best response of one player gets, by rules alone."""
    by_rules = best_response_value if game.facts.public_state else best_of_all
    return by_rules(game, policies, player)


def interleaving_word(first, second):
    """The two hands as a word of A, B and ties, each rank that both hold being a letter of its own."""
    letters = []
    for rank in sorted({*first, *second}):
        a, b = first.count(rank), second.count(rank)
        letters.append((a, b) if a and b else "A" * a + "B" * b)
    word = []
    for letter in letters:  # runs of one player's cards become single letters, however they were split
        word.extend(letter if isinstance(letter, str) else [letter])
    return tuple(map(str, word))


def undecided_words(hand):
    """Reachable, undecided (word, score, ties) of Jujitsu from two equal hands, by a search over words."""
    start = (tuple(hand), tuple(hand), 0, 0)
    seen, stack = {}, [start]
    while stack:
        first, second, score, ties = stack.pop()
        key = (interleaving_word(first, second), score, ties)
        if not first or abs(score) > len(first) + ties or key in seen:
            continue
        seen[key] = (interleaving_word(second, first), -score, ties)
        for a, b in product(set(first), set(second)):
            winner = (a > b) - (a < b)
            points = winner * (ties + 1)
            stack.append((without(first, a), without(second, b), score + points, 0 if winner else ties + 1))
    return seen


def certain(distribution):
    """A sum of `Fraction`s that must be one."""
    return sum(distribution, Fraction(0)) == 1
