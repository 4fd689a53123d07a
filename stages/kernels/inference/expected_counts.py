"""Expected counts of families, the E step of expectation maximisation (Lauritzen 1995)."""

import numpy as np

from ..jit import njit
from .clique_tables import next_offset
from .propagation import find_entries


@njit
def add_expected(plan, network, codes, rows, is_inside, tables, logs, weights, counts):
    """Add the posterior distribution of each family of a component, weighted and summed over the rows.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, all rows)
        States; the states of hidden variables are ignored.
    rows : ndarray of int64, shape (n_rows,)
        Rows whose tables are given.
    is_inside : ndarray of bool, shape (n,)
        Variables of the component.
    tables : ndarray of float64
        The joint distribution of each clique, from `propagation.distribute`.
    logs : ndarray of float64, shape (n_rows,)
        Rows with NaN or minus infinity are skipped: their tables are not valid.
    weights : ndarray of float64, shape (all rows,)
        Multiplicity of each row.
    counts : ndarray of float64, shape (cells of all families,)
        Updated in place; laid out as ``network.probabilities``.
    """
    n_rows = len(rows)
    bases, factors = np.empty(n_rows, dtype=np.int64), np.zeros(n_rows)
    for r in range(n_rows):
        if logs[r] > -np.inf:
            factors[r] = weights[rows[r]]
    for clique in range(len(plan.tree_parents)):
        sizes = plan.sizes[plan.axis_start[clique] : plan.axis_start[clique + 1]]
        digits = np.empty(len(sizes), dtype=np.int64)
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            if plan.sources[factor] < 0:
                continue
            # A family's hidden members all lie in its clique, so summing the clique's cells into the family's
            # entries marginalises the joint distribution.
            find_entries(network, plan.sources[factor], codes, rows, is_inside, bases)
            strides = plan.strides[plan.stride_start[factor] : plan.stride_start[factor] + len(sizes)]
            digits[:] = 0
            offset = np.int64(0)
            for cell in range(plan.cell_start[clique], plan.cell_start[clique + 1]):
                for r in range(n_rows):
                    if factors[r] > 0.0:
                        counts[bases[r] + offset] += factors[r] * tables[cell * n_rows + r]
                offset = next_offset(sizes, strides, len(sizes) - 1, digits, offset)
