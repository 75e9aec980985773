"""The figures that the sources print: each once, with its place and its precision.

Nothing here is computed or corrected. A printed figure that cannot be right stands here as printed;
`baselines.reproduction` judges it.

The sources:

* `fetterman-2023`: D. Fetterman, "Dinosaur War: A Strategic Game of Utter Chance", 6 March 2023.
* `sanwal-drechsler-2002`: Sanwal and Drechsler, "Equilibrium Strategies for Jujitsu", 2002.
* `dice-wars`: the post "Dice Wars game".
* `rauscher-2017`: D. Rauscher, "538 Riddler: Dice Poker Riddler", 1 January 2017.
* `war-2017`: "WAR with Auction Rounds", 2017. Its Figures 2 to 7 are curves without numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

FETTERMAN = "fetterman-2023"
SANWAL_DRECHSLER = "sanwal-drechsler-2002"
DICE_WARS = "dice-wars"
RAUSCHER = "rauscher-2017"
WAR = "war-2017"

# Sanwal and Drechsler's probabilities of 0 are "within the margin of error of the linear program routine".
LP_MARGIN = 1e-6
# Table 5.1 counts the games won, lost and tied of so many; section 5.
TABLE_GAMES = 100_000


@dataclass(frozen=True)
class Published:
    """One figure.

    Attributes:
        source: Short name of the source.
        place: Where in it, e.g. "Table 5.1".
        item: What it is. No two figures of one place have the same item.
        value: As printed. A count out of a number of games is given as a share of them. A claim that is
            not a number is given as True.
        tolerance: Half a unit of the last printed digit, in the unit of `value`; 0 for
            fractions and whole numbers.
        games: How many games were sampled for it, or None if it is not from a simulation.
    """

    source: str
    place: str
    item: str
    value: float | Fraction | bool
    tolerance: float = 0.0
    games: int | None = None


def published(source: str, place: str | None = None) -> tuple[Published, ...]:
    """All figures of a source, or those at one place in it.

    Raises:
        ValueError: If there is no such source or place.
    """
    if source not in _SOURCES:
        raise ValueError(f"unknown source {source!r}; known are {', '.join(_SOURCES)}")
    figures = _figures(source)
    if place is None:
        return figures
    chosen = tuple(figure for figure in figures if figure.place == place)
    if not chosen:
        places = dict.fromkeys(each.place for each in figures)
        raise ValueError(f"{source} has no figures at {place!r}; it has them at {', '.join(places)}")
    return chosen


def figure(source: str, place: str, item: str) -> Published:
    """One figure.

    Raises:
        ValueError: If there is no such source, place or item.
    """
    for each in published(source, place):
        if each.item == item:
            return each
    raise ValueError(f"{source} gives no {item!r} at {place!r}")


@cache
def _figures(source: str) -> tuple[Published, ...]:
    return tuple(_SOURCES[source]())


def _half_unit(text: str) -> float:
    """Half a unit of the last digit of a number in words."""
    return float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1))


# Place, item, and the value as printed (a number in words), or True for a claim.
Remarks = tuple[tuple[str, str, str | bool], ...]


def _printed(source: str, place: str, item: str, text: str | bool) -> Published:
    """A figure from the words in which it is printed: decimals are rounded, and all others are exact."""
    if isinstance(text, bool):
        return Published(source, place, item, text)
    if "." in text:
        return Published(source, place, item, float(text), _half_unit(text))
    return Published(source, place, item, Fraction(text))


def _remarks(source: str, remarks: Remarks) -> Iterator[Published]:
    return (_printed(source, *remark) for remark in remarks)


# -- Fetterman 2023 ------------------------------------------------------------------------------

# Place, the two hands, and the payoffs row by row.
_MATRICES = (
    ("Figure 2a", "1,3", "1,3", "0 0 | 0 0"),
    ("Figure 2b", "1,5", "3,4", "0 0 | 0 0"),
    ("Figure 2c", "2,4", "1,3", "2 0 | 0 2"),
    ("Figure 4a", "6", "5", "1"),
    ("Figure 4b", "3,6", "3,5", "1 0 | 0 1"),
    # The quoted text of Figure 5a has shifted its columns; these are its nine blocks put back.
    ("Figure 5a", "3,6", "3,5", "1 0 | 0 1"),
    ("Figure 5a", "3,6", "1,5", "2 0 | 0 2"),
    ("Figure 5a", "3,6", "1,3", "2 1 | 1 2"),
    ("Figure 5a", "2,6", "3,5", "0 0 | 0 0"),
    ("Figure 5a", "2,6", "1,5", "2 0 | 0 2"),
    ("Figure 5a", "2,6", "1,3", "2 0 | 0 2"),
    ("Figure 5a", "2,3", "3,5", "-2 -1 | -1 -2"),
    ("Figure 5a", "2,3", "1,5", "0 0 | 0 0"),
    ("Figure 5a", "2,3", "1,3", "1 0 | 0 1"),
    ("Figure 5b", "2,3,6", "1,3,5", "3/2 0 1/2 | 1 1 0 | -1/2 1 3/2"),
    (
        "Section 7, table",
        "1,2,3,4,5,6,7,8,9,10",
        "1,2,3,4,5,6,7,8,9,10",
        "0 -8/9 -2/3 -4/9 -2/9 0 2/9 4/9 2/3 8/9 | 8/9 0 -8/9 -2/3 -4/9 -2/9 0 2/9 4/9 2/3"
        " | 2/3 8/9 0 -8/9 -2/3 -4/9 -2/9 0 2/9 4/9 | 4/9 2/3 8/9 0 -8/9 -2/3 -4/9 -2/9 0 2/9"
        " | 2/9 4/9 2/3 8/9 0 -8/9 -2/3 -4/9 -2/9 0 | 0 2/9 4/9 2/3 8/9 0 -8/9 -2/3 -4/9 -2/9"
        " | -2/9 0 2/9 4/9 2/3 8/9 0 -8/9 -2/3 -4/9 | -4/9 -2/9 0 2/9 4/9 2/3 8/9 0 -8/9 -2/3"
        " | -2/3 -4/9 -2/9 0 2/9 4/9 2/3 8/9 0 -8/9 | -8/9 -2/3 -4/9 -2/9 0 2/9 4/9 2/3 8/9 0",
    ),
)
# Figure 5b also prints each entry's two parts: what the trick pays, and what is expected after it.
_PARTS = {
    "of the trick": "1 -1 -1 | 1 0 -1 | 1 1 1",
    "to come": "1/2 1 3/2 | 0 1 1 | -3/2 0 1/2",
}
# Place, item, value: what the text says in numbers, or claims to hold.
_FETTERMAN: Remarks = (
    ("Figure 3", "D({2,3,6}, {1,3,5})", "2"),
    ("Section 1.1", "greatest score of one player, 1..10 v. 1..10", "9"),
    ("Section 2", "D({2,3,6}, {1,3,5})", "2"),
    ("Section 2", "expected value of {2,4} v. {1,3}", "2"),
    ("Section 4.0.1", "in Figure 5b, (3, 3) must be followed by (6, 5)", True),
    ("Section 5", "upper right element of Figure 5b", "3/2"),
    ("Section 5.1", "payoff of the sub-game {3,6} v. {3,5} (given as D)", "1"),
    ("Lemma 1", "rows and columns of the payoff matrix sum to D(A, B)", True),
    ("Lemma 2", "uniform play by both is an equilibrium", True),
    ("Lemma 2", "{2,3,6} v. {1,3,5}, payoff of a row to uniform play (given as D)", "2"),
    ("Lemma 2", "case 2: P_B gains by a column above the mean", True),
    ("Lemma 3", "the value is D(A, B)/n", True),
    ("Section 7", "the 10 v. 10 matrix is symmetric", True),
    ("Section 7", "1..10 v. 1..10, mean worth of a won first trick", "0"),
    ("Section 7", "1..10 v. 1..10, worth of a first trick won by 5 ranks", "0"),
    ("Section 7", "winning by fewer than n/2 ranks is good, by more is bad", True),
    ("Section 7", "the choice does not matter in Figure 2a", True),
    ("Section 7", "the choice does not matter in Figure 2c", True),
    ("Section 7", "between duplicate cards the choice does not matter", True),
    ("Footnote 5", "uniform play is also optimal for the chance of winning", True),
)


def _fetterman() -> Iterator[Published]:
    for place, hand_0, hand_1, entries in _MATRICES:
        for play, entry in _by_play(hand_0, hand_1, entries):
            yield _printed(FETTERMAN, place, f"{{{hand_0}}} v. {{{hand_1}}}, {play}", entry)
    _, hand_0, hand_1, _ = next(matrix for matrix in _MATRICES if matrix[0] == "Figure 5b")
    for part, entries in _PARTS.items():
        for play, entry in _by_play(hand_0, hand_1, entries):
            yield _printed(FETTERMAN, "Figure 5b", f"{{{hand_0}}} v. {{{hand_1}}}, {play}, {part}", entry)
    yield from _remarks(FETTERMAN, _FETTERMAN)


def _by_play(hand_0: str, hand_1: str, entries: str) -> Iterator[tuple[str, str]]:
    rows = [row.split() for row in entries.split("|")]
    for (i, card_0), (j, card_1) in product(enumerate(hand_0.split(",")), enumerate(hand_1.split(","))):
        yield f"{card_0} against {card_1}", rows[i][j]


# -- Sanwal and Drechsler 2002 ---------------------------------------------------------------------

# Hand size, first player, second player; E[Win], E[Loss], E[Tie], win margin, spread %, tie %. The quoted
# table leaves repeated names out and has lost the offset of some rows; the names are filled in here. The counts
# are means over several runs of 100,000 games (section 3): all are multiples of 1/20.
_TABLE_5_1 = """
4 Equilibrium Random      33630.35 14815.85 51553.8  18815 18.81 51.55
4 Equilibrium HighestCard 38942.8  13528.6  47528.6  25414 25.41 47.53
4 Equilibrium LowestCard  15865.4  11551.3  72583.3   4314  4.31 72.58
4 Equilibrium Equilibrium 16865.45 15555.25 67579.3   1310  1.31 67.58
4 Random      Random      25038.45 25004.8  49956.75    34  0.03 49.96
4 Random      HighestCard 25018.6  25022.65 49958.75     4  0.00 49.96
4 Random      LowestCard  25002.8  24967    50030.2     36  0.04 50.03
5 Equilibrium Random      53415.3  36690.8   9893.9  16725 16.72  9.89
5 Equilibrium HighestCard 50111.65 37219.15 12669.2  12893 12.89 12.67
5 Equilibrium LowestCard  50130.95 23937.25 25931.8  26194 26.19 25.93
5 Equilibrium Equilibrium 36003.35 31394.15 32602.5   4609  4.61 32.60
5 Random      Random      45024.05 44981.75  9994.2     42  0.04  9.99
5 Random      HighestCard 45026.8  44979.9   9993.3     47  0.05  9.99
5 Random      LowestCard  45017.4  44970.75 10011.85    47  0.05 10.01
6 Equilibrium Random      36819.6  22323.65 40856.75 14496 14.50 40.86
6 Equilibrium HighestCard 41609.3  24613.15 33777.55 16996 17.00 33.78
6 Equilibrium LowestCard  26713.1  24893.5  48393.4   1820  1.82 48.39
6 Equilibrium Equilibrium 28321.95 23856.45 47821.6   4466  4.47 47.82
6 Random      Random      29709.35 29713.5  40577.15     4  0.00 40.58
6 Random      HighestCard 29719.15 29666.1  40614.75    53  0.05 40.61
6 Random      LowestCard  29719.1  29809.85 40471.05    91 -0.09 40.47
7 Equilibrium Random      57296.4  37499.55  5204.05 19797 19.80  5.20
7 Equilibrium HighestCard 62036.2  32117.35  5846.45 29919 29.92  5.85
7 Equilibrium LowestCard  47962    41041.85 10996.15  6920  6.92 11.00
7 Equilibrium Equilibrium 38753.5  33834.1  27412.4   4919  4.92 27.41
7 Random      Random      47113.15 47089.85  5797       23  0.02  5.80
7 Random      HighestCard 47033.4  47173.5   5793.1    140 -0.14  5.79
7 Random      LowestCard  47113.65 47098.95  5787.4     15  0.01  5.79
8 Equilibrium Random      37870.95 24917.1  37211.95 12954 12.95 37.21
8 Equilibrium HighestCard 43009.85 29437.4  27552.75 13572 13.57 27.55
8 Equilibrium LowestCard  29701.85 29092.65 41205.5    609  0.61 41.21
8 Equilibrium Equilibrium 31886.45 25832.75 42280.8   6054  6.05 42.28
8 Random      Random      31392.8  31361.9  37245.3     31  0.03 37.25
8 Random      HighestCard 31401.8  31376.75 37221.45    25  0.03 37.22
8 Random      LowestCard  31325.05 31450.65 37224.3    126 -0.13 37.22
"""
# The table's columns and what one unit of each is as a share of all games. "win margin" is printed without its
# sign; "spread %" has it.
_COLUMNS = {**dict.fromkeys(("win", "loss", "tie", "margin"), TABLE_GAMES), "spread": 100, "tie share": 100}
# What the text says of the figures.
_SANWAL_DRECHSLER: Remarks = (
    ("Section 2.1", "strategies of P1 that maximise the score", "1"),
    ("Section 2.3", "the payoff matrix at the start is symmetric", True),
    ("Section 4", "4x4 without ties, uniform play optimal at every state", True),
    ("Section 5.2", "an odd game is tied only if its last trick is; an even one need not be", True),
    ("Section 5.2", "SecondLowestCard v. LowestCard, win", "1"),
    ("Section 5.2", "fewer ties in odd games than in even ones", True),
    ("Section 5.2", "Equilibrium does better in odd games", True),
    ("Section 5.2", "LowestCard loses less to Equilibrium than Random", True),
    ("Section 5.2", "LowestCard loses less to Equilibrium than HighestCard", True),
    ("Section 5.2", "HighestCard loses more to Equilibrium than Random", True),
    ("Section 5.2", "Equilibrium beats LowestCard on average", True),
)


def _sanwal_drechsler() -> Iterator[Published]:
    for line in _TABLE_5_1.split("\n")[1:-1]:
        size, first, second, *texts = line.split()
        for (column, whole), text in zip(_COLUMNS.items(), texts, strict=True):
            item = f"{size}x{size} {first} v. {second}, {column}"
            value, tolerance = float(text) / whole, _half_unit(text) / whole
            yield Published(SANWAL_DRECHSLER, "Table 5.1", item, value, tolerance, TABLE_GAMES)
    for cards in range(4, 9):
        name = f"{cards}x{cards}"
        yield Published(SANWAL_DRECHSLER, "Section 4", f"{name} root, highest card", 0.0, LP_MARGIN)
        yield Published(SANWAL_DRECHSLER, "Section 3", f"{name} sub-games", Fraction(4**cards))
        yield Published(SANWAL_DRECHSLER, "Section 3", f"{name} paths", Fraction(factorial(cards) ** 2))
    yield Published(SANWAL_DRECHSLER, "Section 5.2", "7x7 root, second highest card", 0.0, LP_MARGIN)
    yield from _remarks(SANWAL_DRECHSLER, _SANWAL_DRECHSLER)


# -- Dice Wars ---------------------------------------------------------------------------------------

# Row m, column k: a player with m dice against one with k.
_DICE_TABLES = {
    "tie": """
        0.166667 0.069444 0.015432 0.001929 0.000129 0.000004
        0.069444 0.112654 0.069444 0.024884 0.005955 0.001017
        0.015432 0.069444 0.092850 0.065469 0.029940 0.009822
        0.001929 0.024884 0.065469 0.080944 0.061479 0.032624
        0.000129 0.005955 0.029940 0.061479 0.072693 0.057935
        0.000004 0.001017 0.009822 0.032624 0.057935 0.066539
    """,
    "win": """
        0.416667 0.092593 0.011574 0.000772 0.000021 0.000000
        0.837963 0.443673 0.152006 0.035880 0.006105 0.000766
        0.972994 0.778549 0.453575 0.191701 0.060713 0.014879
        0.997299 0.939236 0.742831 0.459528 0.220442 0.083423
        0.999850 0.987940 0.909347 0.718078 0.463654 0.242449
        0.999996 0.998217 0.975300 0.883953 0.699616 0.466731
    """,
}


def _dice_wars() -> Iterator[Published]:
    for name, table in _DICE_TABLES.items():
        for m, line in enumerate(table.strip().split("\n"), start=1):
            for k, text in enumerate(line.split(), start=1):
                yield _printed(DICE_WARS, f"{name} table", f"{m} v. {k} dice, {name}", text)
    yield _printed(DICE_WARS, "Count of sums", "ways to roll 7 with 2 dice", "6")
    for m in range(1, 5):
        # The code hands the plot no x values, so every curve begins at the first place, 0.
        yield _printed(DICE_WARS, "Plots", f"where the curve of m = {m} begins on the axis of sums", "0")
    yield _printed(DICE_WARS, "Probability of tie", "seconds for the tie table", "2.29")


# -- Rauscher 2017 -------------------------------------------------------------------------------------

# Place, item, and the value as printed (dollars) or True for a claim.
_RAUSCHER: Remarks = (
    ("Text", "pure strategies of each player", "64"),
    ("Text", "numbers in the tuple for always raising", "5"),
    ("Text", "worth to B of its reply to always raising", "0.11"),
    ("Text", "worth to A of its reply to calling with 2 or more", "0.17"),
    ("Text", "worth of the equilibrium to A", "0.093"),
    ("Output", "pure equilibria", "0"),
    ("Output", "A's most used strategy is always to raise", True),
    ("Output", "B's most used strategy is to call with 2 or more", True),
    ("Output", "worth of the equilibrium to A", "0.09259259"),
)
# B's replies to A's most used strategy, and A's to B's: roll by roll, 1 to raise or call.
_REPLIES = {"B": ("001111", "011111"), "A": ("000011", "000111")}
_EQUILIBRIUM = {"A": "0.6666667 0 0 0 1 1", "B": "0 0.5 0.8333333 0.3333333 1 1"}


def _rauscher() -> Iterator[Published]:
    yield from _remarks(RAUSCHER, _RAUSCHER)
    for who, replies in _REPLIES.items():
        for number, reply in enumerate(replies, start=1):
            for roll, digit in enumerate(reply, start=1):
                item = f"reply {number} of {who} to the other's most used, roll {roll}"
                yield _printed(RAUSCHER, "Output, replies", item, digit)
    for who, chances in _EQUILIBRIUM.items():
        for roll, text in enumerate(chances.split(), start=1):
            # R prints all columns to 7 digits; a whole number is one to that many.
            yield _printed(RAUSCHER, "Output, equilibrium", f"{who}, roll {roll}", f"{float(text):.7f}")


# -- WAR 2017 ------------------------------------------------------------------------------------------

_WAR: Remarks = (
    ("Section I", "a game can end without a winner", True),
    ("Section II", "the winner's utility at the end, per player of the game", "90"),
    ("Section II", "utility of all players when nobody wins", "0"),
    ("Section III.F", "the adversary at least ties with any known strategies", True),
    ("Section IV", "games per strategy and number of opponents", "9030"),
    ("Section IV", "games in all", "1.8e6"),
    ("Section IV", "SimpleMindedPlayer2 wins more often than SimpleMindedPlayer1", True),
    ("Section IV", "no significant difference in the mean number of rounds", True),
    ("Section IV", "no significant difference in the standard deviation of rounds", True),
)


def _war() -> Iterator[Published]:
    yield from _remarks(WAR, _WAR)
    # A curve can be read to the labels of its axis only, which are 0.1 apart.
    for name, value in (("least", 0.6), ("greatest", 0.9)):
        item = f"{name} win ratio of SimpleMindedPlayer1, by the axis"
        yield Published(WAR, "Figure 2", item, value, tolerance=0.1)


_SOURCES = {
    FETTERMAN: _fetterman,
    SANWAL_DRECHSLER: _sanwal_drechsler,
    DICE_WARS: _dice_wars,
    RAUSCHER: _rauscher,
    WAR: _war,
}
