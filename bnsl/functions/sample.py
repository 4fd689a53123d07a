"""`bnsl.sample`: rows from a network, given or random."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack

from ..files.network_inputs import read_network
from ..files.rows import Rows
from ..options.option import Argument, Given, Option, Source
from ..options.shared import Do, Seed, resolve_seed
from ..options.values import Parsed, Whole
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, delivering

if TYPE_CHECKING:
    import numpy as np

    from formats.records import Parameters

    from ..native_tables import StateValues


def _range(least: int, greatest: int | None = None) -> Parsed:
    """Two whole numbers within limits: 2-4, or a single one for both."""

    def parse(text: str) -> tuple[int, int]:
        low, dash, high = text.partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or int(high or low) < int(low):
            raise ValueError(f"{text!r} is not a range of whole numbers such as 2-4")
        bounds = int(low), int(high or low)
        if bounds[0] < least or (greatest is not None and bounds[1] > greatest):
            limit = f"{least} or more" if greatest is None else f"{least} to {greatest}"
            raise ValueError(f"{text!r} must lie within {limit}")
        return bounds

    return Parsed("range", parse, adapt=lambda pair: "-".join(map(str, pair)))


_Option = partial(Option, section="Network")


class RandomOptions(TypedDict, total=False):
    """Which random network to draw."""

    random: Annotated[
        int | None, _Option("Draw a random network of N variables instead of reading one.", Whole(1), "N")
    ]
    states: Annotated[
        str | tuple[int, int],
        _Option(
            "Smallest and largest number of states of a variable in a random network.", _range(1, 256), default="2-4"
        ),
    ]
    parents: Annotated[
        str | tuple[int, int],
        _Option(
            "Smallest and largest number of parents of a variable in a random network.", _range(0), default="0-6"
        ),
    ]
    inverted_tree: Annotated[
        int | None,
        _Option("Draw an inverted tree of binary variables with K parents each; needs --random.", Whole(1), "K"),
    ]


class SampleOptions(RandomOptions, MessageOptions, total=False):
    """Options of `sample` beside the number of rows, which has no default."""

    do: Annotated[
        Do,
        "Set a variable to a state from outside. Arcs into it are cut, and all rows have this state. May be "
        "repeated.",
        {"section": "Network"},
    ]
    interventions: Annotated[
        str | None,
        _Option(
            "Add a column of this name. In each row it names the variables that --do sets, as --interventions of "
            "other commands reads it; it is empty if none is set.",
            metavar="COLUMN",
        ),
    ]
    seed: Seed


NumberOfRows = Annotated[int, _Option("Number of rows to draw.", Whole(0), "ROWS", names=("-n", "--rows"))]


@delivering
def sample(
    run: Run,
    network: Annotated[Source, Argument("NETWORK"), "The network, with parameters."] = None,
    *,
    rows: NumberOfRows,
    **options: Unpack[SampleOptions],
) -> Rows:
    """Draw rows from a given network, or from a random one.

    Returns
    -------
    Table
        A column for each variable. `interventions` adds one.

    Examples
    --------
    >>> bnsl.sample(random=5, rows=100, seed=1, quiet=True).shape
    (100, 5)
    """
    from formats.tables.assignments import parse_assignments
    from formats.wording import plural
    from stages.inference.forward_sampling import sample_rows
    from stages.inference.intervened_networks import intervened

    from ..answers.interventions import note_interventions, with_interventions

    given = Given(**options)
    seed = resolve_seed(given.seed, run.reporter)
    model, learnt = _model(network, given, seed, run)
    fixed = parse_assignments(given.do, model.variables)
    model = intervened(model, fixed) if fixed else model

    def batches() -> "Iterator[np.ndarray]":
        for done, batch in enumerate(sample_rows(model, rows, seed), start=1):
            yield batch
            run.reporter.progress(done * batch.shape[1], rows, "rows")

    size = f"{plural(rows, 'row')} of {plural(len(model.variables), 'variable')}"
    closing = f"{size}, {plural(sum(map(len, model.parents)), 'arc')}"
    found = Rows(model.variables, batches(), closing, model=model, learnt=learnt)
    if given.interventions is not None:
        found = with_interventions(found, given.interventions, fixed)
    note_interventions(found, model, fixed)
    return found


def _model(network: Source, given: Given, seed: int, run: Run) -> "tuple[Parameters, Mapping[str, StateValues]]":
    """The network to draw from, and the values of its states in the table learnt from."""
    from formats.graphs.network_files import require_parameters
    from formats.streams import source_name
    from stages.inference.forward_sampling import inverted_tree, random_network

    if given.random is None:
        if given.inverted_tree is not None:
            raise UsageError("--inverted-tree needs --random N, the number of variables.")
        source = run.source(network, "NETWORK")
        learnt = read_network(source, warn=run.reporter.warn)
        return require_parameters(learnt.model, "sample", source_name(source)), learnt.values
    if network is not None:
        raise UsageError("give NETWORK or --random, not both.")
    if given.inverted_tree is not None:
        return inverted_tree(given.inverted_tree, given.random, seed), {}
    return random_network(given.random, given.states, given.parents, seed), {}
