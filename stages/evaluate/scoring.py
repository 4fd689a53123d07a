"""Scores of a network on data, counted with numpy.

Nothing is shared with the compiled scorer of the searches, so that `evaluate` checks independently what they report.
Scores are in nats, higher is better; empty cells and configurations contribute nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from formats.packed_cells import Cells

CODE_LIMIT = 2**54
"""Bound of the row codes: one more variable of 256 states cannot overflow 64 bits."""

MIN_TABLE_CELLS = 4096
"""Limit of a dense table of counts: this many cells, or four per row if that is more."""


class FamilyCounts(NamedTuple):
    """Counts of one family, sparse: only cells and parent configurations that occur."""

    joint: np.ndarray  # int64, shape (n_cells,): N_xπ of every occurring cell
    joint_marginal: np.ndarray  # int64, shape (n_cells,): N_π of the parent configuration that each cell belongs to
    marginal: np.ndarray  # int64, shape (n_occurring_configurations,): N_π of every occurring parent configuration
    n_rows: int
    n_states: int  # states of the child
    n_configurations: float  # parent configurations, occurring or not; infinite if the product overflows

    @property
    def n_parameters(self) -> float:
        """Free parameters: one less than the child's states for every parent configuration."""
        return (self.n_states - 1) * self.n_configurations


def encode_rows(codes: Cells, n_states: Sequence[int], variables: Sequence[int]) -> tuple[np.ndarray, int]:
    """Number each row's configuration of some variables.

    Returns the row codes (int64, shape (n_rows,)): mixed-radix numbers of the configurations, or their ranks among
    those that occur if a dense table would be much larger than the data; and an upper bound of the codes, at most the
    larger of `MIN_TABLE_CELLS` and four per row. `codes` is uint8, shape (n_variables, n_rows), `n_states` by
    variable; the first of `variables` is the most significant.
    """
    n_rows = codes.shape[1]
    row_codes = np.zeros(n_rows, dtype=np.int64)
    n_codes = 1
    for variable in variables:
        # Ranks among the codes met number the same groups of rows, with at most as many codes as rows.
        if n_codes > CODE_LIMIT:
            row_codes, n_codes = _rank(row_codes)
        n_codes *= int(n_states[variable])
        row_codes *= int(n_states[variable])
        row_codes += codes[variable]
    if n_codes > max(MIN_TABLE_CELLS, 4 * n_rows):
        return _rank(row_codes)
    return row_codes, n_codes


def _rank(row_codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Replace codes by their ranks among the distinct codes."""
    distinct, ranks = np.unique(row_codes, return_inverse=True)
    return ranks.astype(np.int64, copy=False), len(distinct)


def count_family(dataset: Dataset, n_states: Sequence[int], child: int, parents: Sequence[int]) -> FamilyCounts:
    """Count the cells of a family; `n_states` is by variable."""
    configurations, n_codes = encode_rows(dataset.codes, n_states, parents)
    child_states = int(n_states[child])
    # So the configuration of a cell is its code divided by the child's states.
    cells = configurations * child_states
    cells += dataset.codes[child]
    if n_codes * child_states > max(MIN_TABLE_CELLS, 4 * dataset.n_rows):
        cells, joint = np.unique(cells, return_counts=True)
    else:
        table = np.bincount(cells, minlength=n_codes * child_states)
        cells = np.flatnonzero(table)
        joint = table[cells]
    marginal = np.bincount(configurations, minlength=n_codes)
    return FamilyCounts(
        joint,
        marginal[cells // child_states],
        marginal[marginal > 0],
        dataset.n_rows,
        child_states,
        # Floats overflow to infinity where int64 would wrap around.
        math.prod(float(n_states[p]) for p in parents),
    )


def log_likelihood(counts: FamilyCounts) -> float:
    """Maximum log-likelihood: the sum of N_xπ ln(N_xπ / N_π)."""
    return float(np.sum(counts.joint * np.log(counts.joint / counts.joint_marginal)))


def dirichlet_score(counts: FamilyCounts, alpha: float) -> float:
    """Log marginal likelihood with Dirichlet parameter `alpha` in every cell (Heckerman et al. 1995)."""
    # More cells than a float can count, or so many that the quotient underflows.
    if alpha == 0.0:
        return -math.inf
    return _log_rising(alpha, counts.joint) - _log_rising(alpha * counts.n_states, counts.marginal)


def _log_rising(start: float, counts: np.ndarray) -> float:
    """Sum over all counts m of lnΓ(start + m) − lnΓ(start)."""
    # Counts take few distinct values: one call of math.lgamma for each is affordable.
    values, times = np.unique(counts, return_counts=True)
    base = math.lgamma(start)
    return math.fsum(t * (math.lgamma(start + m) - base) for m, t in zip(values.tolist(), times.tolist()))


def local_score(counts: FamilyCounts, score: str = "bic", ess: float = 1.0) -> float:
    """Local score of a counted family.

    `ess`, the equivalent sample size, is for ``bdeu`` only. It is minus infinity if the parent configurations are too
    many for the penalty or the prior to be a float.

    BIC takes (ln N)/2 per free parameter (Schwarz 1978), AIC takes 1 (Akaike 1974), both over all parent
    configurations, occurring or not. BDeu spreads `ess` evenly over the cells (Buntine 1991); K2 has the
    parameter 1 in every cell (Cooper & Herskovits 1992). Graph priors are not added.
    """
    if score == "ll":
        return log_likelihood(counts)
    if score == "bic":
        return log_likelihood(counts) - 0.5 * math.log(counts.n_rows) * counts.n_parameters
    if score == "aic":
        return log_likelihood(counts) - counts.n_parameters
    if score == "bdeu":
        return dirichlet_score(counts, ess / counts.n_states / counts.n_configurations)
    if score == "k2":
        return dirichlet_score(counts, 1.0)
    raise ValueError(f"unknown score {score!r}")


def score_families(
    parents: Sequence[Sequence[int]], dataset: Dataset, scores: Iterable[str], ess: float = 1.0
) -> dict[str, np.ndarray]:
    """Local scores of all families by several scores, each family counted once.

    Returns float64, shape (n_variables,), for every name in `scores`.
    """
    names = list(scores)
    result = {name: np.empty(len(parents)) for name in names}
    n_states = dataset.n_states.tolist()
    for child, parent_set in enumerate(parents):
        counts = count_family(dataset, n_states, child, parent_set)
        for name in names:
            result[name][child] = local_score(counts, name, ess)
    return result


def count_parameters(parents: Sequence[Sequence[int]], n_states: Sequence[int]) -> int:
    """Free parameters of a network, over all parent configurations, occurring or not."""
    states = [int(s) for s in n_states]
    return sum((states[c] - 1) * math.prod(states[p] for p in pa) for c, pa in enumerate(parents))
