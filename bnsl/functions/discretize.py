"""`bnsl.discretize`: numeric columns to intervals."""

from __future__ import annotations

from typing import Any

from formats.wording import plural

from ..files.rows import Rows
from ..files.states import table_variables, variables_of
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter
from ..options.shared import check_sources
from ..options.values import INPUT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..tables import in_memory


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
    from formats.streams import is_standard_input

    check_sources(data, like)
    if (like is None) == (not data_options.discretize):
        raise UsageError("give either --discretize median|quantile:K|width:K|hartemink:K or --like FILE.")
    known = None
    if like is not None:
        variables = (
            table_variables(like, run.reporter)
            if is_standard_input(like)
            else variables_of(like, run.reporter, "--like")
        )
        known = KnownVariables(variables, like)
    dataset = data_options.open(data, run.reporter, known)
    closing = f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}"
    return Rows(dataset.variables, [dataset.plain_codes], closing, source=in_memory(data))
