"""Structures from rows with holes: structural expectation maximisation (Friedman 1997).

A round completes the table by the network so far, searches the completed table, of which all counts are whole
numbers, and fits the parameters of what was found to the rows with holes. Holes get the states most probable
together, as Scanagatta, Corani, Zaffalon, Yoo and Kang (2018) complete them, or states drawn given the observed ones,
which do not make relations look surer than they are. The first network is the maximum spanning tree of mutual
information (Chow and Liu 1968) of available pairs.

Networks of different tables compare by the log-likelihood of the observed cells, exact, less what the score takes off
the maximised log-likelihood of the completed table: for BIC and AIC their penalty, for BDeu and K2 as in the
approximation of Cheeseman and Stutz (1996). The rounds end when that no longer rises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from formats.data_records import Dataset, IncompleteDataset
from formats.graph_records import BayesianNetwork
from formats.records import Header, Network
from stages.entropy import compute_entropies, mutual_information
from stages.evaluate.scoring import score_families
from stages.fit import fit_parameters
from stages.inference.engine import Engine
from stages.inference.tables import fill
from stages.runtime.budgets import StopSignal
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .maximisation import Maximisation, fit_incomplete

Found = tuple[Network, dict[str, Any]]
"""A network and the figures of its search."""

Search = Callable[[Dataset, Network | None], Found]
"""Finds a network for a complete table, starting from a network if there is one."""

SMOOTHING = 1.0
"""Equivalent sample size of the prior behind the parameters that complete rows: no state is impossible."""

OF_ONE_TABLE = ("bound", "gap", "bound_relative_to")
"""What a search proves of a filled table says nothing of the rows with holes."""

MOST_SEED = 1 << 31


@dataclass(frozen=True)
class StructuralEM:
    """How structures are learned from rows with holes.

    Attributes
    ----------
    imputation : str
        ``best``: the states of a row's holes that are most probable together; ``drawn``: drawn given its other cells.
    rounds : int
        At most so many.
    seed : int
        Of the draws.
    jobs : int
        Threads of the inference.
    """

    imputation: str = "best"
    rounds: int = 20
    seed: int = 0
    jobs: int = 1


class _Round(NamedTuple):
    """What a round found, and its score on the observed cells."""

    network: Network
    figures: dict[str, Any]
    score: float


def learn_structure(
    rows: IncompleteDataset,
    search: Search,
    settings: StructuralEM,
    start: Network | None,
    stop: StopSignal,
    reporter: Reporter,
) -> Found:
    """Learn a network from rows with holes.

    Parameters
    ----------
    rows : IncompleteDataset
    search : callable
    settings : StructuralEM
    start : Network, optional
        Its structure completes the rows first, and the first search starts from it; variables in the data's order.
    stop : StopSignal
        Once it is set the best network so far is returned; the search has to hear it, too.
    reporter : Reporter

    Returns
    -------
    (Network, dict)
        The network of the best round, and the figures of its search with those of all rounds. Local scores and
        ``total`` are of the table as it was completed then. The header says ``holes``, ``rounds``, ``imputation`` and
        ``observed_score``.

    Raises
    ------
    StageError
        The tables of a junction tree do not fit into memory.
    """
    first = start or spanning_tree(rows)
    model = fit_incomplete(first, rows, _settings(settings), stop=stop).network
    best: _Round | None = None
    before, trace = start, list[dict[str, Any]]()
    for number in range(1, settings.rounds + 1):
        completed = _complete(rows, model, before, settings, number)
        network, figures = search(completed, before)
        if stop.is_set():
            best = best or _Round(network, figures, math.nan)
            break
        fitted = fit_incomplete(
            network,
            rows,
            _settings(settings),
            start=fit_parameters(network, completed, smoothing=SMOOTHING),
            elimination=_elimination(network),
            stop=stop,
        )
        found = _Round(network, figures, observed_score(network, completed, fitted.log_likelihood))
        trace.append({"score": found.score, "total": network.header.extra["total"], "arcs": network.n_arcs})
        reporter.detail(
            f"round {number}: {network.n_arcs} arcs, score of the observed cells {found.score:,.2f}"
        )
        if best is not None and not found.score > best.score:
            break
        is_same = before is not None and before.parents == network.parents
        best, before, model = found, network, fitted.network
        if is_same:
            break
    assert best is not None
    facts = {"holes": rows.n_holes, "rounds": len(trace), "imputation": settings.imputation}
    facts |= {} if math.isnan(best.score) else {"observed_score": best.score}
    header = best.network.header
    extra = {key: value for key, value in header.extra.items() if key not in OF_ONE_TABLE}
    header = replace(header, data=rows.dataset.fingerprint or None, extra=extra | facts)
    return replace(best.network, header=header), {**best.figures, "rounds": trace}


def observed_score(network: Network, completed: Dataset, log_likelihood: float) -> float:
    """The log-likelihood of observed cells less what the score takes off that of a completed table, nats.

    Parameters
    ----------
    network : Network
        Its ``total`` is the score on `completed`.
    completed : Dataset
    log_likelihood : float
        Of the observed cells under parameters fitted to them.
    """
    maximised = math.fsum(score_families(network.parents, completed, ("ll",))["ll"])
    return log_likelihood - (maximised - float(network.header.extra["total"]))


def spanning_tree(rows: IncompleteDataset) -> Network:
    """The tree of most mutual information of available pairs, arcs away from the first variable (Prim 1957)."""
    variables = rows.dataset.variables
    n = len(variables)
    information = mutual_information(compute_entropies(rows), rows.dataset.names, "the data")
    parents: list[tuple[int, ...]] = [()] * n
    is_outside = np.arange(n) > 0
    nearest, gain = np.zeros(n, dtype=np.int64), information[0].copy()
    for _ in range(n - 1):
        child = int(np.where(is_outside, gain, -1.0).argmax())
        parents[child] = (int(nearest[child]),)
        is_outside[child] = False
        is_closer = information[child] > gain
        nearest[is_closer], gain[is_closer] = child, information[child, is_closer]
    return Network(Header(variables), tuple(parents), np.full(n, np.nan))


def _complete(
    rows: IncompleteDataset,
    model: BayesianNetwork,
    network: Network | None,
    settings: StructuralEM,
    number: int,
) -> Dataset:
    """The table with its holes filled under a model."""
    seed = None
    if settings.imputation == "drawn":
        seed = int(task_generator(settings.seed, number).integers(MOST_SEED))
    engine = Engine(model, None if network is None else _elimination(network))
    filled = fill(engine, rows.dataset.codes, rows.is_hidden, seed, settings.jobs)
    return rows.complete(np.concatenate([answers.codes for answers in filled], axis=1))


def _elimination(network: Network) -> list[int] | None:
    """The order that proves the network's width, if there is a bound on it."""
    certificate = network.header.extra.get("treewidth")
    return certificate["elimination"] if certificate else None


def _settings(settings: StructuralEM) -> Maximisation:
    """Parameters between rounds need not be the last digit's."""
    return Maximisation(smoothing=SMOOTHING, tolerance=1e-4, iterations=30, jobs=settings.jobs)
