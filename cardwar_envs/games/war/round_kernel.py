"""A round of WAR, compiled, for states stored as rows of numbers.

A row is player 0's observation: for each rank, the cards in each player's hand and wins pile and in the pot; then flags
for the players at war and in the game; then the rounds left.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit

# Phases of a game.
OVER, ROUND, WAR = 0, 1, 2


# Functions take all rows and the index of one: to pass slices on costs more than the rest of a round.


@njit(inline="always")
def cards_in(rows, g, pile, ranks):  # type: ignore[no-untyped-def]  # compiled
    """Returns the number of cards in the pile that begins at index `pile` of a row."""
    cards, held = 0, rows[g, pile : pile + ranks]
    for i in range(ranks):  # sums of integers are vectorised
        cards += int(held[i])
    return cards


@njit(inline="always")
def _move(rows, g, source, target, ranks):  # type: ignore[no-untyped-def]
    # Slices, because indices that may be negative cannot be vectorised.
    moved, pile = rows[g, source : source + ranks], rows[g, target : target + ranks]
    for i in range(ranks):
        pile[i] += moved[i]
    for i in range(ranks):
        moved[i] = 0.0


@njit()
def flags_at(players, ranks):  # type: ignore[no-untyped-def]
    """Returns the indices of the flags for players at war, and for players in the game."""
    at_war = (2 * players + 1) * ranks
    return at_war, at_war + players


@njit(inline="always")
def phase_of(rows, g, players, ranks):  # type: ignore[no-untyped-def]
    """Returns the phase of the game: `OVER`, `ROUND` or `WAR`."""
    at_war, live = flags_at(players, ranks)
    left = war = 0
    for player in range(players):
        left += rows[g, live + player] > 0.0
        war += rows[g, at_war + player] > 0.0
    if left < 2 or rows[g, live + players] == 0.0:
        return OVER
    return WAR if war > 0 else ROUND


@njit(inline="always")
def can_act(rows, g, player, phase, players, ranks, discards):  # type: ignore[no-untyped-def]
    """Returns whether a player chooses now."""
    at_war, live = flags_at(players, ranks)
    if phase == WAR:
        return rows[g, at_war + player] > 0.0 and cards_in(rows, g, 2 * ranks * player, ranks) > discards
    return phase == ROUND and rows[g, live + player] > 0.0


@njit(inline="always")
def _put_down(rows, g, hand, pot, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Moves the cards of a play to the pot; returns the rank of the battle card."""
    battle = action
    if action >= ranks:
        battle = action % ranks
        for k in range(sets.shape[1]):
            card = sets[action // ranks - 1, k]
            rows[g, hand + card] -= 1.0
            rows[g, pot + card] += 1.0
    rows[g, hand + battle] -= 1.0
    rows[g, pot + battle] += 1.0
    return battle


@njit()
def _battle(rows, g, actions, phase, sets, ranks):  # type: ignore[no-untyped-def]
    """Puts down all plays and marks the players with the highest card as at war; returns their number and the last.

    While cards are put down, the flag of a player at war holds its battle card: 1 for the lowest.
    """
    players, highest = actions.shape[1], 1.0
    pot, (at_war, _) = 2 * ranks * players, flags_at(players, ranks)
    for player in range(players):
        hand = 2 * ranks * player
        fights = can_act(rows, g, player, phase, players, ranks, sets.shape[1])
        if fights:
            rows[g, at_war + player] = 1 + _put_down(rows, g, hand, pot, actions[g, player], sets, ranks)
            highest = max(highest, rows[g, at_war + player])
        elif rows[g, at_war + player] > 0.0:
            _move(rows, g, hand, pot, ranks)
            rows[g, at_war + player] = 0.0
    tied, last = 0, -1
    for player in range(players):
        best = rows[g, at_war + player] == highest
        rows[g, at_war + player] = best
        tied += best
        last = player if best else last
    return tied, last


@njit(inline="always")
def _winner(rows, g, actions, ranks):  # type: ignore[no-untyped-def]
    """Returns the player with the highest card of a round; -1 if several players have it."""
    players, highest, winner = actions.shape[1], -1, -1
    _, live = flags_at(players, ranks)
    for player in range(players):
        if rows[g, live + player] > 0.0:
            card = actions[g, player]
            winner = player if card > highest else -1 if card == highest else winner
            highest = max(highest, card)
    return winner


@njit(inline="always")
def _win(rows, g, actions, winner, ranks):  # type: ignore[no-untyped-def]
    """Gives the cards of a round and the pot to the winner."""
    players, wins = actions.shape[1], 2 * ranks * winner + ranks
    _, live = flags_at(players, ranks)
    _move(rows, g, 2 * ranks * players, wins, ranks)
    for player in range(players):
        if rows[g, live + player] > 0.0:
            rows[g, 2 * ranks * player + actions[g, player]] -= 1.0
            rows[g, wins + actions[g, player]] += 1.0


@njit(inline="always")
def _end_round(rows, g, players, ranks, rewards):  # type: ignore[no-untyped-def]
    _, live = flags_at(players, ranks)
    before = after = 0
    for player in range(players):
        if rows[g, live + player] > 0.0:
            before += 1
            hand = 2 * ranks * player
            cards = cards_in(rows, g, hand, ranks)
            if cards == 0:
                _move(rows, g, hand + ranks, hand, ranks)
                cards = cards_in(rows, g, hand, ranks)
            if cards > 0:
                after += 1
            else:
                rows[g, live + player] = 0.0
                rewards[g, player] = -1.0 / (players - 1)
    rows[g, live + players] -= 1.0
    if after > 1 and rows[g, live + players] > 0.0:
        return ROUND
    # The players left, or the last players if they go out together, share the payments.
    sharing = after if after > 0 else before
    for player in range(players):
        if rows[g, live + player] > 0.0 or (after == 0 and rewards[g, player] < 0.0):
            rewards[g, player] = (players - sharing) / (players - 1) / sharing
    return OVER


@njit()
def play_one(rows, g, actions, phase, sets, ranks, rewards):  # type: ignore[no-untyped-def]
    """Plays a round until it ends or a war begins, or plays a war; writes the payments and returns the phase."""
    players = actions.shape[1]
    pot, (at_war, _) = 2 * ranks * players, flags_at(players, ranks)
    for player in range(players):
        rewards[g, player] = 0.0
    winner = _winner(rows, g, actions, ranks) if phase == ROUND else -1
    if winner >= 0:  # the usual case, in which nobody is ever at war
        _win(rows, g, actions, winner, ranks)
        return _end_round(rows, g, players, ranks, rewards)
    tied, last = _battle(rows, g, actions, phase, sets, ranks)
    if tied == 1:
        _move(rows, g, pot, 2 * ranks * last + ranks, ranks)
    else:
        for player in range(players):
            if can_act(rows, g, player, WAR, players, ranks, sets.shape[1]):
                return WAR
        for player in range(players):
            if rows[g, at_war + player] > 0.0:
                _move(rows, g, 2 * ranks * player, pot, ranks)
    for player in range(players):
        rows[g, at_war + player] = 0.0
    return _end_round(rows, g, players, ranks, rewards)
