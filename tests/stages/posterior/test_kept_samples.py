"""The posterior under required and forbidden ancestors, against enumeration."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from naive.optimize.ancestors import keeps, listed_networks
from naive.optimize.networks_search import make_table

from stages.ancestral_knowledge import Ancestors
from stages.knowledge import make_knowledge
from stages.lists.constrain import keep_admissible
from stages.posterior import PosteriorOptions, choose_method
from stages.posterior.arc_posterior import run
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter


def all_lists(seed: int, n: int):
    rng = random.Random(seed)
    others = [[v for v in range(n) if v != child] for child in range(n)]
    return [
        {s: rng.gauss(0.0, 1.0) for k in range(n) for s in itertools.combinations(others[child], k)}
        for child in range(n)
    ]


@pytest.mark.parametrize(
    ("required", "forbidden"), [([(0, 2)], []), ([], [(1, 2)]), ([(1, 0)], [(2, 0)]), ([(0, 1), (1, 2)], [])]
)
def test_probabilities_given_the_ancestors(required, forbidden):
    lists = all_lists(len(required), 3)
    arcs, total = np.zeros((3, 3)), 0.0
    for parents, score in listed_networks(lists):
        if keeps(parents, required, forbidden):
            total += math.exp(score)
            for child, family in enumerate(parents):
                arcs[list(family), child] += math.exp(score)
    table = make_table(lists)
    knowledge = make_knowledge(table.header.names, ancestors=Ancestors.of(required, forbidden))
    options = PosteriorOptions(ancestors=knowledge.ancestors, samples=20_000, seed=1)
    assert choose_method(options, 3) == "sampled"
    found = run(keep_admissible(table, knowledge), options, Budget(), NullReporter())
    got = np.zeros((3, 3))
    got[found.table.parents, found.table.children] = found.table.probability
    assert np.allclose(got, arcs / total, atol=0.03)
    assert 0.0 < found.table.header.extra["accepted"] < 1.0 and "listed_share" not in found.table.header.extra


def test_too_few_networks_are_an_error():
    table = make_table([{(): 0.0}, {(): 0.0, (0,): -30.0}])
    options = PosteriorOptions(ancestors=Ancestors.of([(0, 1)]), samples=400)
    with pytest.raises(StageError, match="0 % of 404 sampled networks"):
        run(table, options, Budget(), NullReporter())
