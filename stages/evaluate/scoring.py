"""Scores of a network on data by the independent scorer, so that `evaluate` checks what searches report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from formats.data_records import Dataset
from stages.scoring.independent import count_family, local_score


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
