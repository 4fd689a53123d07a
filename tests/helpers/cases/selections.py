"""Best-first selection on small data, to be compared with the plain twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from naive.scores import local_score

from formats.records import ESTIMATES
from stages.knowledge import Knowledge
from stages.parentsets import ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun

from ..tables import dependent_dataset

CASES = [
    pytest.param("bic", {}, None, id="bic"),
    pytest.param("bic", {2: (0,), 5: (1, 6)}, 4, id="bic, required parents"),
    pytest.param("aic", {}, 3, id="aic"),
    pytest.param("bdeu", {}, 4, id="bdeu"),
    pytest.param("bdeu", {2: (0,)}, 3, id="bdeu, required parents"),
    pytest.param("k2", {}, 3, id="k2"),
    pytest.param("fnml", {}, 3, id="fnml"),
    pytest.param("qnml", {2: (0,)}, 3, id="qnml, required parents"),
    pytest.param("ll", {}, 3, id="ll"),
]

SEEDS = [6, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (45, 76))]
"""Of data without constant variables, but for the second."""


def identify(dataset, *given, **inputs):
    """Header and records of a run; arguments as of `ParentSetRun`."""
    run = ParentSetRun(dataset, *given, **inputs)
    return run.header, run.records()


class Case:
    """Data and a run on them that traces; every third arc is forbidden."""

    def __init__(self, method, seed, score, required, max_parents, evaluations):
        dataset, self.rows = dependent_dataset(seed, 8, 150, most_states=3)
        names = dataset.names
        forbidden = [
            (p, child)
            for child in range(8)
            for p in range(8)
            if p != child and (p + child) % 3 == 0 and p not in required.get(child, ())
        ]
        knowledge = Knowledge.of_arcs(names, [(p, child) for child in required for p in required[child]], forbidden)
        self.evaluations = evaluations
        options = ParentSetOptions(method=method, score=score, evaluations=evaluations, max_parents=max_parents)
        self.run = ParentSetRun(dataset, options, knowledge=knowledge)
        self.scorer = self.run.scorer
        self.n_states = dataset.n_states.tolist()

    def explored(self):
        """Records, and the sets that each search explored."""
        traces = {}
        records = list(self.run.records(trace=lambda sets: traces.setdefault(sets.child, sets)))
        return records, {child: rows_of(sets) for child, sets in traces.items()}

    def score(self, child, parents):
        """The local score by definition, rounded as ours are, so that ties are ties."""
        value = local_score(self.rows, self.n_states, child, parents, self.scorer.score, 1.0)
        return round(value / self.scorer.quantum) * self.scorer.quantum

    def undominated(self, child, sets):
        """Those that no subset among them matches."""
        scores = {parents: self.score(child, parents) for parents in sets}
        return {
            parents
            for parents in sets
            if not any(
                scores.get(subset, -np.inf) >= scores[parents]
                for size in range(len(parents))
                for subset in itertools.combinations(parents, size)
            )
        }


def rows_of(explored):
    """Explored sets as tuples of parents, score and estimate."""
    estimates = explored.extra[ESTIMATES].tolist()
    return list(zip(explored.parents, explored.scores.tolist(), estimates, strict=True))
