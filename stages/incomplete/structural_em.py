"""Structures from rows with holes: structural expectation maximisation (Friedman 1997).

A round imputes the holes under the current network, searches on the completed table, and fits the parameters of the
result to the rows with holes. Holes get their most probable joint state, as in Scanagatta, Corani, Zaffalon, Yoo and
Kang (2018), or a draw given the observed cells, which does not overstate dependences. The first network is the
maximum spanning tree of the mutual information of available pairs (Chow and Liu 1968).

Networks from different tables are compared by the exact log-likelihood of the observed cells minus the difference
between the completed table's maximised log-likelihood and its score: the penalty of BIC and AIC, and for BDeu and K2
the approximation of Cheeseman and Stutz (1996). The rounds end when this score no longer rises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from formats import bounds
from formats.data_records import Dataset
from formats.records import Header, NetworkRecord, Parameters
from stages.fit import fit_parameters
from stages.inference.intervened_networks import detached
from stages.inference.junction_trees import Engine
from stages.inference.row_queries import fill
from stages.runtime.budgets import StopSignal
from stages.runtime.reporting import ChangedNetworks, Reporter
from stages.runtime.seeding import next_seed, task_generator
from stages.scoring.independent import score_families
from stages.screening.entropies import compute_entropies, mutual_information

from . import StructuralEM
from .parameter_em import Maximisation, fit_incomplete

Found = tuple[NetworkRecord, dict[str, Any]]
"""A network and the figures of its search."""

Search = Callable[[Dataset, NetworkRecord | None, Reporter], Found]
"""Searches a network for a complete table, from a start network if given."""

SMOOTHING = 1.0
"""Equivalent sample size of the prior of the imputing parameters: no state is impossible."""


class _Round(NamedTuple):
    """Result of a round, and its score on the observed cells."""

    network: NetworkRecord
    figures: dict[str, Any]
    score: float


def learn_structure(
    rows: Dataset,
    search: Search,
    settings: StructuralEM,
    start: NetworkRecord | None,
    stop: StopSignal,
    reporter: Reporter,
) -> Found:
    """Learn a network from rows with holes.

    `start` is the structure for the first imputation and for the start of the first search; its variables are in the
    data's order. Once `stop` is set, the best network so far is returned; the search must obey it, too.

    Returns the network of the best round, and the figures of its search and of all rounds. Local scores and ``total``
    refer to that round's completed table. The header has ``holes``, ``rounds``, ``imputation`` and
    ``observed_score``. The network so far that `reporter` gets is that of the best round, or of the first search.
    Raises `StageError` if the tables of a junction tree do not fit into memory.
    """

    def whole(found: _Round) -> NetworkRecord:
        facts = {"holes": rows.n_holes, "rounds": len(trace), "imputation": settings.imputation}
        facts |= {} if math.isnan(found.score) else {"observed_score": found.score}
        header = found.network.header
        # A bound for a completed table does not hold for the rows with holes.
        extra = {key: value for key, value in header.extra.items() if key not in bounds.KEYS}
        header = replace(header, data=rows.fingerprint or None, extra=extra | facts)
        return replace(found.network, header=header)

    def so_far(searched: NetworkRecord) -> NetworkRecord:
        network = whole(best or _Round(searched, {}, math.nan))
        return replace(network, header=replace(network.header, extra={**network.header.extra, "interrupted": True}))

    first = start or spanning_tree(rows)
    model = fit_incomplete(first, rows, _settings(settings), stop=stop).parameters
    best: _Round | None = None
    before, trace = start, list[dict[str, Any]]()
    for number in range(1, settings.rounds + 1):
        completed = _complete(rows, model, before, settings, number)
        network, figures = search(completed, before, ChangedNetworks(reporter, so_far))
        if stop.is_set():
            # The network of an interrupted search has no known score; it is returned only if there is no other.
            best = best or _Round(network, figures, math.nan)
            break
        fitted = fit_incomplete(
            network,
            rows,
            _settings(settings),
            start=fit_parameters(network, completed, smoothing=SMOOTHING),
            elimination=network.certified_order,
            stop=stop,
        )
        found = _Round(network, figures, observed_score(network, completed, fitted.log_likelihood))
        trace.append({"score": found.score, "total": network.header.extra["total"], "arcs": network.n_arcs})
        reporter.detail(f"round {number}: {network.n_arcs} arcs, score of the observed cells {found.score:,.2f}")
        # A round is accepted only while the score rises, so the rounds end, whatever the imputation draws.
        if best is not None and not found.score > best.score:
            break
        is_same = before is not None and before.parents == network.parents
        best, before, model = found, network, fitted.parameters
        reporter.progress(number, settings.rounds, "rounds", partial(so_far, network), score=best.score)
        if is_same:
            break
    assert best is not None
    return whole(best), {**best.figures, "rounds": trace}


def observed_score(network: NetworkRecord, completed: Dataset, log_likelihood: float) -> float:
    """Log-likelihood of the observed cells minus the score's penalty on the completed table, nats.

    `network` has its score on `completed` as ``total``; `log_likelihood` is for the observed cells, under parameters
    fitted to them.
    """
    maximised = math.fsum(score_families(network.parents, completed, ("ll",))["ll"])
    return log_likelihood - (maximised - float(network.header.extra["total"]))


def spanning_tree(rows: Dataset) -> NetworkRecord:
    """Maximum spanning tree of available pairs' mutual information (Prim 1957), rooted at the first variable.

    It is a start, so all rows count alike, also those under intervention.
    """
    variables = rows.variables
    n = len(variables)
    observed = replace(rows, interventions=None)
    information = mutual_information(compute_entropies(observed), rows.names, "the data")
    parents: list[tuple[int, ...]] = [()] * n
    is_outside = np.arange(n) > 0
    nearest, gain = np.zeros(n, dtype=np.int64), information[0].copy()
    for _ in range(n - 1):
        child = int(np.where(is_outside, gain, -1.0).argmax())
        parents[child] = (int(nearest[child]),)
        is_outside[child] = False
        # `gain` is the best link of each outside variable into the tree, `nearest` its end there.
        is_closer = information[child] > gain
        nearest[is_closer], gain[is_closer] = child, information[child, is_closer]
    return NetworkRecord(Header(variables), tuple(parents), np.full(n, np.nan))


def _complete(
    rows: Dataset, model: Parameters, network: NetworkRecord | None, settings: StructuralEM, number: int
) -> Dataset:
    """The table with its holes imputed under a model."""
    seed = None
    if settings.imputation == "drawn":
        seed = next_seed(task_generator(settings.seed, number))
    order, codes = None if network is None else network.certified_order, rows.plain_codes
    if rows.interventions is None:
        filled = fill(Engine(model, order), codes, rows.holes, seed, settings.jobs)
        return rows.filled(np.concatenate([answers.codes for answers in filled], axis=1))
    codes, holes = codes.copy(), rows.holes
    for place, (target, chosen) in enumerate(rows.by_target()):
        own = None if seed is None else next_seed(task_generator(seed, place))
        part = np.ascontiguousarray(codes[:, chosen]), np.ascontiguousarray(holes[:, chosen])
        filled = fill(Engine(detached(model, target), order), *part, own, settings.jobs)
        codes[:, chosen] = np.concatenate([answers.codes for answers in filled], axis=1)
    return rows.filled(codes)


def _settings(settings: StructuralEM) -> Maximisation:
    """Settings of parameter fitting between rounds, with a loose tolerance."""
    return Maximisation(smoothing=SMOOTHING, tolerance=1e-3, iterations=30, jobs=settings.jobs)
