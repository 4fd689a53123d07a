"""Missing cells: `bnsl query --fill` against most probable states, `bnsl fit --missing em` against its own claims."""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Sequence

import numpy as np
from naive.inference import restricted

from .fit import parse_bif
from .networks import joint_table, network_text, random_network
from .program import Case, expect, expect_close
from .query import LOG_TOLERANCE, MOST_ROWS, draw_network, rows_text, rows_with_holes, small_part

MOST_STATES = 3000
"""Cells of the table of all states, which is summed for each row."""


def check(case: Case) -> None:
    """Rows with holes are completed, or parameters are fitted to them."""
    case.rng.choice((_check_fill, _check_maximisation))(case)


def _check_fill(case: Case) -> None:
    """Cells that were there stay; those filled in are the most probable ones, or at least possible."""
    table = small_part(case)
    line, joint, _, _ = draw_network(case, table)
    rows = rows_with_holes(case, table, case.rng.randint(1, MOST_ROWS))
    path = case.write("holes.csv", rows_text(table, rows))
    known = [{v: s for v, s in enumerate(row) if s is not None} for row in rows]
    kept = [restricted(joint, evidence) for evidence in known]
    best = case.chance(0.6)
    options = ["best"] if best else ["drawn", "--seed", "1"]
    is_possible = all(part.sum() > 0 for part in kept)
    answer = case.run(*line, "--evidence", path, "--fill", *options, codes=(0,) if is_possible else (65,))
    if not is_possible:
        return
    written = list(csv.reader(answer.text.splitlines()))
    expect(tuple(written[0]) == table.names, f"columns {written[0]}")
    expect(len(written) == len(rows) + 1, f"{len(written) - 1} rows in place of {len(rows)}")
    for cells, evidence, part in zip(written[1:], known, kept):
        states = tuple(table.states[v].index(cell) for v, cell in enumerate(cells))
        expect(all(states[v] == s for v, s in evidence.items()), f"{states} contradicts {evidence}")
        expect(part[states] > 0, f"{states} is impossible")
        if best:
            expect_close(math.log(part[states]), math.log(part.max()), f"ln P{states}", LOG_TOLERANCE)


def _check_maximisation(case: Case) -> None:
    """The log-likelihood reported is that of the parameters written, and no iteration lowers the objective."""
    table, rng = small_part(case), case.rng
    if math.prod(table.n_states) > MOST_STATES:
        return
    parents = random_network(rng, table.n_states, 3, MOST_STATES)
    rows = rows_with_holes(case, table, rng.randint(1, 2 * MOST_ROWS), from_table=True)
    smoothing = rng.choice((0.0, 0.0, 1.0, 10.0))
    line: list[object] = ["fit", case.write("em.net.jsonl", network_text(table, parents))]
    line += [case.write("holes.csv", rows_text(table, rows)), "--missing", "em", "--smoothing", repr(smoothing)]
    line += ["--restarts", rng.randint(1, 3), "--seed", "1"] if case.chance(0.3) else []
    answer = case.run(*line, "--stats", case.folder / "stats.json")
    stats = json.loads((case.folder / "stats.json").read_text())
    variables, families = parse_bif(answer.text)
    expect(variables == dict(zip(table.names, table.states)), "variables or states differ")
    tables = []
    for child, family in enumerate(parents):
        given, cells = families[table.names[child]]
        expect(given == [table.names[p] for p in family], f"parents of {child}: {given}")
        expect(np.allclose(cells.sum(axis=-1), 1.0), f"the distributions of {child} do not sum up to 1")
        tables.append(cells)
    if all(state is not None for row in rows for state in row):
        return  # frequencies are the maximum: nothing is iterated or reported
    joint = joint_table(table.n_states, parents, tables)
    expected = _log_likelihood(joint, rows)
    expect_close(stats["log_likelihood"], expected, "log-likelihood", LOG_TOLERANCE * (1 + abs(expected)))
    for trace in stats["objective"]:
        for before, after in itertools.pairwise(trace):
            expect(
                after >= before - LOG_TOLERANCE * (1 + abs(before)), f"the objective falls from {before} to {after}"
            )


def _log_likelihood(joint: np.ndarray, rows: Sequence[Sequence[int | None]]) -> float:
    """Of the observed cells, nats."""
    evidence = [{v: s for v, s in enumerate(row) if s is not None} for row in rows]
    return math.fsum(math.log(restricted(joint, known).sum()) for known in evidence)
