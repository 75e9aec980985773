"""The rules of a listed game as kernels on tables; `CompiledRules` documents each function.

A row is the number of a state. `tables` are
    places: `[states, num_actions, num_actions]`, the first outcome of each joint action;
    probabilities: `[outcomes]`, of an outcome of a joint action; these follow each other;
    children: `[outcomes]`, the state that follows, or -1 at the end;
    payments: `[outcomes]`, payoff points to player 0;
    shares: `[states, 2, num_actions]`, the probabilities of uniform play; they are 0 for a player who does not act;
    observations, masks: `[states, 2, ...]`, what the players see.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw

# Of `play`, `uniform` and `observe`; see `compiled.bound`.
ALLOCATES_NOTHING = True


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]  # compiled
    places, probabilities, children, payments = tables[0], tables[1], tables[2], tables[3]
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if not where[g]:
            continue
        outcome = places[int(rows[g, 0]), actions[g, 0], actions[g, 1]]
        if probabilities[outcome] < 1.0:
            drawn = draw(streams, g)
            passed = probabilities[outcome]
            # The second condition counts: sums of probabilities may round to less than 1.
            while drawn >= passed and passed < 1.0 - 1e-9:
                outcome += 1
                passed += probabilities[outcome]
        rewards[g, 0], rewards[g, 1] = payments[outcome], 0.0 - payments[outcome]
        over[g] = children[outcome] < 0
        rows[g, 0] = children[outcome]


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    shares = tables[4]
    for g in range(len(rows)):
        actions[g] = 0
        if not where[g]:
            continue
        share = shares[int(rows[g, 0]), player]
        place, action = draw(streams, g), 0
        while action < len(share) - 1 and place >= share[action]:
            place -= share[action]
            action += 1
        actions[g] = action if share[action] > 0.0 else _last(share)


@njit(inline="always")
def _last(share):  # type: ignore[no-untyped-def]
    """Returns the last action with a share; 0 if there is none."""
    last = 0
    for action in range(len(share)):
        last = action if share[action] > 0.0 else last
    return last


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        state = int(rows[g, 0])
        for k in range(observations.shape[1]):  # entry by entry, because assigning arrays would allocate memory
            for i in range(observations.shape[2]):
                observations[g, k, i] = tables[5][state, first + k, i]
            for i in range(masks.shape[2]):
                masks[g, k, i] = tables[6][state, first + k, i]
