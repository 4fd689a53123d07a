"""Cliques of children and their parents, against a plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.lists.set_lists import lists_in
from stages.optimize.bounds.width.cliques import joined


@pytest.mark.parametrize("most", [1, 2, 3])
def test_each_child_is_joined_to_all_groups_of_its_parents(most):
    table = random_table(most, 6, 4, 12)
    found = [
        (set_, *members)
        for sets, columns in joined(lists_in(table), most)
        for set_, *members in np.stack([sets, *columns], axis=1).tolist()
    ]
    families = [(child, parents) for child, listed in enumerate(lists_of(table)) for _, parents in listed]
    expected = [
        (number, child, *some)
        for number, (child, parents) in enumerate(families)
        for size in range(1, most + 1)
        for some in itertools.combinations(parents, size)
    ]
    assert sorted(found) == sorted(expected)
