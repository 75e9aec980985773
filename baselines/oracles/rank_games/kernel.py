"""Compiled code for `layers.py`: the layout of a layer, and its matrix games.

`Letters` (see `interleavings.py`), `LayerRules`, `ValueLayer` and `Work` (see `engine.py`) are tuples of numbers and
arrays; `word` is a packed interleaving.
"""

from __future__ import annotations

import numpy as np

from baselines.matrix_game.lockstep_kernel import lockstep  # noqa: F401  # for `engine.py`
from baselines.oracles.rank_games.games_kernel import bound_waiting, enqueue, fill, inlined
from baselines.oracles.rank_games.interleavings_kernel import (
    first_half,
    follows,
    letter_at,
    mirrored,
    number_of,
    spell,
    without,
    word_at,
)
from cardwar_envs.core.compiled import njit

NO_ROW = -(2**31)
GAMES, FAILED = 0, 1  # indices of `counts`


# -- layout -------------------------------------------------------------------------------


@njit()
def _features(word, letters):  # type: ignore[no-untyped-def]
    """Returns four counts: letters, pairs of cards that could tie, As matched with a later B, Bs with a later A."""
    size, pairs, won, lost, open_a, open_b = 0, 0, 0, 0, 0, 0
    # Sums instead of branches, because a processor cannot predict letters. Letter 0 counts nothing.
    for place in range(letters.length):
        letter = letter_at(word, place, letters)
        a, b = letter == 1, letter == 2
        beaten, beating = a & (open_b > 0), b & (open_a > 0)
        lost, won = lost + beaten, won + beating
        open_a, open_b = open_a + a - beating, open_b + b - beaten
        size += letter != 0
        pairs += min(letters.cards[0, letter], letters.cards[1, letter])
    return size, pairs, won, lost


@njit()
def _last_row(features, cards_left, rules):  # type: ignore[no-untyped-def]
    size, pairs, _, _ = features
    if not rules.carry:
        return 0
    if rules.full_deck:
        return rules.cards - size
    return rules.ties + min(rules.cards - cards_left, rules.pairs - pairs)


@njit()
def _scores(features, cards_left, t, rules):  # type: ignore[no-untyped-def]
    """Returns the lowest and highest undecided score with t carried ties; highest < lowest if there is none.

    From two full decks exactly these scores are reachable. Of the `g` ranks that both hands have lost, `t` have just
    tied. In the other tricks each player played `g - t` cards of such ranks, and `a` cards of ranks that the opponent
    still holds. Start at one of these `a` cards of player 0, go to the card that it met, then to the other card of that
    rank, and so on, until a card of player 1 whose rank player 0 still holds. If player 0 lost no trick of this chain,
    the ranks descend. So each chain that cannot be matched downwards costs a lost trick. Lost ranks can tie, and
    carried ties go to the next winner. From other hands, only the number of tricks bounds the score.
    """
    size, pairs, won, lost = features
    if rules.full_deck:
        alone, gone = cards_left - pairs, rules.cards - size - t
        if alone > 0:
            low, high = alone - gone - 2 * lost, gone - alone + 2 * won
        elif gone == 1 and rules.carry:
            low, high = 1, 0
        else:  # ranks that only met each other: at least one trick was lost
            high = max(gone - 2, 0)
            low = -high
    else:
        high = abs(rules.score) + rules.cards - cards_left + rules.ties - t
        low = -high
    if not rules.win:
        return 0, (0 if low <= high else -1)
    bound = cards_left + t
    if high > bound:
        high = bound - ((high - bound) % rules.step)
    if low < -bound:
        low = -bound + ((-bound - low) % rules.step)
    return low, high


@njit()
def _least(low, high, own_mirror, rules):  # type: ignore[no-untyped-def]
    """Returns the lowest score to solve for: an interleaving that is its own mirror image needs no negative scores."""
    return high % rules.step if own_mirror and low <= high else low


@njit()
def lay_out(first, last, rows, values, letters, rules, cards_left, offsets, row_of, base):  # type: ignore[no-untyped-def]
    """Numbers the rows and values of a layer for upper halves in [first, last), from `rows` and `values` on.

    Fills `row_of` (the first row of each interleaving; -1 minus that row if only its mirror image has rows) and `base`
    (the index of each row's value at score 0). If these arrays are empty, only counts. Returns the next row and value,
    and the number of matrix games.
    """
    writing, games = len(row_of) > 0, 0
    for upper in range(first, last):
        number = offsets[upper]
        if number == offsets[upper + 1]:
            continue
        half = first_half(upper, letters, cards_left)
        for i in range(offsets[upper + 1] - number):
            word = word_at(upper, half + i, letters)
            mirror = mirrored(word, letters)
            if mirror < word:
                continue
            if not (rules.full_deck or follows(word, letters, rules.start) or follows(mirror, letters, rules.start)):
                continue
            features = _features(word, letters)
            if writing:
                lower = letters.rank[mirror & ((1 << letters.cut) - 1)]
                row_of[offsets[mirror >> letters.cut] + lower] = -1 - rows
                row_of[number + i] = rows
            for t in range(_last_row(features, cards_left, rules) + 1):
                low, high = _scores(features, cards_left, t, rules)
                if len(base):
                    base[rows] = values - (low >> rules.shift)
                if low <= high:
                    values += ((high - low) >> rules.shift) + 1
                    games += ((high - _least(low, high, word == mirror, rules)) >> rules.shift) + 1
                rows += 1
    return rows, values, games


@njit()
def first_place(first, letters, rules, layer):  # type: ignore[no-untyped-def]
    """Returns the index in a layer's values of the first interleaving whose upper half is `first` or later."""
    for upper in range(first, len(layer.offsets) - 1):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            row = layer.row_of[number + i]
            if row >= 0:
                word = word_at(upper, half + i, letters)
                low, _ = _scores(_features(word, letters), layer.cards, 0, rules)
                return layer.base[row] + (low >> rules.shift)
    return len(layer.values)


# -- a layer ------------------------------------------------------------------------------


@njit()
def moves(word, letters, work):  # type: ignore[no-untyped-def]
    """Records the position of each distinct card of a player: one per run of that player's letters."""
    rows, columns, before = 0, 0, 0
    # Positions that do not count are overwritten, because a processor cannot predict letters.
    for place in range(letters.length):
        letter = letter_at(word, place, letters)
        work.places[0, rows], work.places[1, columns] = place, place
        distinct = (letter != before) | (letter > 2)
        rows += distinct & (letter != 2) & (letter != 0)
        columns += distinct & (letter > 1)
        before = letter
    return rows, columns


@njit()
def find_next(word, rows, columns, letters, below, work):  # type: ignore[no-untyped-def]
    """Records, for each pair of cards, the first row of the next interleaving and the kind of the trick.

    Kinds: 0 for a tie, 1 if player 0 wins, 2 if player 1 wins; plus 3 if the layer below stores the mirror image.
    """
    for j in range(columns):
        work.after[j] = without(word, work.places[1, j], 1, letters)
    cell = 0
    for i in range(rows):
        place_0 = work.places[0, i]
        after_0 = without(word, place_0, 0, letters)
        for j in range(columns):
            place_1 = work.places[1, j]
            # The later letter first: its removal does not move the other one.
            if place_0 == place_1:
                winner, after = 0, without(word, place_0, 2, letters)
            elif place_0 > place_1:
                winner, after = 1, without(after_0, place_1, 1, letters)
            else:
                winner, after = 2, without(work.after[j], place_0, 0, letters)
            row = below.row_of[number_of(after, letters, below)] if below.cards else 0
            if row < 0:
                row, winner = -1 - row, winner + 3
            work.kind[cell], work.row[cell] = winner, row
            cell += 1


@inlined
def _find_starts(cells, t, rules, below, work):  # type: ignore[no-untyped-def]
    """Records, for each pair of cards, where the values of the next row start; t ties are carried."""
    tied = t + 1 if rules.carry else 0
    for cell in range(cells if below.cards else 0):
        kind = work.kind[cell]
        work.start[cell] = below.base[work.row[cell] + tied * ((kind == 0) | (kind == 3))]


@inlined
def _find_stakes(t, score, rules, below, work):  # type: ignore[no-untyped-def]
    """Records, for each kind of trick, the payment and the place of the next value; sign 0 if the game is decided."""
    for kind in range(6):
        winner = kind % 3
        won = (t + 1) * (winner == 1) - (t + 1) * (winner == 2)
        after = score + won if rules.win else 0
        carried = t + 1 if winner == 0 and rules.carry else 0
        work.step[kind] = (-after if kind > 2 else after) >> rules.shift
        work.sign[kind] = -1.0 if kind > 2 else 1.0
        work.points[kind] = 0.0 if rules.win else float(won)
        if below.cards == 0 or (rules.win and abs(after) > below.cards + carried):
            work.sign[kind] = 0.0
            work.points[kind] += np.sign(after)


@njit()
def _settle(rows, columns, rules, layer, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves the waiting games of this size, and stores their values."""
    states = work.states[rows - 1, columns - 1]
    for lane in range(bound_waiting(rows, columns, rules.tolerance, work)):
        lower, upper = work.bounds[0, lane], work.bounds[1, lane]
        value, place, mirror, score = (lower + upper) / 2, states[lane, 3], states[lane, 4], states[lane, 2]
        layer.values[place] = value
        if mirror >= 0:
            layer.values[mirror] = -value if score else 0.0
        good = upper - lower <= rules.tolerance
        if good or counts[FAILED] >= len(failed):
            gap[0] = max(gap[0], upper - lower)
        else:
            failed[counts[FAILED]] = states[lane, :3]
        counts[GAMES] += 1
        counts[FAILED] += not good


@njit()
def _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    own_mirror = mirrored(word, letters) == word
    features = _features(word, letters)
    rows, columns = moves(word, letters, work)
    find_next(word, rows, columns, letters, below, work)
    cells = rows * columns
    for t in range(_last_row(features, layer.cards, rules) + 1):
        _find_starts(cells, t, rules, below, work)
        low, high = _scores(features, layer.cards, t, rules)
        for score in range(_least(low, high, own_mirror, rules), high + 1, rules.step):
            _find_stakes(t, score, rules, below, work)
            place = layer.base[row + t] + (score >> rules.shift)
            mirror = layer.base[row + t] + (-score >> rules.shift) if own_mirror else -1
            if enqueue(rows, columns, (word, t, score, place, mirror), below, work):
                _settle(rows, columns, rules, layer, work, failed, counts, gap)


@njit()
def solve_interleavings(first, last, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves a layer's interleavings whose upper halves are in [first, last).

    Lists games whose bounds stay too far apart in `failed`, `[most, 3]`: interleaving, carried ties, score.
    """
    for upper in range(first, last):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            row = layer.row_of[number + i]
            if row >= 0:
                word = word_at(upper, half + i, letters)
                _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap)
    for rows in range(1, layer.cards + 1):
        for columns in range(1, layer.cards + 1):
            _settle(rows, columns, rules, layer, work, failed, counts, gap)


@njit()
def matrix_at(word, t, score, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Writes the matrix game at a state into `work.matrix`; returns how many rows and columns it has."""
    rows, columns = moves(word, letters, work)
    find_next(word, rows, columns, letters, below, work)
    _find_starts(rows * columns, t, rules, below, work)
    _find_stakes(t, score, rules, below, work)
    fill(work.matrix[: rows * columns], below, work)
    return rows, columns


@njit()
def place_of(word, t, score, letters, rules, layer):  # type: ignore[no-untyped-def]
    """Returns the index of a state's value in a layer, -1 if it is not stored, and the sign of the stored value."""
    row, sign = layer.row_of[number_of(word, letters, layer)], 1
    if row == NO_ROW:
        return -1, sign
    if row < 0:
        row, sign, word, score = -1 - row, -1, mirrored(word, letters), -score
    features = _features(word, letters)
    if t > _last_row(features, layer.cards, rules):
        return -1, sign
    low, high = _scores(features, layer.cards, t, rules)
    if not low <= score <= high or (score - low) % rules.step != 0:
        return -1, sign
    return layer.base[row + t] + (score >> rules.shift), sign


@njit()
def fill_games(rows, ranks, ties, scores, letter_of, letters, rules, layer, below, work, matrices, sizes):  # type: ignore[no-untyped-def]
    """Writes the matrix games at states into `matrices`, and their shapes into `sizes`.

    `rows`: `[states, 2 * ranks]` cards of each rank. A state that is not in the layer gets the sizes 0, 0.
    """
    for i in range(len(rows)):
        sizes[i] = 0, 0
        word = spell(rows[i], ranks, letter_of, letters)
        if word < 0 or place_of(word, ties[i], scores[i], letters, rules, layer)[0] < 0:
            continue
        height, width = matrix_at(word, ties[i], scores[i], letters, rules, below, work)
        sizes[i] = height, width
        for row in range(height):
            for column in range(width):
                matrices[i, row, column] = work.matrix[row * width + column]
