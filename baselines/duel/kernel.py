"""Compiled bodies of `baselines.duel.layers`: numbering of words, layout of a layer, and its matrix games.

`Letters` (see `words`), `Rules`, `Layer` and `Work` (see `engine`) are tuples of numbers and
arrays. A word's rows are its carried ties t = 0, 1, ...; in a row there is one value for each
score of a range whose parity is fixed where ties are carried.

All of it is one file, because numba's cache of a compiled function does not notice changes in
functions that it calls from another file.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NOT_A_WORD = -(2**31)
BLOCK = 8  # entries of a row that are worked on in one go; rows are padded to multiples
PIVOT_TOLERANCE = 1e-11
DANTZIG_PIVOTS = 60
GAMES, SADDLES, FAILED = 0, 1, 2  # places in counts


# -- words --------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _cards_in(code, width, cards):  # type: ignore[no-untyped-def]  # compiled
    """Cards of both players in a half word; -1 if it has a letter after its end or an unknown one."""
    mask, a, b = (1 << width) - 1, 0, 0
    ended = False
    while code:  # from the last letter to the first
        letter = code & mask
        if letter >= cards.shape[1] or (letter == 0 and ended):
            return -1, -1
        ended = ended or letter != 0
        a += cards[0, letter]
        b += cards[1, letter]
        code >>= width
    return a, b


@njit(cache=True, nogil=True)
def _is_flush(code, width, bits):  # type: ignore[no-untyped-def]
    """Whether a half word starts at its highest letter."""
    return code == 0 or code >> (bits - width) != 0


@njit(cache=True, nogil=True)
def rank_halves(rank, counted, width, cards):  # type: ignore[no-untyped-def]
    """Numbers the half words of equally many cards, and counts them."""
    bits, most = _bits(rank), len(counted)
    for code in range(len(rank)):
        if _is_flush(code, width, bits):
            a, b = _cards_in(code, width, cards)
            if 0 <= a < most and 0 <= b < most:
                rank[code] = counted[a, b]
                counted[a, b] += 1


@njit(cache=True, nogil=True)
def list_halves(halves, rank, starts, width, cards):  # type: ignore[no-untyped-def]
    """Half words by their cards and numbers: `rank` the other way round."""
    for code in range(len(rank)):
        if rank[code] >= 0:
            a, b = _cards_in(code, width, cards)
            halves[starts[a, b] + rank[code]] = code


@njit(cache=True, nogil=True)
def _bits(table):  # type: ignore[no-untyped-def]
    bits = 0
    while 1 << bits < len(table):
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def number_words(letters, cards_left, offsets):  # type: ignore[no-untyped-def]
    """Fills `offsets`: the number of the first word of `cards_left` cards with each upper half."""
    bits = letters.width * letters.length - letters.cut
    low = (1 << letters.width) - 1
    total = 0
    for upper in range(1 << bits):
        offsets[upper] = total
        if _is_flush(upper, letters.width, bits):
            a, b = _cards_in(upper, letters.width, letters.cards)
            a, b = cards_left - a, cards_left - b
            if 0 <= a <= cards_left and 0 <= b <= cards_left:
                if upper & low:
                    total += letters.halves_count[a, b]
                elif a == 0 and b == 0:
                    total += 1
    offsets[1 << bits] = total
    return total


@njit(cache=True, nogil=True)
def _number(word, letters, layer):  # type: ignore[no-untyped-def]
    return layer.offsets[word >> letters.cut] + letters.rank[word & ((1 << letters.cut) - 1)]


@njit(cache=True, nogil=True)
def _first_half(upper, letters, cards_left):  # type: ignore[no-untyped-def]
    a, b = _cards_in(upper, letters.width, letters.cards)
    return letters.halves_start[cards_left - a, cards_left - b]


@njit(cache=True, nogil=True)
def _letter(word, place, letters):  # type: ignore[no-untyped-def]
    return word >> letters.width * (letters.length - 1 - place) & ((1 << letters.width) - 1)


@njit(cache=True, nogil=True)
def _mirrored(word, letters):  # type: ignore[no-untyped-def]
    mirrored = 0
    for place in range(letters.length):
        mirrored = mirrored << letters.width | letters.swapped[_letter(word, place, letters)]
    return mirrored


@njit(cache=True, nogil=True)
def _without(word, place, by, letters):  # type: ignore[no-untyped-def]
    """The word after player 0, player 1 or both (`by` 0, 1, 2) have played a card of a letter."""
    width = letters.width
    shift = width * (letters.length - 1 - place)
    letter = word >> shift & ((1 << width) - 1)
    above, below = word >> (shift + width) << (shift + width), word & ((1 << shift) - 1)
    grown = width * (letters.rest_length[by, letter] - 1)
    moved = below << width if grown < 0 else below >> grown
    return above | (letters.rest[by, letter] << (shift - grown) if grown >= 0 else 0) | moved


@njit(cache=True, nogil=True)
def _follows(word, letters, start):  # type: ignore[no-untyped-def]
    """Whether cards can be taken from `start`, `[2, ranks]` cards of each rank, so that `word` is left.

    The lowest cards that spell the word so far leave most for the rest.
    """
    at, run, used = -1, 0, 0
    for place in range(letters.length):
        letter = _letter(word, place, letters)
        if letter == 0:
            break
        a, b = letters.cards[0, letter], letters.cards[1, letter]
        if letter == run and used < start[letter - 1, at]:
            used += 1
            continue
        at += 1
        while at < start.shape[1] and (start[0, at] < a or start[1, at] < b):
            at += 1
        if at == start.shape[1]:
            return False
        run, used = (letter, 1) if letter <= 2 else (0, 0)
    return True


# -- layout -------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _features(word, letters):  # type: ignore[no-untyped-def]
    """Letters, pairs of cards that could tie, and the most A below a B, and B below an A, paired off."""
    size, pairs, won, lost, open_a, open_b = 0, 0, 0, 0, 0, 0
    for place in range(letters.length):
        letter = _letter(word, place, letters)
        if letter == 0:
            break
        size += 1
        if letter == 1:
            if open_b > 0:
                lost += 1
                open_b -= 1
            open_a += 1
        elif letter == 2:
            if open_a > 0:
                won += 1
                open_a -= 1
            open_b += 1
        else:
            pairs += min(letters.cards[0, letter], letters.cards[1, letter])
    return size, pairs, won, lost


@njit(cache=True, nogil=True)
def _last_row(features, cards_left, rules):  # type: ignore[no-untyped-def]
    size, pairs, _, _ = features
    if not rules.carry:
        return 0
    if rules.full_deck:
        return rules.cards - size
    return rules.ties + min(rules.cards - cards_left, rules.pairs - pairs)


@njit(cache=True, nogil=True)
def _scores(features, cards_left, t, rules):  # type: ignore[no-untyped-def]
    """Least and greatest undecided score with t carried ties; greatest < least if there is none.

    For two full decks these scores can be reached. Of the g ranks gone from both hands t have
    just tied. The other tricks took, from each player, a cards that the other still holds and
    g - t of the gone ranks. Follow a trick from such a card of player 0 to the gone rank that
    it met, from that rank's other card on, and so to a card of player 1 that player 0 still
    holds: a chain without a lost trick leads down. So at least as many tricks were lost as
    chains cannot be paired off downwards, gone ranks can tie, and ties go to whoever wins next.
    Otherwise only the number of tricks bounds the score.
    """
    size, pairs, won, lost = features
    if rules.full_deck:
        alone, gone = cards_left - pairs, rules.cards - size - t
        if alone > 0:
            low, high = alone - gone - 2 * lost, gone - alone + 2 * won
        elif gone == 1 and rules.carry:
            low, high = 1, 0
        else:  # ranks that only met each other: somebody lost one trick at least
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


@njit(cache=True, nogil=True)
def _least(low, high, own_mirror, rules):  # type: ignore[no-untyped-def]
    """The least score to solve for: where a word is its own mirror image, so are its scores."""
    return high % rules.step if own_mirror and low <= high else low


@njit(cache=True, nogil=True)
def lay_out(letters, rules, cards_left, offsets, row_of, base):  # type: ignore[no-untyped-def]
    """Numbers rows and values of a layer; returns how many of each, and of matrix games.

    `row_of`: per word its first row, or its mirror image's as -1 - row. `base`: per row the place
    of the value at score 0. Only counts where these arrays are empty.
    """
    writing = len(row_of) > 0
    bits = letters.width * letters.length - letters.cut
    rows, values, games = 0, 0, 0
    for upper in range(1 << bits):
        number = offsets[upper]
        if number == offsets[upper + 1]:
            continue
        half = _first_half(upper, letters, cards_left)
        for i in range(offsets[upper + 1] - number):
            word = upper << letters.cut | letters.halves[half + i]
            mirror = _mirrored(word, letters)
            if mirror < word:
                continue
            if not (rules.full_deck or _follows(word, letters, rules.start) or _follows(mirror, letters, rules.start)):
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


@njit(cache=True, nogil=True)
def first_place(first, letters, rules, layer):  # type: ignore[no-untyped-def]
    """The place in a layer's values where those of the words from an upper half on begin."""
    for upper in range(first, len(layer.offsets) - 1):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = _first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            row = layer.row_of[number + i]
            if row >= 0:
                word = upper << letters.cut | letters.halves[half + i]
                low, _ = _scores(_features(word, letters), layer.cards, 0, rules)
                return layer.base[row] + (low >> rules.shift)
    return len(layer.values)


# -- one matrix game ----------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _extremes(matrix, rows, columns, greatest):  # type: ignore[no-untyped-def]
    """Least and greatest entry, maximin, minimax with its column."""
    width = -(-columns // BLOCK) * BLOCK
    greatest[:width] = -np.inf
    low, maximin = np.inf, -np.inf
    for i in range(rows):
        line = matrix[i]
        least = np.inf
        for j in range(columns):
            least = min(least, line[j])
        for block in range(0, width, BLOCK):
            for j in range(block, block + BLOCK):
                greatest[j] = max(greatest[j], line[j])
        low = min(low, least)
        maximin = max(maximin, least)
    high, minimax, column = -np.inf, np.inf, 0
    for j in range(columns):
        high = max(high, greatest[j])
        if greatest[j] < minimax:
            minimax, column = greatest[j], j
    return low, high, maximin, minimax, column


@njit(cache=True, nogil=True)
def _exchange(tableau, rows, width, row, column):  # type: ignore[no-untyped-def]
    pivot_line = tableau[row]
    inverse = 1.0 / pivot_line[column]
    for j in range(width):
        pivot_line[j] *= inverse
    pivot_line[column] = inverse
    for i in range(rows + 1):
        line = tableau[i]
        factor = line[column]
        if i != row and factor != 0.0:
            line[column] = 0.0
            for block in range(0, width, BLOCK):
                for j in range(block, block + BLOCK):
                    line[j] -= factor * pivot_line[j]


@njit(cache=True, nogil=True)
def _leaving(tableau, rows, columns, column, basis):  # type: ignore[no-untyped-def]
    chosen, best = -1, np.inf
    for i in range(rows):
        line = tableau[i]
        if line[column] > PIVOT_TOLERANCE:
            ratio = line[columns] / line[column]
            if ratio < best or (ratio == best and basis[i] < basis[chosen]):
                chosen, best = i, ratio
    return chosen


@njit(cache=True, nogil=True)
def _entering(costs, columns, bland):  # type: ignore[no-untyped-def]
    best, chosen = -PIVOT_TOLERANCE, -1
    for j in range(columns):
        if costs[j] < best:
            chosen = j
            if bland:
                break
            best = costs[j]
    return chosen


@njit(cache=True, nogil=True)
def _strategies(rows, columns, work):  # type: ignore[no-untyped-def]
    """Reads the strategies off the tableau, not yet scaled, and returns their sums."""
    tableau, basis, outside, x, y = work.tableau, work.basis, work.outside, work.x, work.y
    x[:rows] = 0.0
    y[:columns] = 0.0
    total_x, total_y = 0.0, 0.0
    for i in range(rows):
        if basis[i] < columns:
            y[basis[i]] = max(tableau[i, columns], 0.0)
            total_y += y[basis[i]]
    for j in range(columns):
        if outside[j] >= columns:
            x[outside[j] - columns] = max(tableau[rows, j], 0.0)
            total_x += x[outside[j] - columns]
    return total_x, total_y


@njit(cache=True, nogil=True)
def _simplex(matrix, rows, columns, low, high, column, bland, work):  # type: ignore[no-untyped-def]
    """As in `baselines.matrix_game.kernel`, with the minimax column entering first: it is often in the solution.

    Leaves unscaled strategies in `work` and returns their sums.
    """
    tableau, basis, outside = work.tableau, work.basis, work.outside
    width = -(-(columns + 1) // BLOCK) * BLOCK
    scale = 1.0 / (high - low)
    # Nobody reads the padding, but what is left there would grow or fade out of range, which is slow.
    tableau[: rows + 1, columns + 1 : width] = 0.0
    for i in range(rows):
        line, source = tableau[i], matrix[i]
        for j in range(columns):
            line[j] = 1.0 + (source[j] - low) * scale
        line[columns] = 1.0
        basis[i] = columns + i
    for j in range(columns):
        tableau[rows, j] = -1.0
        outside[j] = j
    tableau[rows, columns] = 0.0
    for pivots in range(1000):
        leaving = _leaving(tableau, rows, columns, column, basis)
        if leaving < 0:
            break
        _exchange(tableau, rows, width, leaving, column)
        basis[leaving], outside[column] = outside[column], basis[leaving]
        column = _entering(tableau[rows], columns, bland or pivots > DANTZIG_PIVOTS)
        if column < 0:
            break
    return _strategies(rows, columns, work)


@njit(cache=True, nogil=True)
def _bounds(matrix, rows, columns, total_x, total_y, work):  # type: ignore[no-untyped-def]
    """What x guarantees and y concedes on the matrix as given, whatever rounding did to them."""
    if not (0.0 < total_x < np.inf and 0.0 < total_y < np.inf):
        return -np.inf, np.inf
    x, y, sums = work.x, work.y, work.sums
    width = -(-columns // BLOCK) * BLOCK
    sums[:width] = 0.0
    upper = -np.inf
    for i in range(rows):
        line, conceded = matrix[i], 0.0
        if x[i] > 0.0:
            share = x[i]
            for block in range(0, width, BLOCK):
                for j in range(block, block + BLOCK):
                    sums[j] += share * line[j]
        for j in range(columns):
            conceded += line[j] * y[j]
        upper = max(upper, conceded)
    lower = np.inf
    for j in range(columns):
        lower = min(lower, sums[j])
    return lower / total_x, upper / total_y


@njit(cache=True, nogil=True)
def solve_game(matrix, rows, columns, tolerance, work):  # type: ignore[no-untyped-def]
    """Bounds on the value, equal at a saddle point; far apart where the simplex failed."""
    low, high, maximin, minimax, column = _extremes(matrix, rows, columns, work.sums)
    if maximin == minimax:
        return maximin, minimax
    lower, upper = maximin, minimax
    for bland in (False, True):
        totals = _simplex(matrix, rows, columns, low, high, column, bland, work)
        found = _bounds(matrix, rows, columns, totals[0], totals[1], work)
        lower, upper = max(lower, found[0]), min(upper, found[1])
        if upper - lower <= tolerance:
            break
    return lower, upper


# -- a layer ------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _moves(word, letters, work):  # type: ignore[no-untyped-def]
    """Places of the cards that differ: one of each run of a player's own letters."""
    rows, columns, before = 0, 0, 0
    for place in range(letters.length):
        letter = _letter(word, place, letters)
        if letter == 0:
            break
        if letter != 2 and not (letter == 1 and before == 1):
            work.places[0, rows] = place
            rows += 1
        if letter != 1 and not (letter == 2 and before == 2):
            work.places[1, columns] = place
            columns += 1
        before = letter
    return rows, columns


@njit(cache=True, nogil=True)
def _find_next(word, rows, columns, letters, below, work):  # type: ignore[no-untyped-def]
    """For each pair of cards the next word's first row, and who wins.

    0: nobody, 1: player 0, 2: player 1; plus 3 if the next word stands mirrored in the layer below.
    """
    for i in range(rows):
        place_0 = work.places[0, i]
        for j in range(columns):
            place_1 = work.places[1, j]
            # The later letter first: its removal does not move the other.
            if place_0 == place_1:
                winner, after = 0, _without(word, place_0, 2, letters)
            elif place_0 > place_1:
                winner, after = 1, _without(_without(word, place_0, 0, letters), place_1, 1, letters)
            else:
                winner, after = 2, _without(_without(word, place_1, 1, letters), place_0, 0, letters)
            row = below.row_of[_number(after, letters, below)] if below.cards else 0
            if row < 0:
                row, winner = -1 - row, winner + 3
            work.kind[i, j], work.row[i, j] = winner, row


@njit(cache=True, nogil=True)
def _fill(rows, columns, t, score, rules, below, work):  # type: ignore[no-untyped-def]
    """The matrix game at one state: payoff points to player 0, to go."""
    places, signs, points = work.step, work.sign, work.points
    for kind in range(6):
        winner = kind % 3
        won = (t + 1) * (winner == 1) - (t + 1) * (winner == 2)
        after = score + won if rules.win else 0
        carried = t + 1 if winner == 0 and rules.carry else 0
        places[kind] = (-after if kind > 2 else after) >> rules.shift
        signs[kind] = -1.0 if kind > 2 else 1.0
        points[kind] = 0.0 if rules.win else float(won)
        if below.cards == 0 or (rules.win and abs(after) > below.cards + carried):
            signs[kind] = 0.0
            points[kind] += np.sign(after)
    tied = t + 1 if rules.carry else 0
    for i in range(rows):
        line, kinds, next_rows = work.matrix[i], work.kind[i], work.row[i]
        for j in range(columns):
            kind = kinds[j]
            line[j] = points[kind]
            if signs[kind] != 0.0:
                row = next_rows[j] + (tied if kind % 3 == 0 else 0)
                line[j] += signs[kind] * below.values[below.base[row] + places[kind]]


@njit(cache=True, nogil=True)
def _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    own_mirror = _mirrored(word, letters) == word
    features = _features(word, letters)
    rows, columns = _moves(word, letters, work)
    _find_next(word, rows, columns, letters, below, work)
    for t in range(_last_row(features, layer.cards, rules) + 1):
        low, high = _scores(features, layer.cards, t, rules)
        for score in range(_least(low, high, own_mirror, rules), high + 1, rules.step):
            _fill(rows, columns, t, score, rules, below, work)
            lower, upper = solve_game(work.matrix, rows, columns, rules.tolerance, work)
            value, place = (lower + upper) / 2, layer.base[row + t] + (score >> rules.shift)
            layer.values[place] = value
            if own_mirror:
                layer.values[layer.base[row + t] + (-score >> rules.shift)] = -value if score else 0.0
            counts[GAMES] += 1
            counts[SADDLES] += lower == upper
            if upper - lower <= rules.tolerance:
                gap[0] = max(gap[0], upper - lower)
            else:
                if counts[FAILED] < len(failed):
                    failed[counts[FAILED]] = word, t, score
                else:
                    gap[0] = max(gap[0], upper - lower)
                counts[FAILED] += 1


@njit(cache=True, nogil=True)
def solve_words(first, last, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves a layer's words whose upper halves are in [first, last).

    Games whose bounds stay too far apart go into `failed`, `[most, 3]`: word, carried ties, score.
    """
    for upper in range(first, last):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = _first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            row = layer.row_of[number + i]
            if row >= 0:
                word = upper << letters.cut | letters.halves[half + i]
                _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap)


@njit(cache=True, nogil=True)
def matrix_at(word, t, score, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Rows and columns of the matrix game at a state, which is left in `work.matrix`."""
    rows, columns = _moves(word, letters, work)
    _find_next(word, rows, columns, letters, below, work)
    _fill(rows, columns, t, score, rules, below, work)
    return rows, columns


@njit(cache=True, nogil=True)
def place_of(word, t, score, letters, rules, layer):  # type: ignore[no-untyped-def]
    """Where a layer keeps the value of a state, and its sign there; -1 if it does not."""
    row, sign = layer.row_of[_number(word, letters, layer)], 1
    if row == NOT_A_WORD:
        return -1, sign
    if row < 0:
        row, sign, word, score = -1 - row, -1, _mirrored(word, letters), -score
    features = _features(word, letters)
    if t > _last_row(features, layer.cards, rules):
        return -1, sign
    low, high = _scores(features, layer.cards, t, rules)
    if not low <= score <= high or (score - low) % rules.step != 0:
        return -1, sign
    return layer.base[row + t] + (score >> rules.shift), sign


@njit(cache=True, nogil=True)
def _word(row, ranks, letter_of, letters):  # type: ignore[no-untyped-def]  # compiled
    """The word of a pair of hands, given as cards of each rank; -1 for what cannot be spelt."""
    word, size = 0, 0
    for rank in range(ranks):
        a, b = row[rank], row[ranks + rank]
        if a > 0 and b > 0:
            if a >= letter_of.shape[0] or b >= letter_of.shape[1] or letter_of[a, b] < 0:
                return -1
            word, size = word << letters.width | letter_of[a, b], size + 1
        else:
            for _ in range(a + b):
                word, size = word << letters.width | (1 if a > 0 else 2), size + 1
    if size > letters.length:
        return -1
    return word << letters.width * (letters.length - size)


@njit(cache=True, nogil=True)
def fill_games(rows, ranks, ties, scores, letter_of, letters, rules, layer, below, work, matrices, sizes):  # type: ignore[no-untyped-def]
    """Writes the matrix games at states into `matrices`, and their rows and columns into `sizes`.

    `rows`: `[states, 2 * ranks]` cards of each rank. The sizes of a state that the layer does not have are 0.
    """
    for i in range(len(rows)):
        sizes[i] = 0, 0
        word = _word(rows[i], ranks, letter_of, letters)
        if word < 0 or place_of(word, ties[i], scores[i], letters, rules, layer)[0] < 0:
            continue
        height, width = matrix_at(word, ties[i], scores[i], letters, rules, below, work)
        sizes[i] = height, width
        for row in range(height):
            for column in range(width):
                matrices[i, row, column] = work.matrix[row, column]
