"""Effects from the definition: sums over all configurations, networks listed one by one."""

from __future__ import annotations

import collections
import functools
import itertools
import math

import numpy as np

from .posterior import ancestors, networks


def _rows(rows, columns, states):
    return _counted(tuple(rows), tuple(columns))[tuple(states)]


@functools.lru_cache(maxsize=100)
def _counted(rows, columns):
    """How often each combination of states of some columns occurs."""
    return collections.Counter(tuple(row[c] for c in columns) for row in rows)


def effect_moments(rows, n_states, parents, x, y, ess, of_parents=None):
    """Means and second moments of (P(y | do(x)), its contrast) by sums over all pairs of configurations.

    `of_parents` are the rows that count for the distribution of the parents; by default `rows`.
    Returns four nested lists, by state of x and state of y.
    """
    zs = list(itertools.product(*(range(n_states[p]) for p in parents)))
    cell = ess / (len(zs) * n_states[x] * n_states[y])
    of_parents = rows if of_parents is None else of_parents
    weight = {z: _rows(of_parents, parents, z) + ess / len(zs) for z in zs}
    total = len(of_parents) + ess

    def count(z, s, t):
        return _rows(rows, (*parents, x, y), (*z, s, t)) + cell

    def p(z):
        return weight[z] / total

    def pp(z, w):
        return weight[z] * (weight[w] + (z == w)) / (total * (total + 1))

    def q(z, s, t):
        return count(z, s, t) / sum(count(z, s, u) for u in range(n_states[y]))

    def qq(z, s, w, r, t):
        """E of P(t | s, z) P(t | r, w)."""
        if (z, s) != (w, r):
            return q(z, s, t) * q(w, r, t)
        all_of = sum(count(z, s, u) for u in range(n_states[y]))
        return count(z, s, t) * (count(z, s, t) + 1) / (all_of * (all_of + 1))

    xs, ys = range(n_states[x]), range(n_states[y])
    mean = [[sum(p(z) * q(z, s, t) for z in zs) for t in ys] for s in xs]

    def product(s, r, t):
        return sum(pp(z, w) * qq(z, s, w, r, t) for z in zs for w in zs)

    second = [[product(s, s, t) for t in ys] for s in xs]
    factor = [[1.0 if s == r else -1.0 / (n_states[x] - 1) for r in xs] for s in xs] if n_states[x] > 1 else [[0.0]]
    contrast = [[sum(factor[s][r] * mean[r][t] for r in xs) for t in ys] for s in xs]
    contrast_second = [
        [sum(factor[s][r] * factor[s][u] * product(r, u, t) for r in xs for u in xs) for t in ys] for s in xs
    ]
    return mean, second, contrast, contrast_second


def unaffected_moments(rows, n_states, x, y, ess):
    """The same where x is no ancestor of y."""
    total = len(rows) + ess
    weights = [_rows(rows, (y,), (t,)) + ess / n_states[y] for t in range(n_states[y])]
    mean = [[w / total for w in weights] for _ in range(n_states[x])]
    second = [[w * (w + 1) / (total * (total + 1)) for w in weights] for _ in range(n_states[x])]
    zero = [[0.0] * n_states[y] for _ in range(n_states[x])]
    return mean, second, zero, zero


def structure_shares(weighted, x):
    """Probabilities of (parents of x, variables that x is an ancestor of or equal to), from networks with weights."""
    found: dict = {}
    total = math.fsum(weight for _, weight in weighted)
    for parents, weight in weighted:
        below = frozenset({x} | {v for v, above in enumerate(ancestors(parents)) if x in above})
        key = tuple(sorted(parents[x])), below
        found[key] = found.get(key, 0.0) + weight / total
    return found


def posterior_networks(lists):
    """All networks of listed sets with their weights, up to a factor."""
    found = list(networks(lists, "dags"))
    most = max(log for _, log in found)
    return [(parents, math.exp(log - most)) for parents, log in found]


def averaged(rows, n_states, shares, x, y, ess, was_set=None):
    """Mean, variance and the part of it that is due to the structure, of probabilities and of contrasts.

    `was_set` has for each row the variables that were set in it.
    """
    was_set = [()] * len(rows) if was_set is None else was_set
    of_parents = [row for row, target in zip(rows, was_set) if set(target) <= {x, y}]
    rows = [row for row, target in zip(rows, was_set) if set(target) <= {x}]
    joined = collections.Counter()
    for (parents, below), share in shares.items():
        joined[parents if y in below else None] += share
    moments = {
        parents: unaffected_moments(rows, n_states, x, y, ess)
        if parents is None
        else effect_moments(rows, n_states, parents, x, y, ess, of_parents)
        for parents in joined
    }
    found = []
    for first in (0, 2):
        mean = sum(share * np.array(moments[parents][first]) for parents, share in joined.items())
        second = sum(share * np.array(moments[parents][first + 1]) for parents, share in joined.items())
        between = sum(share * np.array(moments[parents][first]) ** 2 for parents, share in joined.items())
        found.append((mean, second - mean**2, between - mean**2))
    return found


def drawn_effect(rows, n_states, parents, x, y, ess, rng):
    """One draw of P(y | do(x)), every configuration by itself."""
    zs = list(itertools.product(*(range(n_states[p]) for p in parents)))
    cell = ess / (len(zs) * n_states[x] * n_states[y])
    p = rng.dirichlet([_rows(rows, parents, z) + ess / len(zs) for z in zs])
    found = np.zeros((n_states[x], n_states[y]))
    for s in range(n_states[x]):
        for share, z in zip(p, zs):
            counts = [_rows(rows, (*parents, x, y), (*z, s, t)) + cell for t in range(n_states[y])]
            found[s] += share * rng.dirichlet(counts)
    return found


def divergence(distributions):
    """Jensen-Shannon divergence with equal weights: mean of the Kullback-Leibler divergences to the mean."""
    mean = [sum(column) / len(distributions) for column in zip(*distributions)]
    return sum(p * math.log(p / m) for d in distributions for p, m in zip(d, mean) if p > 0) / len(distributions)


def strength_moments(rows, n_states, parents, x, y, ess, n_draws, rng):
    """Mean and variance of the strength where x has these parents and is an ancestor of y, from many draws.

    The variance of the mean is their ratio to `n_draws`.
    """
    zs = list(itertools.product(*(range(n_states[p]) for p in parents)))
    cell = ess / (len(zs) * n_states[x] * n_states[y])
    p = rng.dirichlet([_rows(rows, parents, z) + ess / len(zs) for z in zs], n_draws)
    drawn = np.zeros((n_states[x], n_draws, n_states[y]))
    for s in range(n_states[x]):
        for column, z in enumerate(zs):
            counts = [_rows(rows, (*parents, x, y), (*z, s, t)) + cell for t in range(n_states[y])]
            drawn[s] += p[:, column, None] * rng.dirichlet(counts, n_draws)
    ratios = drawn / drawn.mean(axis=0)
    strengths = (drawn * np.log(np.where(ratios > 0, ratios, 1.0))).sum(axis=2).mean(axis=0)
    return strengths.mean(), strengths.var(ddof=1)


def averaged_strength(rows, n_states, shares, x, y, ess, n_draws, rng):
    """Mean, variance and the part of it that is due to the structure; other structures than ancestors have 0."""
    joined = collections.Counter()
    for (parents, below), share in shares.items():
        joined[parents if y in below else None] += share
    moments = {
        parents: (0.0, 0.0) if parents is None else strength_moments(rows, n_states, parents, x, y, ess, n_draws, rng)
        for parents in joined
    }
    mean = sum(share * moments[parents][0] for parents, share in joined.items())
    within = sum(share * moments[parents][1] for parents, share in joined.items())
    between = sum(share * (moments[parents][0] - mean) ** 2 for parents, share in joined.items())
    return mean, within + between, between
