"""Joint counts, and scores of a set less one of its members, against plain counts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.scores import count_family, log_likelihood

from stages.kernels.counting.drop_one import count_table, score_without
from stages.kernels.counting.score_tables import entropy_table
from stages.scoring.dataset_layout import pack_dataset


@pytest.mark.parametrize("noise", [0.0, 0.8])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_tables_and_sums(seed, noise):
    """With little noise rows are merged and weighted."""
    dataset, rows = dependent_dataset(seed, 5, 300, most_states=3, noise=noise)
    n_states, data = dataset.n_states.tolist(), pack_dataset(dataset.codes, dataset.n_states)
    table = entropy_table(len(rows))
    for child, parents in ((0, (1, 2, 4)), (3, (0,)), (2, (4, 0, 1, 3))):
        sizes = [n_states[v] for v in (child, *parents)]
        counts = np.empty(math.prod(sizes) + 3, dtype=np.int64)
        scratch = np.empty(len(data.weights), dtype=np.int32)
        count_table(data, child, np.array(parents, dtype=np.int32), scratch, counts)
        joint, _ = count_family(rows, child, parents)
        cells = itertools.product(*(range(r) for r in sizes[:0:-1]), range(sizes[0]))
        expected = [joint[tuple(cell[-2::-1]), cell[-1]] for cell in cells]
        assert counts[: math.prod(sizes)].tolist() == expected
        for k, left_out in enumerate(parents):
            before, after = math.prod(sizes[1 : k + 1]), math.prod(sizes[k + 2 :])
            found = score_without(counts, sizes[0], before, sizes[k + 1], after, table, table)
            fewer = [p for p in parents if p != left_out]
            assert found == pytest.approx(log_likelihood(rows, child, fewer), abs=1e-8)
