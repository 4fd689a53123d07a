"""Networks drawn from the posterior under the prior of orders, given the sums over subsets of `exact`."""

from __future__ import annotations

import numpy as np

from formats.records import ParentSetTable
from stages.lists.set_lists import relative_scores
from stages.runtime.budgets import Budget
from stages.runtime.seeding import task_generator

N_DRAWS = 1000
"""Networks that are drawn; a share of one half has a standard error of 0.016."""

Scaled = tuple[np.ndarray, np.ndarray]


def draw_networks(table: ParentSetTable, totals: Scaled, sums: Scaled, budget: Budget) -> np.ndarray:
    """Independent draws of an order and a network that agrees with it; the same ones each time.

    Let H(S) be the weight of the orders of S with their networks, and A_j(U) the weight of the sets of j within U.
    Then H(S) = sum over j in S of H(S - j) A_j(S - j). The last variable of an order of S is j with probability
    proportional to its term; then j has a set within S - j with probability weight / A_j(S - j).

    `totals`, shape (2^n_variables,), are mantissas and exponents of H; `sums`, shape (n_variables, 2^(n_variables -
    1)), are those of A_j; masks of the latter omit position j. Returns int32, shape (n_draws, n_variables): the set
    of each variable, as an index into the table. There are `N_DRAWS` draws, or fewer if the budget ends.
    """
    n, rng = table.n_variables, task_generator(0, 0)
    weights = relative_scores(table)
    masks = np.array([sum(1 << p for p in table.parent_set(s)) for s in range(table.n_sets)], dtype=np.int64)
    drawn = np.empty((N_DRAWS, n), dtype=np.int32)
    for number, sets in enumerate(drawn):
        if number and budget.is_spent():
            return drawn[:number]
        left = np.arange(n)
        while len(left):
            rest = (1 << left).sum() - (1 << left)
            low = rest & (1 << left) - 1
            places = left, low + (rest - low >> 1)
            with np.errstate(divide="ignore"):
                logs = np.log2(totals[0][rest]) + totals[1][rest] + np.log2(sums[0][places]) + sums[1][places]
            at = _draw(logs * np.log(2.0), rng)
            child, above = left[at], rest[at]
            first, end = table.set_offsets[child], table.set_offsets[child + 1]
            within = np.flatnonzero(masks[first:end] & ~above == 0)
            sets[child] = first + within[_draw(weights[first + within], rng)]
            left = np.delete(left, at)
    return drawn


def _draw(log_weights: np.ndarray, rng: np.random.Generator) -> int:
    """Draw a place with probability proportional to its weight; `log_weights` are natural logarithms."""
    shares = np.exp(log_weights - log_weights.max()).cumsum()
    return int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))
