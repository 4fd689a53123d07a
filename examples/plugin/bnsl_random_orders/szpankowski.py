"""Factorised normalised maximum likelihood (Silander, Roos, Kontkanen and Myllymaki 2008).

Each configuration of the parents with n rows adds its maximum log-likelihood less ``ln C(n, r)``, the regret of r
states. C follows from C(n, 1) = 1, an approximation of C(n, 2) (Szpankowski 2001; off by 0.7 % for one row, less for
more), and C(n, r + 2) = C(n, r + 1) + (n / r) C(n, r) (Kontkanen and Myllymaki 2007).
"""


def cell(counts):
    """What the cells with these counts add, in nats: ``n ln n``, 0 for none."""
    import numpy as np  # loads when a table is scored, not with the command line

    return counts * np.log(np.maximum(counts, 1.0))


def row(counts, states):
    """What the configurations with these counts take away: ``n ln n + ln C(n, states)``, 0 for none."""
    return cell(counts) + _log_regret(counts, states)


def _log_regret(counts, states):
    import numpy as np

    n = np.maximum(counts, 1.0)
    before = np.zeros_like(n)
    if states == 1:
        return before
    found = np.log(n * np.pi / 2) / 2 + np.sqrt(8 / (9 * n * np.pi)) + (3 * np.pi - 16) / (36 * n * np.pi)
    for k in range(1, states - 1):
        before, found = found, found + np.log1p(n / k * np.exp(before - found))
    return np.where(counts > 0, found, 0.0)
