"""Networks around a class: what they share. Every feature has the class as a parent; methods differ in the others.

The class is ``options.target``. Features are compared by the gain of a second parent given the class: N times
the conditional mutual information of two features given the class, in nats (log-likelihoods, whatever the score).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from stages.optimize import OptimizeOptions
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer


class ClassCentred:
    """The class, the features, and log-likelihoods of the features with one and with two parents.

    Raises `StageError`: the class is no column; rows under intervention, which say little about the rows to predict;
    knowledge about arcs, since these methods follow a fixed rule.
    """

    def __init__(self, scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter):
        names, target = scorer.dataset.names, options.target
        if target is None or target not in names:
            raise StageError(f"--target: there is no column {target!r}")
        if scorer.dataset.interventions is not None:
            raise StageError(
                f"method {options.method} learns to predict rows as they come: leave out --interventions"
            )
        if options.knowledge is not None and not options.knowledge.is_empty:
            raise StageError(
                f"method {options.method} draws its arcs by a fixed rule: it cannot follow --require, --forbid, "
                "--allow or --tiers; searches by score can, such as --method pricing"
            )
        self.target, self.scorer, self.budget, self.reporter = names.index(target), scorer, budget, reporter
        self.features = [v for v in range(scorer.n_variables) if v != self.target]
        self.likelihood = scorer if scorer.score == "ll" else FamilyScorer(scorer.dataset, "ll", stop=scorer.stop)

    def relevance(self) -> np.ndarray:
        """N times the mutual information of every variable and the class, nats, float64, shape (n,); 0 for itself."""
        found = self.likelihood.expand(self.target, ()) - self.likelihood.local_score(self.target, ())
        found[self.target] = 0.0
        return found

    def gains(self) -> np.ndarray:
        """N times the conditional mutual information of features given the class, nats, float64, shape (n, n).

        ``gains[i, j]`` is -inf where it was not computed: on the diagonal, with the class, and for features not
        reached when the budget was spent.
        """
        n = self.scorer.n_variables
        found = np.full((n, n), -math.inf)
        for count, child in enumerate(self.features, 1):
            if self.budget.is_spent(self.likelihood.evaluations):
                self.reporter.warn(
                    f"the run ended early: {count - 1} of {len(self.features)} features were compared with each "
                    "other; the class is the only parent of the rest"
                )
                break
            others = np.array([v for v in self.features if v < child], dtype=np.int32)
            if len(others):
                alone = self.likelihood.local_score(child, (self.target,))
                found[child, others] = self.likelihood.expand(child, (self.target,), others)[others] - alone
            self.reporter.progress(count, len(self.features), "features")
        return np.fmax(found, found.T)

    def families(self, parents_of: dict[int, tuple[int, ...]]) -> Parents:
        """The parents of all variables: every feature has the class and the given further features as parents."""
        return tuple(
            () if v == self.target else tuple(sorted((self.target, *parents_of.get(v, ()))))
            for v in range(self.scorer.n_variables)
        )

    def result(self, parents_of: dict[int, tuple[int, ...]], facts: dict[str, Any] | None = None) -> SearchResult:
        """The network in which every feature has the class and the given further features as parents."""
        parents = self.families(parents_of)
        scores = np.array([self.scorer.local_score(v, parents[v]) for v in range(self.scorer.n_variables)])
        facts = (facts or {}) | {"evaluations": self.likelihood.evaluations + self.scorer.evaluations}
        return SearchResult(parents, scores, math.fsum(scores.tolist()), facts)


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile what these methods run, on a tiny table that lacks the class."""
    task = ClassCentred(scorer, replace(options, target=scorer.dataset.names[0]), budget, reporter)
    task.relevance()
    task.gains()
    task.result({task.features[1]: (task.features[0],)})
