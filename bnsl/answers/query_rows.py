"""A table of evidence with missing cells, queried row by row: probabilities, predicted columns, completed rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from formats.tables.arrow_arrays import array_of
from formats.tables.assignments import find_variable
from formats.tables.evidence import EvidenceTable, open_evidence
from formats.tables.results.result_tables import FIGURE, TEXT
from formats.tables.selection import drop_option, expanded_names
from formats.wording import option_value
from stages.inference.junction_trees import Engine
from stages.inference.queries import Evidence
from stages.inference.row_queries import RowAnswers, fill, log_probabilities, predict

from ..files.answers import Answers
from ..files.filled_rows import FilledRows
from ..native_tables import NativeTable, StateValues, native_table
from ..options.data import Reading
from ..options.option import Given
from ..running.errors import UsageError
from ..running.function import Run
from ..running.reporter import LineReporter
from ..tables import as_table


def answer_rows(
    run: Run,
    engine: Engine,
    fixed: Evidence,
    asked: Given,
    reading: Reading,
    seed: int | None,
    learnt: Mapping[str, StateValues],
) -> Answers | FilledRows:
    """Answers for each row of a table, or the completed table.

    - `seed`: for drawn cells.
    - `learnt`: the values that states have in the table learnt from.

    Raises `UsageError`: the table has evidence on a variable that is set from outside (`fixed`).
    """
    variables, reporter = engine.variables, run.reporter
    given = native_table(asked.table) if run.is_called else None
    predicted = expanded_names(asked.predict or (), [variable.name for variable in variables])
    targets = [find_variable(name, variables) for name in dict.fromkeys(predicted)]
    evidence = open_evidence(
        as_table(asked.table) if given is None or isinstance(asked.table, str) else given.as_source(asked.table),
        variables,
        header=not reading.no_header,
        **{name: getattr(reading, name) for name in ("delimiter", "na", "not_na", "columns", "drop", "unseen")},
        targets=targets,
        copies=None if asked.fill else asked.keep,
        warn=reporter.warn,
    )
    for variable in fixed.keys() - set(targets):
        if not evidence.is_hidden[variable].all():
            name = variables[variable].name
            raise UsageError(
                f"--do sets {name}, so the cells of its column cannot be evidence: leave the column out, "
                f"{drop_option([name])}."
            )
    if asked.fill is not None:
        return fill_holes(engine, evidence, asked.jobs, seed, reporter, given, learnt)
    columns = result_columns(engine, targets)
    for column in evidence.copies:
        if column.name in columns:
            raise UsageError(f"--keep {option_value(column.name)}: the answers have a column of that name.")
    columns = dict.fromkeys((column.name for column in evidence.copies), TEXT) | columns
    batches = result_batches(engine, evidence, targets, asked.jobs, reporter)
    n_rows = evidence.codes.shape[1]
    n_hidden, closing = int(evidence.is_hidden.sum()), f"{n_rows:,} rows"
    if n_hidden:
        closing += f", {n_hidden:,} of {evidence.codes.size:,} cells hidden"
    return Answers(
        columns,
        batches,
        closing,
        {"rows": n_rows},
        given,
        evidence.rows,
        kept_columns(evidence, given) | predicted_columns(engine, targets, learnt),
    )


def kept_columns(evidence: EvidenceTable, given: NativeTable | None) -> dict[str, Callable[[Sequence[Any]], Any]]:
    """The copied columns as the table has them."""
    if given is None:
        return {}
    return {column.name: partial(_kept, given, column.name, evidence.rows) for column in evidence.copies}


def _kept(given: NativeTable, name: str, rows: np.ndarray | None, values: Sequence[Any]) -> Any:
    return given.column(name, rows)


def predicted_columns(
    engine: Engine, targets: list[int], learnt: Mapping[str, StateValues]
) -> dict[str, Callable[[Sequence[Any]], Any]]:
    """The predicted columns, with the values of states where these are known."""
    names = {engine.variables[target].name: engine.variables[target].known_states for target in targets}
    return {name: partial(_predicted, learnt[name], states) for name, states in names.items() if name in learnt}


def _predicted(values: StateValues, states: tuple[str, ...], found: Sequence[Any]) -> Any:
    code_of = {state: code for code, state in enumerate(states)}
    return values.of_codes(np.array([code_of.get(state, -1) for state in found], dtype=np.int64))


def fill_holes(
    engine: Engine,
    evidence: EvidenceTable,
    jobs: int,
    seed: int | None,
    reporter: LineReporter,
    given: NativeTable | None,
    learnt: Mapping[str, StateValues],
) -> FilledRows:
    """The completed table."""
    n_holes, n_rows = int(evidence.is_hidden.sum()), evidence.codes.shape[1]

    def filled() -> Iterator[tuple[int, np.ndarray]]:
        for answers in fill(engine, evidence.codes, evidence.is_hidden, seed, jobs, evidence.row_number):
            yield answers.start, answers.codes
            reporter.progress(answers.start + answers.codes.shape[1], n_rows, "rows")

    closing = f"{n_holes:,} of {evidence.codes.size:,} cells filled"
    figures = {"rows": n_rows, "filled": n_holes, "seed": seed}
    return FilledRows(evidence, engine.variables, filled(), given, learnt, seed, closing, figures)


def result_columns(engine: Engine, targets: list[int]) -> dict[str, str]:
    """The columns of the answers for rows, and the kind of their values.

    Raises `UsageError`: two of them would have one name.
    """
    columns = []
    for target in targets:
        variable = engine.variables[target]
        columns.append((variable.name, TEXT))
        columns += [(f"P({variable.name}={state})", FIGURE) for state in variable.known_states]
    columns.append(("log_probability", FIGURE))
    names = [name for name, _ in columns]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"--predict: the answers would have two columns named {name!r}, since a variable has a name that "
                "answers use: give it another name, or ask for other variables."
            )
    return dict(columns)


def result_batches(
    engine: Engine, evidence: EvidenceTable, targets: list[int], jobs: int, reporter: LineReporter
) -> Iterator[list[Any]]:
    """The values of these columns, batch by batch; warns of impossible rows at the end."""
    n_rows = evidence.codes.shape[1]
    n_impossible, first = 0, None
    cells = evidence.codes, evidence.is_hidden
    asked = predict(engine, *cells, targets, jobs) if targets else log_probabilities(engine, *cells, jobs)
    copies = [
        (column.texts, column.gather(np.arange(len(column.labels), dtype=np.int32), evidence.rows))
        for column in evidence.copies
    ]
    for answers in asked:
        bad = np.flatnonzero(np.isneginf(answers.log_probability))
        n_impossible += len(bad)
        if first is None and len(bad):
            first = evidence.row_number(answers.start + int(bad[0]))
        rows = slice(answers.start, answers.start + len(answers.log_probability))
        copied = [labels.take(array_of(cells[rows])).to_pylist() for labels, cells in copies]
        yield [*copied, *predicted_values(engine, targets, answers)]
        reporter.progress(answers.start + answers.codes.shape[1], n_rows, "rows")
    if n_impossible:
        reporter.warn(
            f"{n_impossible:,} of {n_rows:,} rows have probability zero, the first is row {first}; "
            "with parameters of bnsl fit --smoothing no row has"
        )


def predicted_values(engine: Engine, targets: list[int], answers: RowAnswers) -> list[Any]:
    """The most probable state (None in impossible rows) and the distribution of each target; then the logarithms."""
    values: list[Any] = []
    start = 0
    for target in targets:
        states = engine.variables[target].known_states
        part = answers.posterior[:, start : start + len(states)]
        start += len(states)
        is_known = ~np.isnan(part[:, 0])
        best = np.where(is_known, part.argmax(axis=1), -1).tolist()
        values.append([states[code] if code >= 0 else None for code in best])
        values += part.T.tolist()
    return [*values, answers.log_probability.tolist()]
