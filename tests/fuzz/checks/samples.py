"""Sampled answers: `bnsl query --samples` and `--approximate`, `bnsl posterior --sampled`.

Tolerances are so wide that chance exceeds none of them in a million runs.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping

import numpy as np
from naive.inference import marginal, restricted

from ..tables import Table
from . import posterior
from .networks import joint_table
from .program import Case, expect, expect_close
from .query import Drawn, draw_network, small_part

N_SAMPLES = 2000

SIGMAS = 6.0

LOG_CHANCE = 28.0
"""Minus the logarithm of the chance that Bernstein's inequality leaves, 1e-12."""

LEAST_SIZE = 200.0
"""Effective size of a sample of networks below which its standard errors are no guide."""


def check(case: Case) -> None:
    """Rows, weighted rows, or networks."""
    rng = case.rng
    if case.chance(0.3):
        _check_networks(case)
        return
    table = small_part(case)
    network = draw_network(case, table)
    n_observed = rng.choice((0, 1, 1, 2)) if table.n_variables > 1 else 0
    observed = rng.sample(range(table.n_variables), min(n_observed, table.n_variables - 1))
    evidence = {v: rng.randrange(table.n_states[v]) for v in observed}
    if restricted(network.joint, evidence).sum() == 0:
        return
    words = [f"{table.names[v]}={table.states[v][s]}" for v, s in evidence.items()]
    ask = rng.choice((_check_rows, _check_weighted))
    ask(case, table, network, evidence, [*network.line, *words, "--seed", rng.randrange(1000)])


def _margin(probability: float, size: float) -> float:
    """Difference allowed between a share among so many draws and its probability; some draws for rare states."""
    return SIGMAS * math.sqrt(max(0.0, probability * (1 - probability)) / size) + 20 / size


def _check_rows(case: Case, table: Table, network: Drawn, evidence: Mapping[int, int], line: list[object]) -> None:
    """Rows drawn given the evidence: possible ones, in the right proportions of states and of pairs of states."""
    rows = case.run(*line, "--samples", N_SAMPLES).rows()
    expect(len(rows) == N_SAMPLES, f"{len(rows)} rows")
    codes = np.array([[table.states[v].index(row[name]) for row in rows] for v, name in enumerate(table.names)])
    for v, s in evidence.items():
        expect((codes[v] == s).all(), f"rows contradict the evidence of {v}")
    expect((network.joint[tuple(codes)] > 0).all(), "a row is impossible")
    free = [v for v in range(table.n_variables) if v not in evidence]
    for asked in [*([v] for v in free), *map(list, itertools.combinations(free, 2))]:
        expected = marginal(network.joint, evidence, asked)
        counts = np.zeros(expected.shape)
        np.add.at(counts, tuple(codes[asked]), 1.0)
        for place, p in np.ndenumerate(expected):
            expect_close(counts[place] / N_SAMPLES, float(p), f"share of {place} of {asked}", _margin(p, N_SAMPLES))


def _check_weighted(
    case: Case, table: Table, network: Drawn, evidence: Mapping[int, int], line: list[object]
) -> None:
    """Weighted rows: the estimate of P(x | e) is a ratio of two means of weights, each within Bernstein's bound."""
    ones = [np.ones_like(cells) if child in evidence else cells for child, cells in enumerate(network.tables)]
    drawn = restricted(joint_table(table.n_states, network.parents, ones), evidence)
    weights = np.divide(restricted(network.joint, evidence), drawn, out=np.zeros_like(drawn), where=drawn > 0)
    whole = float((drawn * weights).sum())
    most, square = float(weights.max()), float((drawn * weights**2).sum())
    off = math.sqrt(2 * square * LOG_CHANCE / N_SAMPLES) + 2 * most * LOG_CHANCE / (3 * N_SAMPLES)
    answer = case.run(*line, "--approximate", N_SAMPLES, codes=(0,) if off < whole else (0, 1))
    if answer.code != 0 or off >= whole:
        return
    allowed = off / (whole - off)
    found = {(row["variable"], row["state"]): row for row in answer.rows()}
    for v in range(table.n_variables):
        if v in evidence:
            continue
        for state, p in zip(table.states[v], marginal(network.joint, evidence, [v]).tolist()):
            row = found[table.names[v], state]
            expect_close(float(row["probability"]), p, f"P({table.names[v]}={state})", allowed)
            expect(float(row["standard_error"]) >= 0, f"standard error {row['standard_error']}")


def _check_networks(case: Case) -> None:
    """Chains that agree have the probabilities of arcs within their standard errors."""
    drawn = posterior.draw_case(case, "dags")
    line = [*drawn.line, "--sampled", "--samples", 3000, "--seed", case.rng.randrange(1000)]
    answer = case.run(*line, "--stats", case.folder / "stats.json")
    stats = json.loads((case.folder / "stats.json").read_text())
    if not stats["agreed"] or stats["ess"] is None or stats["ess"] < LEAST_SIZE:
        return
    members = posterior.weigh(drawn)
    weights = np.array([weight for weight, _, _ in members])
    arcs = np.tensordot(weights, np.array([m[1] for m in members]), 1)
    written = {(row["parent"], row["child"]): row for row in answer.rows()}
    for a, b in itertools.permutations(range(drawn.n_variables), 2):
        row = written.get((drawn.names[a], drawn.names[b]))
        allowed = _margin(float(arcs[a, b]), stats["ess"])
        allowed = max(allowed, SIGMAS * float(row["standard_error"]) if row else 0.0)
        expect_close(float(row["probability"]) if row else 0.0, arcs[a, b], f"arc {a} -> {b}", allowed)
