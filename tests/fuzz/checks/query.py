"""`bnsl query`: marginals, joint and most probable states, and rows of evidence, against the table of all states."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from naive.inference import marginal, restricted

from ..tables import Table
from .fit import fitted_table
from .networks import ParentSet, bif_text, joint_table, network_text, random_network
from .program import Answer, Case, expect, expect_close

MOST_STATES = 30_000
"""Cells of the table of all states."""

TOLERANCE = 1e-10
"""Of a probability."""

LOG_TOLERANCE = 1e-8
"""Of a logarithm of a probability, nats."""

MOST_ROWS = 30


class Question(NamedTuple):
    """A network with the table of all states, and evidence.

    Attributes
    ----------
    line : list
        The command line up to the question.
    evidence : dict
        State of each observed variable.
    joint : ndarray
    """

    table: Table
    line: list[object]
    evidence: dict[int, int]
    joint: np.ndarray


def check(case: Case) -> None:
    """One question about a random network, with its own parameters or with those of the table."""
    table = small_part(case)
    line, joint, _, _ = draw_network(case, table)
    ask = case.rng.choice((_ask_marginals, _ask_marginals, _ask_joint, _ask_best, _ask_best, _ask_rows, _ask_rows))
    if ask is _ask_rows:
        ask(case, Question(table, line, {}, joint))
        return
    n_observed = case.rng.choice((0, 1, 1, 2)) if table.n_variables > 1 else 0
    observed = case.rng.sample(range(table.n_variables), min(n_observed, table.n_variables - 1))
    evidence = {v: case.rng.randrange(table.n_states[v]) for v in observed}
    line = [*line, *(f"{table.names[v]}={table.states[v][s]}" for v, s in evidence.items())]
    ask(case, Question(table, line, evidence, joint))


def small_part(case: Case) -> Table:
    """Columns of the table whose states have a table of all combinations that is small enough."""
    kept: list[int] = []
    cells = 1
    for v in case.rng.sample(range(case.table.n_variables), case.table.n_variables):
        if cells * case.table.n_states[v] <= MOST_STATES and len(kept) < 10:
            kept.append(v)
            cells *= case.table.n_states[v]
    return case.table.select(sorted(kept))


class Drawn(NamedTuple):
    """A network as a command line names it, its table of all states, and its parts.

    Attributes
    ----------
    tables : list of ndarray
        The distribution of each variable, one axis per parent and the variable's last.
    """

    line: list[object]
    joint: np.ndarray
    parents: list[ParentSet]
    tables: list[np.ndarray]


def draw_network(case: Case, table: Table, command: str = "query", own: float = 0.7) -> Drawn:
    """A random network over a table, with its own parameters by probability `own`, else with those of the table."""
    rng = case.rng
    parents = random_network(rng, table.n_states, 4, MOST_STATES)
    if case.chance(1 - own):
        smoothing = rng.choice((0.0, 1.0, 5.0))
        tables = [fitted_table(table, child, family, smoothing) for child, family in enumerate(parents)]
        path = case.write("query.net.jsonl", network_text(table, parents))
        line = [command, path, "--data", case.data, "--smoothing", repr(smoothing)]
        return Drawn(line, joint_table(table.n_states, parents, tables), parents, tables)
    tables = []
    generator = np.random.default_rng(rng.randrange(1 << 30))
    for child, family in enumerate(parents):
        shape = [table.n_states[v] for v in (*family, child)]
        cells = generator.random(shape) ** rng.choice((1, 8))
        if rng.random() < 0.4:
            cells[generator.random(shape) < 0.4] = 0.0
        cells[cells.sum(axis=-1) == 0] = 1.0
        tables.append(cells / cells.sum(axis=-1, keepdims=True))
    path = case.write("query.bif", bif_text(table, parents, tables))
    return Drawn([command, path], joint_table(table.n_states, parents, tables), parents, tables)


def _run(case: Case, question: Question, *options: object) -> Answer | None:
    """Run the question; None where the evidence is impossible and the program says so."""
    probability = restricted(question.joint, question.evidence).sum()
    answer = case.run(*question.line, *options, codes=(0,) if probability > 0 else (65,))
    return answer if probability > 0 else None


def _ask_marginals(case: Case, question: Question) -> None:
    """The distribution of every variable, or of some."""
    table, options = question.table, []
    asked = list(range(table.n_variables))
    if case.chance(0.4):
        asked = case.rng.sample(asked, case.rng.randint(1, len(asked)))
        options = ["--variables", ",".join(table.names[v] for v in asked)]
    if (answer := _run(case, question, *options)) is None:
        return
    found = {(row["variable"], row["state"]): float(row["probability"]) for row in answer.rows()}
    for v in asked:
        if v in question.evidence and not options:
            continue
        expected = marginal(question.joint, question.evidence, [v])
        for state, probability in zip(table.states[v], expected.tolist()):
            what = f"P({table.names[v]}={state})"
            expect((table.names[v], state) in found, f"{what} is missing")
            expect_close(found[table.names[v], state], probability, what, TOLERANCE)


def _ask_joint(case: Case, question: Question) -> None:
    """The probability of the evidence, or the distribution of some variables together."""
    table, rng = question.table, case.rng
    free = [v for v in range(table.n_variables) if v not in question.evidence]
    if case.chance(0.3):
        probability = float(restricted(question.joint, question.evidence).sum())
        if (answer := _run(case, question, "--probability")) is not None:
            row = answer.rows()[0]
            expect_close(float(row["probability"]), probability, "probability of the evidence", TOLERANCE)
            stated = float(row["log_probability"])
            expect_close(stated, math.log(probability), "its logarithm", LOG_TOLERANCE)
        return
    asked = rng.sample(free, min(len(free), rng.randint(1, 3)))
    if (answer := _run(case, question, "--joint", ",".join(table.names[v] for v in asked))) is None:
        return
    expected = marginal(question.joint, question.evidence, asked)
    rows = answer.rows()
    expect(len(rows) == expected.size, f"{len(rows)} rows in place of {expected.size}")
    for row in rows:
        place = tuple(table.states[v].index(row[table.names[v]]) for v in asked)
        expect_close(float(row["probability"]), float(expected[place]), f"P{place} of {asked}", TOLERANCE)


def _ask_best(case: Case, question: Question) -> None:
    """The most probable states of all variables (MPE), or of some (MAP)."""
    table, rng = question.table, case.rng
    asked = [v for v in range(table.n_variables) if v not in question.evidence]
    option: list[object] = ["--mpe"]
    if case.chance(0.4):
        asked = rng.sample(asked, rng.randint(1, len(asked)))
        option = ["--map", ",".join(table.names[v] for v in asked)]
    if (answer := _run(case, question, *option)) is None:
        return
    found = {table.names.index(row["variable"]): row["state"] for row in answer.rows()}
    expect(found.keys() >= set(asked), f"states of {sorted(found)} in place of {asked}")
    place = tuple(table.states[v].index(found[v]) for v in asked)
    for v, state in question.evidence.items():
        expect(v not in found or found[v] == table.states[v][state], f"variable {v} contradicts the evidence")
    kept = restricted(question.joint, question.evidence)
    sums = marginal(question.joint, question.evidence, asked) * kept.sum()
    best, reached = math.log(sums.max()), math.log(max(float(sums[place]), 1e-300))
    expect_close(reached, best, f"log-probability of the states {found}", LOG_TOLERANCE)
    stated = re.search(r"together (-?[0-9.e+-]+)", answer.messages)
    if stated:
        expect_close(float(stated[1]), best, "stated log-probability", 1e-4 * (1 + abs(best)))


def _ask_rows(case: Case, question: Question) -> None:
    """The log-probability of each row of a table with holes, or a column predicted."""
    table, rng = question.table, case.rng
    n_rows = rng.randint(1, MOST_ROWS)
    rows = [[rng.randrange(n) if rng.random() < 0.6 else None for n in table.n_states] for _ in range(n_rows)]
    rows[0] = [rng.randrange(n) for n in table.n_states]  # so that each column has a cell
    path = case.write("evidence.csv", rows_text(table, rows))
    target = rng.randrange(table.n_variables) if case.chance(0.5) else None
    known = [{v: s for v, s in enumerate(row) if s is not None and v != target} for row in rows]
    sums = [float(restricted(question.joint, evidence).sum()) for evidence in known]
    options = [] if target is None else ["--predict", table.names[target]]
    possible = target is None or min(sums) > 0
    answer = case.run(*question.line, "--evidence", path, *options, codes=(0,) if possible else (0, 65))
    if answer.code != 0:
        return
    written = answer.rows()
    expect(len(written) == n_rows, f"{len(written)} rows in place of {n_rows}")
    for row, evidence, probability in zip(written, known, sums):
        if probability > 0:
            expect_close(float(row["log_probability"]), math.log(probability), f"log P({evidence})", LOG_TOLERANCE)
            if target is not None:
                _compare_prediction(table, target, row, marginal(question.joint, evidence, [target]))


def rows_text(table: Table, rows: Sequence[Sequence[int | None]]) -> str:
    """Rows of states as CSV, with question marks for None."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(table.names)
    writer.writerows(["?" if s is None else table.states[v][s] for v, s in enumerate(row)] for row in rows)
    return file.getvalue()


def rows_with_holes(case: Case, table: Table, n_rows: int, from_table: bool = False) -> list[list[int | None]]:
    """Random rows, or rows of the table, with missing cells; the first has none, so that each column has a cell."""
    rng, share = case.rng, case.rng.choice((0.1, 0.4, 0.7))

    def state(v: int, row: int) -> int:
        return int(table.codes[v, row]) if from_table else rng.randrange(table.n_states[v])

    places = [rng.randrange(table.n_rows) for _ in range(n_rows)]
    rows: list[list[int | None]] = [[state(v, row) for v in range(table.n_variables)] for row in places]
    return rows[:1] + [[None if rng.random() < share else s for s in row] for row in rows[1:]]


def _compare_prediction(table: Table, target: int, row: dict[str, str], expected: np.ndarray) -> None:
    name, labels = table.names[target], table.states[target]
    for label, probability in zip(labels, expected.tolist()):
        expect_close(float(row[f"P({name}={label})"]), probability, f"P({name}={label})", TOLERANCE)
    chosen = float(expected[labels.index(row[name])])
    expect(chosen >= expected.max() - TOLERANCE, f"predicted {row[name]} of probability {chosen}")
