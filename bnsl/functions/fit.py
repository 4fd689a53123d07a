"""`bnsl.fit`: parameters of a network from data."""

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from ..files.inputs import COUNT_APART, completed, warn_of_interventions
from ..files.network_inputs import read_network
from ..files.recording import record_command
from ..networks import Network
from ..options.data import InterventionOptions, KnownVariables, Reading, RowsWithHoles
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.shared import TABLE_MEMORY, Jobs, Smoothing, check_sources
from ..options.values import SEED, SIZE, Number, Whole
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function
from ..running.interrupts import explain_interruption

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.records import NetworkRecord

WITH_HOLES = ("restarts", "iterations", "tolerance", "seed", "memory", "jobs")
"""Options that need missing cells."""

NOTHING_YET = "no iteration is finished and nothing is written"


class ParameterOptions(TypedDict, total=False):
    """The prior of the parameters."""

    smoothing: Annotated[
        Smoothing,
        "Equivalent sample size of a uniform prior of the parameters, as in BDeu.",
        {"section": "Parameters"},
    ]
    smoothing_for: Annotated[
        str | None,
        Option(
            "Choose --smoothing from 0.1 to 10000 so that this variable is predicted best. --smooth-towards is "
            "chosen as well, unless it is given. The choice has the least log-loss in 5-fold cross-validation on "
            "DATA, with the structure fixed and cuts as in 'bnsl evaluate --folds'. With --missing em, a row with "
            "missing cells is judged by its complete families.",
            metavar="NAME",
            section="Parameters",
        ),
    ]
    smooth_towards: Annotated[
        Literal["uniform", "marginal"] | None,
        Option(
            "What --smoothing draws distributions towards: the uniform distribution (uniform, the default), or the "
            "distribution given one parent less (marginal). uniform divides the rows of --smoothing among the cells "
            "of a table. marginal gives each parent configuration as many rows as --smoothing says; the "
            "distributions given one parent less are smoothed in the same way.",
            section="Parameters",
        ),
    ]


_Option = partial(Option, section="Missing cells (--missing em)")


class MaximisationOptions(TypedDict, total=False):
    """Settings of expectation maximisation."""

    restarts: Annotated[
        int,
        _Option(
            "Number of EM starts; the best result is kept. The first start uses complete cases, the others "
            "use random parameters.",
            Whole(1),
            "N",
            default=1,
        ),
    ]
    iterations: Annotated[int, _Option("Largest number of iterations of a start.", Whole(1), "N", default=1000)]
    tolerance: Annotated[
        float,
        _Option(
            "End a start once an iteration changes every probability by less than this.",
            Number(0),
            "CHANGE",
            default=1e-6,
        ),
    ]
    seed: Annotated[int, _Option("Seed of the starts.", SEED, "N", default=0)]
    memory: Annotated[int | str | None, _Option(TABLE_MEMORY, SIZE)]


class FitOptions(
    RowsWithHoles, InterventionOptions, ParameterOptions, MaximisationOptions, MessageOptions, total=False
):
    """Options of `fit`."""

    jobs: Jobs
    name: Annotated[
        str,
        Option(
            "Name of the network in the file that is written.",
            default="unknown",
            show_default=False,
            section="Output",
        ),
    ]


def _smoothing(structure: "NetworkRecord", rows: "Dataset", given: Given, run: Run) -> tuple[float | None, str]:
    """The smoothing, and what it draws distributions towards, as given or chosen.

    Raises `UsageError`: options that do not go together.
    """
    from formats.tables.assignments import find_variable
    from stages.evaluate.smoothing import losses_by_smoothing
    from stages.fit import TOWARDS

    smoothing, smooth_towards = given.smoothing, given.smooth_towards
    if given.smoothing_for is None:
        if smooth_towards is not None and smoothing is None:
            raise UsageError("--smooth-towards needs --smoothing ROWS or --smoothing-for NAME.")
        return smoothing, smooth_towards or "uniform"
    if smoothing is not None:
        raise UsageError("--smoothing-for chooses --smoothing: give one of them.")
    if rows.interventions is not None:
        raise UsageError("--smoothing-for cannot be combined with --interventions: give --smoothing.")
    kinds = TOWARDS if smooth_towards is None else (smooth_towards,)
    losses = losses_by_smoothing(structure, rows, find_variable(given.smoothing_for, rows.variables), kinds)
    towards, chosen = min(losses, key=lambda choice: losses[choice])
    run.reporter.summary(
        f"chose smoothing {chosen:g} towards the {towards} distribution: in cross-validation, the log-loss of "
        f"{given.smoothing_for} is {losses[towards, chosen]:.4f}"
    )
    return chosen, towards


def _figures(rows: "Dataset", started: float) -> dict[str, Any]:
    """The figures of every run."""
    return {"seconds": time.monotonic() - started, "rows": rows.n_rows}


@function
def fit(
    run: Run,
    network: Annotated[Source, Argument("NETWORK"), "The network that gets parameters."],
    data: Annotated[Source, Argument("DATA"), "The table that the parameters are estimated from."],
    **options: Unpack[FitOptions],
) -> Network:
    """Estimate the parameters of a network from data.

    Returns
    -------
    Network
        The network with parameters, its claims and directions.

    Examples
    --------
    >>> table = {"a": [0, 1, 1, 1] * 20, "b": [1, 0, 0, 0] * 20}
    >>> network = bnsl.fit(bnsl.optimize(data=table, require="a->b", quiet=True), table, quiet=True)
    >>> network.cpt("a")["probability"].to_pylist()
    [0.25, 0.75]
    """
    from formats.graphs.structures import with_parameters
    from stages.fit import fit_parameters

    from ..native_tables import values_learnt

    given, reading, started = Given(**options), Reading(**options), time.monotonic()
    check_sources(network, data)
    structure = read_network(network, may_be_empty=True, warn=run.reporter.warn).record
    lacks_names = structure.header.lacks_isolated
    known = None if lacks_names else KnownVariables(structure.header.variables, network)
    if not reading.keeps_holes:
        run.refuse(WITH_HOLES, "needs --missing em.")
    rows = reading.open(data, run.reporter, known, is_recodable=given.smoothing_for is not None)
    values = values_learnt(data, rows.variables, reading.marks) if run.is_called else {}
    structure = completed(structure, network, rows.names, data, run.reporter)
    if reading.interventions is None:
        warn_of_interventions(structure.header, run.reporter, COUNT_APART)
    smoothing, towards = _smoothing(structure, rows, given, run)
    recorded = reading.recorded() | {"smoothing": smoothing, "smoothing_for": given.smoothing_for}
    if towards == "marginal":
        recorded["smooth_towards"] = towards
    maximisation = {name: getattr(given, name) for name in group_options(MaximisationOptions)}
    if rows.is_hidden is not None:
        recorded |= {name: value for name, value in maximisation.items() if name != "memory"}
    structure = replace(structure, header=record_command(structure.header, "fit", recorded))
    if rows.is_hidden is None:  # the frequencies are the maximum
        fitted = fit_parameters(structure, rows, smoothing=smoothing or 0.0, towards=towards, name=given.name)
        return Network(
            with_parameters(structure, fitted),
            values=values,
            figures={"seconds": time.monotonic() - started, "rows": rows.n_rows},
        )
    from stages.incomplete.parameter_em import Maximisation, fit_incomplete

    explain_interruption(NOTHING_YET)
    settings = Maximisation(smoothing=smoothing or 0.0, towards=towards, jobs=given.jobs, **maximisation)
    stop = run.search()
    found = fit_incomplete(
        structure,
        rows,
        settings,
        name=given.name,
        elimination=structure.certified_order,
        stop=stop,
        reporter=run.reporter,
    )
    figures = _figures(rows, started) | {
        "holes": rows.n_holes,
        "log_likelihood": found.log_likelihood,
        "objective": found.traces,
        "best_start": found.best + 1,
        "change": found.change,
        "converged": found.converged,
    }
    return Network(with_parameters(structure, found.parameters), values=values, figures=figures)
