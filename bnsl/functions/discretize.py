"""`bnsl.discretize`: numeric columns to intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formats.wording import plural

from ..files.rows import Rows
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter
from ..options.shared import check_sources
from ..options.values import INPUT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..running.reporter import Reporter
from ..tables import as_table, in_memory

if TYPE_CHECKING:
    from formats.data_records import Variable


@function(finish=Rows.to_table)
def discretize(
    data: Any = argument("DATA", is_standard_input=True),
    data_options: DataOptions = data_options_with(),
    like: Any = parameter(
        "Use the columns, states and intervals of this file: an earlier result, a network or parent sets.",
        INPUT,
        "FILE",
        section="Data",
    ),
    *,
    run: Run,
) -> Rows:
    """Cut numeric columns into intervals.

    Returns
    -------
    Table
        The table, each column with the labels of its states.

    Examples
    --------
    >>> cut = bnsl.discretize({"x": [i / 10 for i in range(40)]}, discretize="quantile:4", quiet=True)
    >>> cut["x"].to_pylist()[0], cut["x"].to_pylist()[-1]
    ('<=0.9', '>2.9')
    """
    check_sources(data, like)
    if (like is None) == (not data_options.discretize):
        raise UsageError("give one of --discretize median|quantile:K|width:K|hartemink:K and --like FILE.")
    known = None
    if like is not None:
        is_stream = isinstance(like, str) and like == "-"
        variables = table_variables(like, run.reporter) if is_stream else variables_of(like, run.reporter)
        known = KnownVariables(variables, like)
    dataset = data_options.open(data, run.reporter, known)
    closing = f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}"
    return Rows(dataset.variables, [dataset.plain_codes], closing, source=in_memory(data))


def variables_of(source: Any, reporter: Reporter) -> tuple[Variable, ...]:
    """Names and states of the variables of a table, a network or parent sets."""
    if not isinstance(source, str):
        return source.record.header.variables if hasattr(source, "record") else table_variables(source, reporter)
    from formats import open_network, open_parent_set_stream
    from formats.detection import detect_lines
    from formats.errors import UnsuitableData
    from formats.kinds import STRUCTURES, Kind
    from formats.textlines import Lines

    lines = Lines(source)
    kind = detect_lines(lines).kind
    if kind in STRUCTURES:
        variables = open_network(lines).header.variables
    elif kind in (Kind.PARENT_SETS, Kind.FOREST):
        variables = open_parent_set_stream(lines)[0].variables
    else:
        return table_variables(source, reporter)
    unknown = [variable.name for variable in variables if variable.states is None]
    if unknown:
        raise UnsuitableData(
            f"no states of {len(unknown)} of {len(variables)} variables are known here",
            source=source,
            column=unknown[0],
            remedy="give --like a table, or a network that was learnt from data",
        )
    return variables


def table_variables(source: Any, reporter: Reporter) -> tuple[Variable, ...]:
    """Names and states of the variables of a table."""
    from formats import open_dataset

    return open_dataset(as_table(source), warn=reporter.warn).variables
