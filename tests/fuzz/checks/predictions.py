"""`bnsl evaluate`: predictions of a variable, rows with missing cells, and cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from naive.inference import restricted

from ..tables import Table
from .networks import ParentSet, network_text, random_network
from .program import Case, expect, expect_close
from .query import MOST_ROWS, draw_network, rows_text, rows_with_holes, small_part

TOLERANCE = 1e-8
"""Of means of probabilities and of their logarithms, nats."""

N_BINS = 10

CLOSE = 1e-9
"""Probabilities that differ by less may be ordered, or put into bins, either way."""

MOST_ROWS_LEFT_OUT = 300
"""Rows up to which each is judged by all others."""

MOST_CELLS = 20_000


def check(case: Case) -> None:
    """Rows of which cells are missing, or every row given all others."""
    if case.table.n_rows in range(2, MOST_ROWS_LEFT_OUT) and case.chance(0.4):
        _check_cross_validation(case)
    else:
        _check_rows(case)


def _check_rows(case: Case) -> None:
    """A network with its own parameters, judged by rows with holes, and by its predictions of a variable."""
    table, rng = small_part(case), case.rng
    network = draw_network(case, table, "evaluate", own=1.0)
    rows = rows_with_holes(case, table, rng.randint(1, MOST_ROWS), from_table=case.chance(0.5))
    line = [*network.line, "--json", "--missing", "em", "--test", case.write("test.csv", rows_text(table, rows))]
    target = rng.randrange(table.n_variables) if case.chance(0.7) else None
    judged = [] if target is None else _predictions(network.joint, rows, target)
    if target is not None:
        line += ["--target", table.names[target]]
    fails = target is not None and not judged
    answer = case.run(*line, codes=(1,) if fails else (0,))
    if fails:
        return
    record = answer.json_lines()[0]
    sums = [float(restricted(network.joint, _known(row)).sum()) for row in rows]
    n_holes = sum(s is None for row in rows for s in row)
    if n_holes:
        expect(record["test_holes"] == n_holes, f"{record['test_holes']} holes in place of {n_holes}")
    expect(record["impossible_rows"] == sums.count(0.0), f"{record['impossible_rows']} impossible rows")
    _compare_mean(record["given_loglik"], sums, "given_loglik")
    if target is not None:
        _compare_predictions(record, judged, rows, target)


def _known(row: Sequence[int | None], without: int | None = None) -> dict[int, int]:
    return {v: s for v, s in enumerate(row) if s is not None and v != without}


def _predictions(
    joint: np.ndarray, rows: Sequence[Sequence[int | None]], target: int
) -> list[tuple[np.ndarray, int]]:
    """For each row that can be judged, the distribution of the target given the other cells, and its state."""
    others = tuple(axis for axis in range(joint.ndim) if axis != target)
    found = []
    for row in rows:
        truth = row[target]
        weights = restricted(joint, _known(row, target)).sum(axis=others)
        if truth is not None and weights.sum() > 0:
            found.append((weights / weights.sum(), truth))
    return found


def _compare_mean(found: float | None, probabilities: Sequence[float], what: str) -> None:
    """A mean logarithm; none if a probability is 0."""
    if min(probabilities) == 0.0:
        expect(found is None, f"{what}: {found} although a row is impossible")
        return
    expected = math.fsum(map(math.log, probabilities)) / len(probabilities)
    expect_close(found, expected, what, TOLERANCE * (1 + abs(expected)))


def _compare_predictions(
    record: Mapping[str, Any],
    judged: Sequence[tuple[np.ndarray, int]],
    rows: Sequence[Sequence[int | None]],
    target: int,
) -> None:
    n = len(judged)
    n_observed = sum(row[target] is not None for row in rows)
    at_truth = [float(distribution[truth]) for distribution, truth in judged]
    counts = {"target_rows": n, "unpredicted_rows": n_observed - n, "surprising_rows": at_truth.count(0.0)}
    for key, value in counts.items():
        expect(record[key] == value, f"{key}: {record[key]} in place of {value}")
    _compare_mean(None if record["log_loss"] is None else -record["log_loss"], at_truth, "log_loss")
    squares = [float(np.square(d - np.eye(len(d))[truth]).sum()) for d, truth in judged]
    expect_close(record["brier_sum"], math.fsum(squares) / n, "brier_sum", TOLERANCE)
    best = [float(d.max()) for d, _ in judged]
    if any(len(d) > 1 and np.sort(d)[-2] > d.max() - CLOSE for d, _ in judged):
        return
    is_right = [bool(d.argmax() == truth) for d, truth in judged]
    expect_close(record["accuracy"], sum(is_right) / n, "accuracy", TOLERANCE)
    if all(abs(p * N_BINS - round(p * N_BINS)) > CLOSE for p in best if p < 1.0 - CLOSE):
        bins: list[list[float]] = [[] for _ in range(N_BINS)]
        for p, right in zip(best, is_right):
            bins[min(N_BINS - 1, int(p * N_BINS))].append(right - p)
        expected = math.fsum(abs(math.fsum(part)) for part in bins) / n
        expect_close(record["target_calibration_error"], expected, "calibration error", TOLERANCE)


def _check_cross_validation(case: Case) -> None:
    """With as many folds as rows, each row is judged by all others, whatever the seed."""
    table, rng = case.table, case.rng
    parents = random_network(rng, table.n_states, 4, MOST_CELLS)
    smoothing = rng.choice((1.0, 1.0, 0.01, 20.0))
    line: list[object] = ["evaluate", case.write("network.net.jsonl", network_text(table, parents)), "--json"]
    line += [
        "--data",
        case.data,
        "--smoothing",
        repr(smoothing),
        "--folds",
        table.n_rows,
        "--seed",
        rng.randrange(99),
    ]
    record = case.run(*line, "--no-treewidth").json_lines()[0]
    expected = _left_out_log_likelihood(table, parents, smoothing)
    expect_close(record["cv_loglik"], expected, "cv_loglik", TOLERANCE * (1 + abs(expected)))


def _left_out_log_likelihood(table: Table, parents: Sequence[ParentSet], smoothing: float) -> float:
    """Mean log-likelihood of a row under parameters of all others, nats."""
    total = 0.0
    for child, family in enumerate(parents):
        columns = table.codes[[*family, child]]
        counts = np.zeros([table.n_states[v] for v in (*family, child)])
        np.add.at(counts, tuple(columns), 1.0)
        own, context = counts[tuple(columns)] - 1.0, counts.sum(axis=-1)[tuple(columns[:-1])] - 1.0
        n_contexts = counts.size // counts.shape[-1]
        total += float(np.log((own + smoothing / counts.size) / (context + smoothing / n_contexts)).sum())
    return total / table.n_rows
