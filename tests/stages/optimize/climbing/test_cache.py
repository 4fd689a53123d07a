"""The cache of local scores: values are those of the definition, and no set is scored twice while it is kept."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import dependent_dataset

from stages.optimize.climbing.cache import FamilyCache
from stages.scoring.family_scorer import FamilyScorer


def test_a_set_that_is_known_in_another_way_is_not_scored_again():
    scorer = FamilyScorer(dependent_dataset(3, 5, 200)[0])
    cache = FamilyCache(scorer)

    def expand(child, parent, candidates):
        found = cache.expand(child, (parent,), np.array(candidates, dtype=np.int32))
        expected = [scorer.local_score(child, tuple(sorted((parent, y)))) for y in candidates]
        assert found == pytest.approx(expected)
        return cache.computed

    assert expand(0, 1, [2, 3]) == 2
    assert expand(0, 2, [1, 3, 4]) == 4  # {1, 2} was an expansion of {1}
    assert cache.score(0, (3, 4)) == pytest.approx(scorer.local_score(0, (3, 4)))
    assert expand(0, 3, [1, 2, 4]) == 5
    assert expand(0, 4, [1, 2, 3]) == 6
    assert expand(2, 1, [0, 3]) == 8  # another child
    fewer = cache.reduce(0, (1, 2, 3))
    assert fewer == pytest.approx([scorer.local_score(0, pair) for pair in ((2, 3), (1, 3), (1, 2))])
    assert cache.computed == 8
