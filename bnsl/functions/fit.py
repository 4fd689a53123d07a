"""`bnsl.fit`: parameters of a network from data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..files.inputs import (
    COUNT_APART,
    certified_order,
    completed,
    learnt_network,
    open_learnt_network,
    warn_of_interventions,
)
from ..files.recording import record_command
from ..options import shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, option, parameter, record
from ..options.values import SEED, SIZE, Choice, Number, Whole
from ..running.errors import UsageError
from ..running.function import Run, function
from ..running.interrupts import explain_interruption

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.graph_records import BayesianNetwork
    from formats.records import Network

    from ..native_tables import StateValues

TOWARDS = ("uniform", "marginal")
"""Of `stages.fit`, which imports numpy."""

WITH_HOLES = ("restarts", "iterations", "tolerance", "seed", "memory", "jobs")
"""Options that need missing cells."""

NOTHING_YET = "no iteration is finished and nothing is written"


@dataclass(frozen=True)
class MaximisationOptions:
    """Settings of expectation maximisation."""

    restarts: int = option(
        "Number of EM starts; the best result is kept. The first uses complete cases, the others random parameters.",
        Whole(1),
        "N",
        default=1,
    )
    iterations: int = option("Most iterations of a start.", Whole(1), "N", default=1000)
    tolerance: float = option(
        "End once an iteration changes every probability by less.", Number(0), "CHANGE", default=1e-6
    )
    seed: int = option("Seed of the starts.", SEED, "N", default=0)
    memory: int | None = option(shared.TABLE_MEMORY, SIZE)


class Fitted(NamedTuple):
    """A network with its parameters.

    - `model`: the parameters, with the header of the network.
    - `closing`: the closing line.
    - `figures`: figures of expectation maximisation; None if no cell is missing.
    - `values`: in Python, the values of states in the table, by variable.
    """

    model: BayesianNetwork
    closing: str
    figures: dict[str, Any] | None = None
    values: Mapping[str, StateValues] = {}


def _finish(found: Fitted) -> Any:
    from ..networks import Network

    return Network(learnt_network(found.model)._replace(values=found.values))


def _smoothing(
    structure: Network,
    rows: Dataset,
    smoothing: float | None,
    smoothing_for: str | None,
    smooth_towards: str | None,
    run: Run,
) -> tuple[float | None, str]:
    """The smoothing, and what it draws distributions towards, as given or chosen.

    Raises `UsageError`: options that do not go together.
    """
    from formats.tables.assignments import find_variable
    from stages.evaluate.smoothing import losses_by_smoothing

    if smoothing_for is None:
        if smooth_towards is not None and smoothing is None:
            raise UsageError("--smooth-towards goes with --smoothing ROWS or --smoothing-for NAME.")
        return smoothing, smooth_towards or "uniform"
    if smoothing is not None:
        raise UsageError("--smoothing-for chooses --smoothing: give one of them.")
    if rows.interventions is not None:
        raise UsageError("--smoothing-for predicts rows as they come, without --interventions: give --smoothing.")
    kinds = TOWARDS if smooth_towards is None else (smooth_towards,)
    losses = losses_by_smoothing(structure, rows, find_variable(smoothing_for, rows.variables), kinds)
    towards, chosen = min(losses, key=lambda choice: losses[choice])
    run.reporter.summary(
        f"smoothing {chosen:g} towards the {towards} distribution: log-loss of {smoothing_for} "
        f"{losses[towards, chosen]:.4f} in cross-validation"
    )
    return chosen, towards


@function(finish=_finish)
def fit(
    network: Any = argument("NETWORK", is_required=True),
    data: Any = argument("DATA", is_required=True),
    data_options: DataOptions = data_options_with("em", counts_families=True),
    smoothing: float | None = shared.smoothing_option(
        "Equivalent sample size of a uniform prior of the parameters, as in BDeu.", "Parameters"
    ),
    smoothing_for: str | None = parameter(
        "Choose --smoothing from 0.1 to 10000, and --smooth-towards unless it is given, so that this variable is "
        "predicted best: by the log-loss in 5-fold cross-validation on DATA, with the structure fixed, and cuts as "
        "in evaluate --folds. With --missing em, rows with missing cells are judged by the families that they show "
        "whole.",
        metavar="NAME",
        section="Parameters",
    ),
    smooth_towards: str | None = parameter(
        "What --smoothing draws distributions towards: the uniform one, with its rows divided among the cells of a "
        "table, or (marginal) those given one parent less, which are smoothed in turn, with as many rows for each "
        "parent configuration. Uniform if not given.",
        Choice(TOWARDS),
        section="Parameters",
    ),
    maximisation: MaximisationOptions = record(MaximisationOptions, "Missing cells (--missing em)"),
    jobs: int = shared.jobs_option(),
    name: str = parameter(
        "Name of the network in the file.", default="unknown", show_default=False, section="Output"
    ),
    *,
    run: Run,
) -> Fitted:
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
    from formats.wording import plural
    from stages.fit import fit_parameters

    from ..native_tables import values_learnt

    shared.check_sources(network, data)
    structure = open_learnt_network(network, may_be_empty=True, warn=run.reporter.warn).structure
    lacks_names = structure.header.lacks_isolated
    known = None if lacks_names else KnownVariables(structure.header.variables, network)
    if not data_options.keeps_holes:
        run.refuse(WITH_HOLES, "goes with --missing em.")
    rows = data_options.open(data, run.reporter, known, is_recodable=smoothing_for is not None)
    values = values_learnt(data, rows.variables, data_options.marks) if run.is_called else {}
    structure = completed(structure, network, rows.names, data, run.reporter)
    if data_options.interventions is None:
        warn_of_interventions(structure.header, run.reporter, COUNT_APART)
    smoothing, towards = _smoothing(structure, rows, smoothing, smoothing_for, smooth_towards, run)
    recorded = data_options.recorded() | {"smoothing": smoothing, "smoothing_for": smoothing_for}
    if towards == "marginal":
        recorded["smooth_towards"] = towards
    if rows.is_hidden is not None:
        recorded |= {name: value for name, value in vars(maximisation).items() if name != "memory"}
    structure = replace(structure, header=record_command(structure.header, "fit", recorded))
    size = f"{plural(structure.n_variables, 'variable')}, {plural(structure.n_arcs, 'arc')}"
    if rows.is_hidden is None:  # the frequencies are the maximum
        fitted = fit_parameters(structure, rows, smoothing=smoothing or 0.0, towards=towards, name=name)
        return Fitted(fitted, f"{size}, {plural(rows.n_rows, 'row')}", values=values)
    from stages.incomplete.maximisation import Maximisation, fit_incomplete

    explain_interruption(NOTHING_YET)
    settings = Maximisation(smoothing=smoothing or 0.0, towards=towards, jobs=jobs, **vars(maximisation))
    stop = run.search()
    found = fit_incomplete(
        structure, rows, settings, name=name, elimination=certified_order(structure), stop=stop, reporter=run.reporter
    )
    ended = "converged" if found.converged else "interrupted" if stop.is_set() else "not converged"
    n_iterations = len(found.traces[found.best]) - 1
    closing = (
        f"{size}, {plural(rows.n_rows, 'row')}, {plural(rows.n_holes, 'hole')}; "
        f"log-likelihood {found.log_likelihood:,.2f} after {plural(n_iterations, 'iteration')}, {ended}: "
        f"a further one changes a probability by at most {found.change:.1g}"
    )
    figures = {
        "rows": rows.n_rows,
        "holes": rows.n_holes,
        "log_likelihood": found.log_likelihood,
        "objective": found.traces,
        "best_start": found.best + 1,
        "change": found.change,
        "converged": found.converged,
    }
    return Fitted(found.network, closing, figures, values)
