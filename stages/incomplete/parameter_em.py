"""Parameters of a network from rows with holes: expectation maximisation (Dempster, Laird and Rubin 1977).

Each iteration computes the expected counts of all families under the current parameters exactly (Lauritzen 1995) and
re-estimates the parameters from them, until no probability changes any more: the log-likelihood is flat where they
still do. The log-likelihood of the observed cells does not decrease; with smoothing, the log-posterior does not. The
maximum may be local, so there can be random restarts. A variable's family is not counted in rows in which it was set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from formats.records import NetworkRecord, Parameters
from formats.wording import plural, whole
from stages.fit import UNIFORM, added_rows, check_same_variables, table_shape, to_probabilities
from stages.inference.expected_counts import Expectations
from stages.inference.junction_trees import Engine
from stages.runtime.budgets import StopSignal
from stages.runtime.errors import NothingFoundError
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator


@dataclass(frozen=True)
class Maximisation:
    """Settings of expectation maximisation."""

    smoothing: float = 0.0  # as in `stages.fit.fit_parameters`; 0 for no prior
    towards: str = UNIFORM  # as in `stages.fit.added_rows`; marginals are of the rows that show a whole family
    restarts: int = 1  # number of starts: the first uses rows that show whole families, the others are random
    seed: int = 0
    tolerance: float = 1e-6  # convergence: an iteration changes every probability by less than this
    iterations: int = 1000  # limit per start
    jobs: int = 1  # threads
    memory: int | None = None  # limit of a junction tree's tables in bytes; by default the free memory


class Maximum(NamedTuple):
    """Parameters estimated from rows with holes."""

    parameters: Parameters
    log_likelihood: float  # of the observed cells, nats
    # For each start, the objective before each iteration and at the end: the log-likelihood; with smoothing also the
    # log-prior, up to a constant; nats.
    traces: list[list[float]]
    best: int  # index of the best start
    change: float  # largest change of a probability in a further iteration of the best start
    converged: bool  # whether this is below the tolerance


class _Run(NamedTuple):
    """Result of one start."""

    probabilities: np.ndarray
    log_likelihood: float
    trace: list[float]
    change: float
    converged: bool


def fit_incomplete(
    network: NetworkRecord,
    rows: Dataset,
    settings: Maximisation,
    *,
    name: str = "unknown",
    elimination: Sequence[int] | None = None,
    start: Parameters | None = None,
    stop: StopSignal | None = None,
    reporter: Reporter | None = None,
) -> Maximum:
    """Estimate every variable's probability table from rows with holes.

    Raises `Inconsistent` if variables or states of network and data differ; `StageError` if a table, or the tables of
    a junction tree, would be too large; `NothingFoundError` if stopped before the first iteration. The rows have the
    network's variables in the same order, and its states where it knows them. `name` is the name of the result,
    `elimination` a known elimination order to try, `start` the initial parameters of the first start, for the same
    structure. Once `stop` is set, the best parameters so far are returned.
    """
    if not 0 <= settings.smoothing < math.inf:
        raise ValueError(f"smoothing must be finite and not negative, got {settings.smoothing}")
    check_same_variables(network, rows)
    shapes = [table_shape(rows, child, parents) for child, parents in enumerate(network.parents)]
    uniform = tuple(np.full(shape, 1.0 / shape[-1]) for shape in shapes)
    blank = Parameters(rows.variables, network.parents, uniform, name)
    task = _Task(Engine(blank, elimination, settings.memory), shapes, rows, settings)
    if reporter is not None:
        reporter.detail(
            f"{plural(rows.n_holes, 'missing cell')} in {plural(task.rows.n_patterns, 'pattern')}; the junction tree "
            f"has {whole(task.rows.engine.whole_cells)} cells if all variables are hidden"
        )
    runs: list[_Run] = []
    for number in range(settings.restarts):
        begin = task.start(number) if start is None or number else task.flatten(start.tables)
        runs.append(task.climb(begin, number, stop, reporter))
        if stop is not None and stop.is_set():
            break
    # By the objective of the iterations; with smoothing this is not the likelihood alone.
    best = max(range(len(runs)), key=lambda i: runs[i].trace[-1])
    found = runs[best]
    tables = tuple(table.copy() for table in task.tables(found.probabilities))
    fitted = Parameters(rows.variables, network.parents, tables, name)
    return Maximum(fitted, found.log_likelihood, [run.trace for run in runs], best, found.change, found.converged)


class _Task:
    """A structure and rows, prepared for iterations; parameters are flat arrays, family after family."""

    def __init__(self, engine: Engine, shapes: Sequence[tuple[int, ...]], rows: Dataset, settings: Maximisation):
        self.shapes = shapes
        self.rows = Expectations(engine, rows)
        self.settings = settings
        ends = np.cumsum([math.prod(shape) for shape in shapes]).tolist()
        self.places = [slice(end - math.prod(shape), end) for shape, end in zip(shapes, ends)]
        self.prior = [
            added_rows(table, settings.smoothing, settings.towards)
            for table in self.tables(self.rows.observed_counts)
        ]

    def tables(self, flat: np.ndarray) -> list[np.ndarray]:
        """Views of a flat array by family."""
        return [flat[place].reshape(shape) for place, shape in zip(self.places, self.shapes)]

    def flatten(self, tables: Sequence[np.ndarray]) -> np.ndarray:
        """The inverse of `tables`."""
        return np.concatenate([table.ravel() for table in tables])

    def start(self, number: int) -> np.ndarray:
        """Positive initial parameters: random, to which start 0 adds the counts of whole families.

        The random part has the weight of one row per parent configuration.
        """
        # Exponentials divided by their sum are uniform among the distributions.
        chance = task_generator(self.settings.seed, number).standard_exponential(len(self.rows.observed_counts))
        nothing = [0.0] * len(self.shapes)
        chance = self.maximise(np.maximum(chance, 1e-9), nothing)
        return self.maximise(self.rows.observed_counts + chance, nothing) if number == 0 else chance

    def maximise(self, counts: np.ndarray, prior: Sequence[np.ndarray | float]) -> np.ndarray:
        """The M step."""
        return self.flatten([to_probabilities(table, added) for table, added in zip(self.tables(counts), prior)])

    def log_prior(self, probabilities: np.ndarray) -> float:
        """Log-density of the prior up to a constant."""
        if self.settings.smoothing == 0.0:
            return 0.0
        # The M step adds these rows to each count: it maximises the log-likelihood plus this term.
        parts = zip(self.prior, self.tables(probabilities))
        return math.fsum(float((added * np.log(part)).sum()) for added, part in parts)

    def climb(
        self, probabilities: np.ndarray, number: int, stop: StopSignal | None, reporter: Reporter | None
    ) -> _Run:
        """Iterate until convergence, the limit of iterations, or the stop signal."""
        settings = self.settings
        trace: list[float] = []
        reached, change = -math.inf, math.inf
        kept = probabilities
        for iteration in range(settings.iterations + 1):
            found = self.rows.expect(probabilities, settings.jobs, stop)
            if found is None:
                break
            # The E step gives the likelihood of its initial parameters, so these are kept together; parameters of the
            # last M step are kept only once they are evaluated.
            kept, reached = probabilities, found.log_likelihood
            trace.append(found.log_likelihood + self.log_prior(probabilities))
            if reporter is not None:
                of = f"start {number + 1} of {settings.restarts}, " if settings.restarts > 1 else ""
                reporter.progress(iteration, settings.iterations, f"{of}iterations", loglik=reached)
            probabilities = self.maximise(found.counts, self.prior)
            change = float(np.abs(probabilities - kept).max())
            if change < settings.tolerance:
                return _Run(kept, reached, trace, change, True)
        if not trace and number == 0:
            raise NothingFoundError("interrupted before the first iteration: no parameters were estimated")
        return _Run(kept, reached, trace or [-math.inf], change, False)
