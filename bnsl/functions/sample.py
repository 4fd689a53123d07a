"""`bnsl.sample`: rows from a network, given or random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..files.inputs import open_learnt_network
from ..files.rows import Rows
from ..options.declared import argument, option, parameter, record
from ..options.shared import do_option, resolve_seed, seed_option
from ..options.values import Parsed, Whole
from ..running.errors import UsageError
from ..running.function import Run, function

if TYPE_CHECKING:
    import numpy as np

    from formats.graph_records import BayesianNetwork

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

    return Parsed("range", parse, annotation="str | tuple[int, int]", adapt=lambda pair: "-".join(map(str, pair)))


@dataclass(frozen=True)
class RandomOptions:
    """Which random network to draw."""

    random: int | None = option("Draw a random network of N variables instead of reading one.", Whole(1), "N")
    states: tuple[int, int] = option(
        "Numbers of states of the variables of a random network.", _range(1, 256), default="2-4"
    )
    parents: tuple[int, int] = option(
        "Numbers of parents of the variables of a random network.", _range(0), default="0-6"
    )
    inverted_tree: int | None = option(
        "With --random: an inverted tree of binary variables with K parents each.", Whole(1), "K"
    )


@function(finish=Rows.to_table)
def sample(
    network: Any = argument("NETWORK"),
    drawn: RandomOptions = record(RandomOptions, "Network"),
    rows: int = parameter(
        "Number of rows to draw.", Whole(0), "ROWS", names=("-n", "--rows"), is_required=True, section="Network"
    ),
    do: tuple[str, ...] = do_option(
        "Set a variable to a state from outside: arcs into it are cut, and all rows have this state; repeatable.",
        "Network",
    ),
    interventions: str | None = parameter(
        "Add a column of this name, which names the variables that --do sets (empty for none): what --interventions "
        "of other commands reads.",
        metavar="COLUMN",
        section="Network",
    ),
    seed: int | None = seed_option(),
    *,
    run: Run,
) -> Rows:
    """Draw rows from a network, given or random.

    Returns
    -------
    Table
        A column for each variable; with `interventions` one more.

    Examples
    --------
    >>> bnsl.sample(random=5, rows=100, seed=1, quiet=True).shape
    (100, 5)
    """
    from formats.tables.assignments import parse_assignments
    from formats.wording import plural
    from stages.inference.forward_sampling import sample_rows
    from stages.inference.intervened_networks import intervened

    from .interventions import note_interventions, with_interventions

    seed = resolve_seed(seed, run.reporter)
    model, learnt = _model(network, drawn, seed, run)
    fixed = parse_assignments(do, model.variables)
    model = intervened(model, fixed) if fixed else model

    def batches() -> Iterator[np.ndarray]:
        for done, batch in enumerate(sample_rows(model, rows, seed), start=1):
            yield batch
            run.reporter.progress(done * batch.shape[1], rows, "rows")

    size = f"{plural(rows, 'row')} of {plural(len(model.variables), 'variable')}"
    closing = f"{size}, {plural(sum(map(len, model.parents)), 'arc')}"
    found = Rows(model.variables, batches(), closing, model=model, learnt=learnt)
    if interventions is not None:
        found = with_interventions(found, interventions, fixed)
    note_interventions(found, model, fixed)
    return found


def _model(
    network: Any, drawn: RandomOptions, seed: int, run: Run
) -> tuple[BayesianNetwork, Mapping[str, StateValues]]:
    """The network to draw from, and the values of its states in the table learnt from."""
    from formats.graphs.network_files import require_parameters
    from formats.streams import source_name
    from stages.inference.forward_sampling import inverted_tree, random_network

    if drawn.random is None:
        if drawn.inverted_tree is not None:
            raise UsageError("--inverted-tree needs --random N, the number of variables.")
        source = run.source(network, "NETWORK")
        learnt = open_learnt_network(source, warn=run.reporter.warn)
        return require_parameters(learnt.parameters, "sample", source_name(source)), learnt.values
    if network is not None:
        raise UsageError("give NETWORK or --random, not both.")
    if drawn.inverted_tree is not None:
        return inverted_tree(drawn.inverted_tree, drawn.random, seed), {}
    return random_network(drawn.random, drawn.states, drawn.parents, seed), {}
