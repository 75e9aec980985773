"""Random matrix games of many kinds, `[batch, rows, columns]` payoffs."""

import numpy as np


def low_rank(rng, batch, rows, columns, rank):
    return rng.normal(size=(batch, rows, rank)) @ rng.normal(size=(batch, rank, columns))


def signs(rng, *shape):
    return rng.integers(-1, 2, shape).astype(float)


def skew(rng, batch, size, _):
    upper = rng.integers(-3, 4, (batch, size, size)).astype(float)
    return upper - upper.transpose(0, 2, 1)


def repeated(rng, batch, rows, columns):
    """Three rows that occur again and again."""
    return np.take_along_axis(rng.normal(size=(batch, 3, columns)), rng.integers(0, 3, (batch, rows, 1)), axis=1)


def slightly_off(rng, matrices):
    """Half of the entries off by 1e-9 to 1e-14."""
    off = 10.0 ** -rng.integers(9, 15, (len(matrices), 1, 1)) * rng.normal(size=matrices.shape)
    return matrices + off * (rng.random(matrices.shape) < 0.5)


def near(rng, *shape):
    return slightly_off(rng, repeated(rng, *shape))


# Payoffs of a batch of games, `[batch, rows, columns]`.
BATCHES = {
    "gaussian": lambda rng, b, m, n: rng.normal(size=(b, m, n)),
    "signs": signs,
    "nearly equal rows": near,
    "nearly equal columns": lambda rng, b, m, n: near(rng, b, n, m).transpose(0, 2, 1),
    "nearly signs": lambda rng, b, m, n: slightly_off(rng, signs(rng, b, m, n)),
    "rank one": lambda rng, b, m, n: low_rank(rng, b, m, n, 1),
    "rank two": lambda rng, b, m, n: low_rank(rng, b, m, n, 2),
    "badly scaled rows": lambda rng, b, m, n: rng.normal(size=(b, m, n)) * 10.0 ** rng.uniform(-8, 8, (b, m, 1)),
    "badly scaled entries": lambda rng, b, m, n: rng.normal(size=(b, m, n)) * 10.0 ** rng.uniform(-8, 8, (b, m, n)),
}
KINDS = {
    **BATCHES,
    "small integers": lambda rng, b, m, n: rng.integers(-3, 4, (b, m, n)).astype(float),
    "repeated": repeated,
    "constant": lambda rng, b, m, n: np.full((b, m, n), rng.normal()),
    "one row": lambda rng, b, m, n: rng.normal(size=(b, 1, n)),
    "one column": lambda rng, b, m, n: rng.normal(size=(b, m, 1)),
    "skew": skew,
    "huge": lambda rng, b, m, n: 1e200 * rng.normal(size=(b, m, n)),
    "tiny": lambda rng, b, m, n: 1e-9 * rng.normal(size=(b, m, n)),
    "far from zero": lambda rng, b, m, n: 1e6 + rng.normal(size=(b, m, n)),
}
