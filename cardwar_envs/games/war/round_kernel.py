"""A round of WAR, compiled, for states stored as rows of numbers.

A row is player 0's observation: for each rank, the cards in each player's hand and wins pile and in the pot; then flags
for the players at war and in the game; then the rounds left.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit

# Phases of a game.
OVER, ROUND, WAR = 0, 1, 2


@njit()
def cards_in(row, pile, ranks):  # type: ignore[no-untyped-def]  # compiled
    """Returns the number of cards in the pile that begins at index `pile` of the row."""
    cards = 0.0
    for i in range(ranks):
        cards += row[pile + i]
    return cards


@njit()
def _move(row, source, target, ranks):  # type: ignore[no-untyped-def]
    for i in range(ranks):
        row[target + i] += row[source + i]
        row[source + i] = 0.0


@njit()
def flags_at(players, ranks):  # type: ignore[no-untyped-def]
    """Returns the indices of the flags for players at war, and for players in the game."""
    at_war = (2 * players + 1) * ranks
    return at_war, at_war + players


@njit()
def phase_of(row, players, ranks):  # type: ignore[no-untyped-def]
    """Returns the phase of the game: `OVER`, `ROUND` or `WAR`."""
    at_war, live = flags_at(players, ranks)
    left, player = 0, 0
    while left < 2 and player < players:
        left += row[live + player] > 0.0
        player += 1
    if left < 2 or row[live + players] == 0.0:
        return OVER
    for player in range(players):
        if row[at_war + player] > 0.0:
            return WAR
    return ROUND


@njit(inline="always")
def can_act(row, player, phase, players, ranks, discards):  # type: ignore[no-untyped-def]
    """Returns whether a player chooses now."""
    at_war, live = flags_at(players, ranks)
    if phase == WAR:
        return row[at_war + player] > 0.0 and cards_in(row, 2 * ranks * player, ranks) > discards
    return phase == ROUND and row[live + player] > 0.0


@njit()
def _put_down(row, hand, pot, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Moves the cards of a play to the pot; returns the rank of the battle card."""
    battle = action
    if action >= ranks:
        chosen, battle = sets[action // ranks - 1], action % ranks
        for k in range(len(chosen)):
            row[hand + chosen[k]] -= 1.0
            row[pot + chosen[k]] += 1.0
    row[hand + battle] -= 1.0
    row[pot + battle] += 1.0
    return battle


@njit()
def _battle(row, actions, phase, sets, ranks):  # type: ignore[no-untyped-def]
    """Puts down all plays and marks the players with the highest card as at war; returns their number and the last.

    While cards are put down, the flag of a player at war holds its battle card: 1 for the lowest.
    """
    players, pot, highest = len(actions), 2 * ranks * len(actions), 1.0
    at_war, _ = flags_at(players, ranks)
    for player in range(players):
        hand = 2 * ranks * player
        fights = can_act(row, player, phase, players, ranks, sets.shape[1])
        if fights:
            row[at_war + player] = 1 + _put_down(row, hand, pot, actions[player], sets, ranks)
            highest = max(highest, row[at_war + player])
        elif row[at_war + player] > 0.0:
            _move(row, hand, pot, ranks)
            row[at_war + player] = 0.0
    tied, last = 0, -1
    for player in range(players):
        best = row[at_war + player] == highest
        row[at_war + player] = best
        tied += best
        last = player if best else last
    return tied, last


@njit()
def play_one(row, actions, phase, sets, ranks, rewards):  # type: ignore[no-untyped-def]
    """Plays a round until it ends or a war begins, or plays a war; writes the payments and returns the phase."""
    players, pot = len(actions), 2 * ranks * len(actions)
    at_war, _ = flags_at(players, ranks)
    tied, last = _battle(row, actions, phase, sets, ranks)
    for player in range(players):
        rewards[player] = 0.0
    if tied == 1:
        _move(row, pot, 2 * ranks * last + ranks, ranks)
    else:
        for player in range(players):
            if can_act(row, player, WAR, players, ranks, sets.shape[1]):
                return WAR
        for player in range(players):
            if row[at_war + player] > 0.0:
                _move(row, 2 * ranks * player, pot, ranks)
    return _end_round(row, players, ranks, rewards)


@njit()
def _end_round(row, players, ranks, rewards):  # type: ignore[no-untyped-def]
    at_war, live = flags_at(players, ranks)
    before = after = 0
    for player in range(players):
        row[at_war + player] = 0.0
        if row[live + player] > 0.0:
            before += 1
            hand = 2 * ranks * player
            cards = cards_in(row, hand, ranks)
            if cards == 0.0:
                _move(row, hand + ranks, hand, ranks)
                cards = cards_in(row, hand, ranks)
            if cards > 0.0:
                after += 1
            else:
                row[live + player] = 0.0
                rewards[player] = -1.0 / (players - 1)
    row[live + players] -= 1.0
    if after > 1 and row[live + players] > 0.0:
        return ROUND
    # The players left, or the last players if they go out together, share the payments.
    sharing = after if after > 0 else before
    for player in range(players):
        if row[live + player] > 0.0 or (after == 0 and rewards[player] < 0.0):
            rewards[player] = (players - sharing) / (players - 1) / sharing
    return OVER
