"""Measures of a learnt network: size, scores, log-likelihoods, treewidth, distance from a reference."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from formats.arc_priors import ArcPrior, recorded_prior
from formats.data_records import Dataset
from formats.errors import Inconsistent
from formats.graphs.algorithms import largest_table, moral_graph
from formats.records import NetworkRecord, Variable
from stages.fit import fit_parameters
from stages.graphs.essential_graphs import (
    acyclic_order,
    compare_arcs,
    compare_edges,
    list_arcs,
    skeleton_distance,
    structural_hamming_distance,
)
from stages.graphs.intervention_targets import targets_of
from stages.graphs.orientation import interventional_graph
from stages.graphs.treewidth import bound_treewidth, check_certificate, jointree_cells
from stages.runtime.errors import StageError
from stages.runtime.reporting import Reporter
from stages.scoring.independent import count_parameters, score_families
from stages.scoring.scores import SCORES

from . import likelihood
from .alignment import align_dataset, align_parents, match_variables
from .folded_predictions import folded_distributions
from .prediction import judge_distributions, judge_predictions

TOTAL_TOLERANCE = 1e-6
"""Relative difference up to which a stated total agrees with the recomputed one (some programs round)."""


@dataclass(frozen=True)
class MeasureInputs:
    """The inputs of a measurement; variables are matched by name."""

    data: Dataset | None = None  # rows for scores and for parameter estimation
    # Rows for the held-out log-likelihood, of the observed cells; needs `data` or `parameters`.
    test: Dataset | None = None
    reference: NetworkRecord | None = None  # the true network, or any other, over the same variables
    scores: Sequence[str] = ("bic",)  # keys of `stages.scoring.scores.SCORES`, computed on `data`
    ess: float = 1.0  # equivalent sample size of ``bdeu``
    smoothing: float = 1.0  # equivalent sample size of the prior of estimated parameters
    # Number and random assignment of folds, for the cross-validated log-likelihood on `data`.
    folds: int | None = None
    seed: int = 0
    # Variable whose predictions are judged on `test`, or on `data` without `test`. Predictions use its parameters, or
    # parameters estimated from `data`; a warning says if these come from the judged rows. With `folds` and without
    # `test` they use parameters from the other folds.
    target: str | None = None
    curve: bool = False  # the points of the target's ROC curves, too
    treewidth: bool = True  # bound the treewidth; takes some seconds on dense networks of thousands of variables
    jobs: int = 1  # threads for rows with holes and predictions
    memory: int | None = None  # limit of a junction tree's tables in bytes; by default the free memory


def evaluate_network(network: NetworkRecord, reporter: Reporter | None = None, **inputs: Any) -> dict[str, Any]:
    """Measure one network; `inputs` are fields of `MeasureInputs`.

    The record is in the order of `record_keys.MEASURE_KEYS`; without data, test set and reference it summarises the
    structure. The reporter receives a warning if the header's
    ``total`` or its certificate is wrong. Raises `Inconsistent` if the arcs form a cycle, or the variables or states
    of an input differ from the network's; `StageError` if the inputs do not suffice for a measure.
    """
    given = MeasureInputs(**inputs)
    acyclic_order(network.parents)
    data = given.data and align_dataset(network, given.data)
    test = given.test and align_dataset(network, given.test, "the test set")
    if data and test:
        match_variables(data.variables, test.variables, "the test set")
    given = replace(given, data=data, test=test)
    n_states = _numbers_of_states(network, data)
    is_alone = not (data or test or given.reference)
    record = (_summarise_structure if is_alone else _measure_size)(network, n_states)
    if data:
        record |= _measure_scores(network, data, given, reporter)
    record |= _measure_likelihood(network, given)
    if given.target is not None:
        record |= _measure_target(network, given, given.target, reporter)
    if given.treewidth:
        record |= _measure_treewidth(network, n_states, reporter)
    if given.reference:
        record |= _measure_distance(network, given.reference, data)
    return record


def _numbers_of_states(network: NetworkRecord, data: Dataset | None) -> list[int] | None:
    """By variable; None if one is unknown."""
    variables = data.variables if data else network.header.variables
    n_states = [len(variable.states) for variable in variables if variable.states is not None]
    return n_states if len(n_states) == len(variables) else None


def _within_doubles(count: int) -> int | None:
    """A count; None if no double holds it, so that other programs could not read it."""
    return count if count <= sys.float_info.max else None


def _measure_size(network: NetworkRecord, n_states: list[int] | None) -> dict[str, Any]:
    return {
        "variables": network.n_variables,
        "arcs": network.n_arcs,
        "max_parents": max(map(len, network.parents), default=0),
        "parameters": _within_doubles(count_parameters(network.parents, n_states)) if n_states else None,
    }


def _summarise_structure(network: NetworkRecord, n_states: list[int] | None) -> dict[str, Any]:
    """The size of a network that is looked at alone, with least, mean and most per variable.

    These are the columns in which Gámez, Mateo and Puerta (2011, Table 1) describe networks.
    """
    size = _measure_size(network, n_states)
    n_parents = list(map(len, network.parents))
    n_children = np.bincount([p for parents in network.parents for p in parents], minlength=len(n_parents)).tolist()
    spread = _spread("states", n_states) | _spread("parents", n_parents) | _spread("children", n_children)
    return {"variables": size.pop("variables"), "arcs": size.pop("arcs"), **spread, **size}


def _spread(name: str, counts: list[int] | None) -> dict[str, float | None]:
    """Least, mean and most of counts per variable; None where they are unknown."""
    least, mean, most = (min(counts), sum(counts) / len(counts), max(counts)) if counts else (None, None, None)
    return {f"min_{name}": least, f"mean_{name}": mean, f"max_{name}": most}


def _measure_scores(
    network: NetworkRecord, data: Dataset, given: MeasureInputs, reporter: Reporter | None
) -> dict[str, float]:
    scored = score_families(network.parents, data, given.scores, given.ess)
    totals = {name: math.fsum(local_scores) for name, local_scores in scored.items()}
    header = network.header
    stated = header.extra.get("total")
    prior = recorded_prior(header.extra)
    if reporter and prior is not None:
        reporter.warn("the scores in the header contain a prior of arcs; those computed here are of the data alone")
    if reporter and stated is not None and header.data == data.fingerprint and header.score in totals:
        # Another sample size gives another score: the two totals cannot be compared.
        if SCORES[header.score].takes_ess and header.ess != given.ess:
            return totals
        total = totals[header.score] + (0.0 if prior is None else _log_odds(network, prior))
        if not math.isclose(stated, total, rel_tol=TOTAL_TOLERANCE):
            reporter.warn(f"the header states a total {header.score} of {stated}, on these data it is {total}")
    return totals


def _log_odds(network: NetworkRecord, prior: ArcPrior) -> float:
    """What a prior of arcs adds to the score of a network, nats."""
    names, odds = network.header.names, prior.log_odds()
    arcs = [(names[parent], names[child]) for child, family in enumerate(network.parents) for parent in family]
    return math.fsum(odds.get(arc, 0.0) for arc in arcs)


def _measure_likelihood(network: NetworkRecord, given: MeasureInputs) -> dict[str, float | None]:
    record: dict[str, float | None] = {}
    data, test, parameters = given.data, given.test, network.parameters
    if test and data:
        if test.is_hidden is not None:
            fitted = fit_parameters(network, data, smoothing=given.smoothing)
            rows = likelihood.observed_log_likelihoods(fitted, test, given.jobs, given.memory)
        else:
            rows = likelihood.held_out_log_likelihoods(network.parents, data, test, given.smoothing)
        record["test_loglik"] = likelihood.mean(rows)
    elif test and not parameters:
        raise StageError("the log-likelihood of test rows needs --data DATA, or parameters: bnsl fit NETWORK DATA")
    if given.folds:
        if not data:
            raise StageError("cross-validation needs --data DATA")
        settings = given.folds, given.smoothing, given.seed
        record["cv_loglik"] = likelihood.mean(
            likelihood.cross_validated_log_likelihoods(network.parents, data, *settings)
        )
    target = test or data
    if parameters and target:
        match_variables(parameters.variables, target.variables, "the data set")
        if target.is_hidden is not None:
            rows = likelihood.observed_log_likelihoods(parameters, target, given.jobs, given.memory)
        else:
            rows = likelihood.parameter_log_likelihoods(parameters, target)
        n_impossible = int(np.isinf(rows).sum())
        # JSON has no infinity: the value is null, and the count gives the reason.
        record["given_loglik"] = None if n_impossible else likelihood.mean(rows)
        record["impossible_rows"] = n_impossible
    if test and test.is_hidden is not None:
        record["test_holes"] = test.n_holes
    return record


def _measure_target(
    network: NetworkRecord, given: MeasureInputs, target: str, reporter: Reporter | None
) -> dict[str, Any]:
    if given.data and given.folds and not given.test:
        return {"target": target, **_measure_folded_target(network, given, given.data, target)}
    rows, parameters = given.test or given.data, network.parameters
    are_known = given.data and (given.test or given.data).fingerprint == given.data.fingerprint
    if reporter and not parameters and are_known:
        reporter.warn("the target is predicted in the rows that gave the parameters, so better than in new rows")
    if not parameters and given.data:
        parameters = fit_parameters(network, given.data, smoothing=given.smoothing)
    if rows is None or parameters is None:
        raise StageError("predictions of a target need rows, and training data or a network with parameters")
    place = _find_target(parameters.variables, target)
    judged = judge_predictions(parameters, rows, place, given.jobs, given.memory, given.curve)
    return {"target": target, **judged}


def _measure_folded_target(
    network: NetworkRecord, given: MeasureInputs, data: Dataset, target: str
) -> dict[str, Any]:
    """Predictions in cross-validation."""
    place = _find_target(data.variables, target)
    assert given.folds is not None
    found = folded_distributions(network, data, place, given.folds, given.smoothing, given.seed)
    is_known = np.ones(data.n_rows, dtype=np.bool_)
    return judge_distributions(found, data.codes[place], is_known, data.variables[place], given.curve)


def _find_target(variables: Sequence[Variable], target: str) -> int:
    names = [variable.name for variable in variables]
    if target not in names:
        raise Inconsistent(f"the network has no variable {target!r}, the target")
    return names.index(target)


def _measure_treewidth(
    network: NetworkRecord, n_states: list[int] | None, reporter: Reporter | None
) -> dict[str, Any]:
    graph = moral_graph(network.parents)
    bounds = bound_treewidth(graph)
    record: dict[str, Any] = {"treewidth_lower": bounds.lower, "treewidth_upper": bounds.upper}
    orders = [bounds.elimination]
    certificate = network.header.extra.get("treewidth")
    verdict: dict[str, Any] = {}
    if certificate is not None:
        try:
            width = check_certificate(network.parents, certificate, n_states)
            if n_states and certificate.get("max_table") is not None:
                verdict["certified_table"] = largest_table(graph, certificate["elimination"], n_states)
            record["treewidth_upper"] = min(bounds.upper, width)
            orders.append(certificate["elimination"])
            verdict["certificate"] = "valid"
        except Inconsistent as error:
            verdict["certificate"] = error.message
            if reporter:
                reporter.warn(error.message)
    # A certificate's order may have a larger width and yet smaller tables.
    cells = min(jointree_cells(graph, order, n_states) for order in orders) if n_states else None
    return {**record, "jointree_cells": cells, **verdict}


def _measure_distance(network: NetworkRecord, reference: NetworkRecord, data: Dataset | None) -> dict[str, int]:
    """Distances; that of classes is of interventional ones if variables were set in the data."""
    expected = align_parents(network.header.names, reference)
    arcs = compare_arcs(network.parents, expected)
    header = network.header
    if data is not None and data.interventions is not None:
        header = replace(header, extra=data.score_entries)
    graphs = [interventional_graph(parents, targets_of(header)) for parents in (network.parents, expected)]
    return {
        "shd": structural_hamming_distance(*graphs),
        "skeleton_distance": skeleton_distance(list_arcs(network.parents), list_arcs(expected)),
        **{f"class_{name}": count for name, count in compare_edges(*graphs)._asdict().items()},
        **{f"drawn_{name}": count for name, count in arcs._asdict().items()},
    }
