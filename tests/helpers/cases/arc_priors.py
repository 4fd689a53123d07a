"""Random tables with a prior of arcs, and all their networks scored from the definition."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace

from helpers.tables import dependent_dataset
from naive.arc_priors import scores_with_prior
from naive.networks import all_networks
from naive.parentsets import score_all_sets

from formats.arc_priors import ArcPrior
from formats.records import ParentSetTable
from stages.parentsets import ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun

SCORES = ("bic", "bdeu", "aic", "k2")


class Case:
    """A table of mixed states, a prior, and the scores of all sets without and with it."""

    def __init__(self, seed: int, n_variables: int | None = None, scores: tuple[str, ...] = SCORES):
        rng = random.Random(seed)
        n = n_variables or rng.choice((2, 3, 3, 4))
        self.score = rng.choice(scores)
        self.plain, self.rows = dependent_dataset(
            seed, n, rng.choice((4, 20, 60)), most_states=rng.choice((2, 3, 4)), least_states=2
        )
        strongest = rng.choice((0.7, 0.95, 0.9999))
        chosen = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.8]
        self.arcs: dict[tuple[int, int], float] = {}
        self.adjacencies: dict[tuple[int, int], float] = {}
        for pair in chosen:
            if rng.random() < 0.3:
                self.adjacencies[pair] = rng.uniform(1 - strongest, strongest)
            else:
                ways = (pair, pair[::-1])[rng.randrange(2) : rng.randrange(1, 3)]
                self.arcs |= {way: rng.uniform(1 - strongest, strongest) for way in ways}
        names = self.plain.names
        self.prior = ArcPrior(
            tuple((names[a], names[b], p) for (a, b), p in self.arcs.items()),
            tuple((names[a], names[b], q) for (a, b), q in self.adjacencies.items()),
        )
        self.dataset = replace(self.plain, prior=self.prior)
        self.most = rng.choice((1, 2, n - 1))
        states = self.plain.n_states.tolist()
        self.without = [score_all_sets(self.rows, states, child, self.most, self.score) for child in range(n)]
        self.scores = [
            scores_with_prior(scores, child, n, self.arcs, self.adjacencies)
            for child, scores in enumerate(self.without)
        ]

    def totals(self, scores) -> dict[tuple[tuple[int, ...], ...], float]:
        """The score of every network within the limit of parents."""
        return {
            parents: math.fsum(scores[child][family] for child, family in enumerate(parents))
            for parents in all_networks(self.plain.n_variables)
            if all(len(family) <= self.most for family in parents)
        }

    def lists(self, dataset, **options) -> ParentSetTable:
        """The lists that a run makes."""
        run = ParentSetRun(dataset, ParentSetOptions(score=self.score, max_parents=self.most, **options))
        return ParentSetTable.from_records(run.header, run.records())
