"""Sampled networks that keep required and forbidden ancestors: the posterior given them, by rejection."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.ancestral_knowledge import Ancestors
from stages.runtime.errors import StageError

from .sampling import Samples

LEAST_KEPT = 20
"""Fewest networks of each chain that estimates are made from."""


def keep_samples(table: ParentSetTable, samples: Samples, ancestors: Ancestors) -> tuple[Samples, float]:
    """The samples that keep all pairs, and their share of all.

    Chains keep as many as the one with the fewest, the last ones. Raises `StageError`, which names the share, if a
    chain has fewer than `LEAST_KEPT`.
    """
    n_variables = samples.sets.shape[-1]
    distinct, which = np.unique(samples.sets.reshape(-1, n_variables), axis=0, return_inverse=True)
    agree = [ancestors.agrees([table.parent_set(s) for s in sets]) for sets in distinct.tolist()]
    kept = np.array(agree, dtype=np.bool_)[which.reshape(samples.totals.shape)]
    share, fewest = float(kept.mean()), int(kept.sum(axis=1).min())
    if fewest < LEAST_KEPT:
        raise StageError(
            f"{100 * share:.2g} % of {samples.n_samples:,} sampled networks keep the required and forbidden "
            f"ancestors, in one chain only {fewest}: too few for estimates\n"
            "  allow more --samples or --time, require and forbid arcs, which are sampled as they are, or list more "
            "sets (bnsl parentsets --sequential --keep-mass 0): perhaps no network of these lists keeps them"
        )
    last = [np.flatnonzero(row)[-fewest:] for row in kept]
    sets = np.array([chain[rows] for chain, rows in zip(samples.sets, last)])
    totals = np.array([chain[rows] for chain, rows in zip(samples.totals, last)])
    return replace(samples, sets=sets, totals=totals), share
