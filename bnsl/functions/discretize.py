"""`bnsl.discretize`: numeric columns to intervals."""

from typing import Annotated, Unpack

from formats.wording import plural

from ..files.rows import Rows
from ..files.states import table_variables, variables_of
from ..options.data import CompleteRows, KnownVariables, Reading
from ..options.option import Argument, Option, Source
from ..options.shared import check_sources
from ..options.values import INPUT
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, delivering
from ..tables import in_memory


class DiscretizeOptions(CompleteRows, MessageOptions, total=False):
    """Options of `discretize`."""

    like: Annotated[
        Source,
        Option(
            "Use the columns, states and intervals of this file, which is an earlier result, a network or parent "
            "sets.",
            INPUT,
            "FILE",
            section="Data",
        ),
    ]


@delivering
def discretize(
    run: Run,
    data: Annotated[Source, Argument("DATA", is_standard_input=True), "The table to cut."] = None,
    **options: Unpack[DiscretizeOptions],
) -> Rows:
    """Cut numeric columns into intervals.

    Returns
    -------
    Table
        The table. Its cells are the labels of states.

    Examples
    --------
    >>> cut = bnsl.discretize({"x": [i / 10 for i in range(40)]}, discretize="quantile:4", quiet=True)
    >>> cut["x"].to_pylist()[0], cut["x"].to_pylist()[-1]
    ('<=0.9', '>2.9')
    """
    from formats.streams import is_standard_input

    reading, like = Reading(**options), options["like"]
    check_sources(data, like)
    if (like is None) == (not reading.discretize):
        raise UsageError("give either --discretize median|quantile:K|width:K|hartemink:K or --like FILE.")
    known = None
    if like is not None:
        variables = (
            table_variables(like, run.reporter)
            if is_standard_input(like)
            else variables_of(like, run.reporter, "--like")
        )
        known = KnownVariables(variables, like)
    dataset = reading.open(data, run.reporter, known)
    closing = f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}"
    return Rows(dataset.variables, [dataset.plain_codes], closing, source=in_memory(data))
