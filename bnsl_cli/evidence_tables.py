"""A table of evidence with holes, asked row by row: probabilities, columns predicted, holes filled."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .options import jobs_option, resolve_seed
from .parameter_types import COLUMNS, INPUT_PATH
from .stage_command import option, packed

if TYPE_CHECKING:
    from formats.tables.evidence import EvidenceTable
    from stages.inference.engine import Engine
    from stages.inference.tables import RowAnswers

    from .data_options import DataOptions
    from .query_options import OutputOptions
    from .reporter import Reporter


@dataclass(frozen=True)
class TableOptions:
    """A table of evidence and what is asked of its rows; nothing means their probabilities."""

    table: str | None
    predict: tuple[str, ...] | None
    fill: str | None
    jobs: int


table_options = packed(
    "rows",
    TableOptions,
    option(
        "--evidence",
        "table",
        type=INPUT_PATH,
        metavar="TABLE",
        section="Rows",
        help="Rows of evidence, with holes, instead of NAME=STATE: by itself, the log-probability of each row.",
    ),
    option(
        "--predict",
        type=COLUMNS,
        section="Rows",
        help="Of each row, the most probable state of these columns and the probabilities of all their states, given "
        "its other cells.",
    ),
    option(
        "--fill",
        type=click.Choice(["best", "drawn"]),
        section="Rows",
        help="The table with its holes filled: by the states most probable together, or drawn.",
    ),
    jobs_option,
    check=lambda ctx, given: check_rows(given),
)


def check_rows(rows: TableOptions) -> None:
    """Refuse what does not go together.

    Raises
    ------
    click.UsageError
    """
    if rows.table is None and (rows.predict or rows.fill):
        raise click.UsageError(
            f"--{'predict' if rows.predict else 'fill'} needs rows: give --evidence TABLE."
        )
    if rows.predict and rows.fill:
        raise click.UsageError("--predict and --fill are two questions; ask one at a time.")


def answer_rows(
    engine: Engine,
    rows: TableOptions,
    data_options: DataOptions,
    seed: int | None,
    target: OutputOptions,
    reporter: Reporter,
) -> dict[str, object]:
    """Answer for each row of a table; figures of the run."""
    from formats.tables.evidence import find_variable, open_evidence
    from formats.tables.result_tables import open_result_writer

    from . import tables

    assert rows.table is not None
    variables = engine.network.variables
    targets = [find_variable(name, variables) for name in dict.fromkeys(rows.predict or ())]
    evidence = open_evidence(
        rows.table,
        variables,
        delimiter=data_options.delimiter,
        header=not data_options.no_header,
        na=data_options.na,
        warn=reporter.warn,
    )
    if rows.fill is not None:
        return fill_holes(engine, evidence, rows, target.output, target.format(), seed, reporter)
    columns = result_columns(engine, targets)
    batches = result_batches(engine, evidence, targets, rows.jobs, reporter)
    n_rows = evidence.codes.shape[1]
    closing = f"{n_rows:,} rows, {int(evidence.is_hidden.sum()):,} of {evidence.codes.size:,} cells hidden"
    if target.is_table:
        values = [list(itertools.chain.from_iterable(parts)) for parts in zip(*batches)]
        reporter.pause()
        tables.show_results(target.output, columns, values, target.format_name, closing)
    else:
        with open_result_writer(target.output, columns, target.format()) as writer:
            for batch in batches:
                writer.write(batch)
        reporter.summary(closing)
    return {"rows": n_rows}


def fill_holes(
    engine: Engine,
    evidence: EvidenceTable,
    rows: TableOptions,
    output: str,
    table_format: str,
    seed: int | None,
    reporter: Reporter,
) -> dict[str, Any]:
    """Write the table without holes; figures of the run."""
    from formats import open_table_writer
    from stages.inference.tables import fill

    seed = resolve_seed(seed, reporter) if rows.fill == "drawn" else None
    n_holes, n_rows = int(evidence.is_hidden.sum()), evidence.codes.shape[1]
    with open_table_writer(output, engine.network.variables, table_format) as writer:
        for answers in fill(engine, *evidence, seed, rows.jobs):
            writer.write(answers.codes)
            reporter.progress(answers.start + answers.codes.shape[1], n_rows, "rows")
    reporter.summary(f"{n_holes:,} of {evidence.codes.size:,} cells filled")
    return {"rows": n_rows, "filled": n_holes, "seed": seed}


def result_columns(engine: Engine, targets: list[int]) -> dict[str, str]:
    """The columns of the answers for rows, and what they hold."""
    from formats.tables.result_tables import FIGURE, TEXT

    columns = {}
    for target in targets:
        variable = engine.network.variables[target]
        columns[variable.name] = TEXT
        columns |= dict.fromkeys((f"P({variable.name}={state})" for state in variable.known_states), FIGURE)
    return columns | {"log_probability": FIGURE}


def result_batches(
    engine: Engine, evidence: EvidenceTable, targets: list[int], jobs: int, reporter: Reporter
) -> Iterator[list[Any]]:
    """The values of these columns, batch by batch; warns of impossible rows at the end."""
    import numpy as np

    from stages.inference.tables import log_probabilities, predict

    n_rows = evidence.codes.shape[1]
    n_impossible, first = 0, None
    asked = (
        predict(engine, *evidence, targets, jobs) if targets else log_probabilities(engine, *evidence, jobs)
    )
    for answers in asked:
        bad = np.flatnonzero(np.isneginf(answers.log_probability))
        n_impossible += len(bad)
        if first is None and len(bad):
            first = answers.start + int(bad[0]) + 1
        yield predicted_values(engine, targets, answers)
        reporter.progress(answers.start + answers.codes.shape[1], n_rows, "rows")
    if n_impossible:
        reporter.warn(
            f"{n_impossible:,} of {n_rows:,} rows have probability zero, the first of them row {first}; "
            "parameters fitted with --smoothing leave nothing impossible"
        )


def predicted_values(engine: Engine, targets: list[int], answers: RowAnswers) -> list[Any]:
    """For each target its most probable state, None in impossible rows, and its distribution; then the logarithms."""
    import numpy as np

    values: list[Any] = []
    start = 0
    for target in targets:
        states = engine.network.variables[target].known_states
        part = answers.posterior[:, start : start + len(states)]
        start += len(states)
        is_known = ~np.isnan(part[:, 0])
        best = np.where(is_known, part.argmax(axis=1), -1).tolist()
        values.append([states[code] if code >= 0 else None for code in best])
        values += part.T.tolist()
    return [*values, answers.log_probability.tolist()]
