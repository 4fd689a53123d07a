"""``bnsl fit``: parameters of a network from data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from formats.wording import plural

from ..files.inputs import certified_order, completed, open_learnt_network
from ..files.output_formats import output_format
from ..files.recording import write_stats
from ..options import shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.parameter_types import INPUT_PATH, SEED, SIZE, Count, Finite
from ..running.interrupts import explain_interruption, graceful_stop
from ..running.option_records import option_field, packed
from ..running.reporter import Reporter
from ..running.stage_command import option, refuse_given, stage_command

if TYPE_CHECKING:
    from formats.data_records import IncompleteDataset
    from formats.records import Network
    from stages.incomplete.maximisation import Maximisation


WITH_HOLES = ("restarts", "iterations", "tolerance", "seed", "memory", "jobs", "stats")
"""Options that need missing cells."""


@dataclass(frozen=True)
class MaximisationOptions:
    """Settings of expectation maximisation."""

    restarts: int = option_field(
        "Starts, of which the best result is kept: the first from the rows that show a family whole, further "
        "ones drawn.",
        Count(min=1),
        "N",
        default=1,
    )
    iterations: int = option_field("Most iterations of a start.", Count(min=1), "N", default=200)
    tolerance: float = option_field(
        "End once an iteration raises the log-likelihood of a row by less.", Finite(min=0), "NATS", default=1e-5
    )
    seed: int = option_field("Seed of the starts.", SEED, "N", default=0)
    memory: int | None = option_field(shared.TABLE_MEMORY, SIZE)


NOTHING_YET = "no iteration is finished and nothing is written"


@stage_command("--smoothing --discretize --missing --restarts --iterations --seed --memory --jobs --output")
@click.argument("network", type=INPUT_PATH, metavar="NETWORK")
@click.argument("data", type=INPUT_PATH, metavar="DATA")
@data_options_with("em")
@shared.smoothing_option(
    "Equivalent sample size of a uniform prior of the parameters, as in BDeu.", section="Parameters"
)
@packed("maximisation", MaximisationOptions, section="Missing cells (--missing em)")
@shared.jobs_option
@option("--name", default="unknown", show_default=False, section="Output", help="Name of the network in the file.")
@shared.output_option
@shared.stats_option
@shared.message_options
@click.pass_context
def command(
    ctx: click.Context,
    network: str,
    data: str,
    data_options: DataOptions,
    smoothing: float | None,
    maximisation: MaximisationOptions,
    jobs: int,
    name: str,
    output: str,
    stats: str | None,
    reporter: Reporter,
) -> int:
    """Estimate the parameters of a network from data.

    Reads a network (of 'bnsl optimize', or any format of 'bnsl formats') and a table with its variables, and
    writes the network with probability tables as BIF, or in the format that the name of the output gives.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o n.net.jsonl
      bnsl fit n.net.jsonl random80.csv.gz --smoothing 1 -o random80.fitted.bif
      bnsl fit n.net.jsonl random80.csv.gz | bnsl sample --rows 3 --seed 1

    See also: bnsl query, bnsl sample, bnsl evaluate.
    """
    from formats import write_network
    from formats.data_records import IncompleteDataset
    from stages.fit import fit_parameters

    shared.check_sources(network, data)
    target_format = output_format("fit", output)
    structure = open_learnt_network(network, may_be_empty=True).structure
    lacks_names = structure.header.lacks_isolated
    known = None if lacks_names else KnownVariables(structure.header.variables, network)
    if not data_options.keeps_holes:
        refuse_given(ctx, WITH_HOLES, "goes with --missing em.")
    rows = data_options.open_rows(data, reporter, known)
    names = (rows.dataset if isinstance(rows, IncompleteDataset) else rows).names
    structure = completed(structure, network, names, data, reporter)
    if isinstance(rows, IncompleteDataset):
        from stages.incomplete.maximisation import Maximisation

        settings = Maximisation(smoothing=smoothing or 0.0, jobs=jobs, **vars(maximisation))
        return fit_holes(structure, rows, settings, name, (output, target_format), stats, reporter)
    fitted = fit_parameters(structure, rows, smoothing=smoothing or 0.0, name=name)
    write_network(output, fitted, target_format, reporter.warn)
    reporter.summary(
        f"{plural(rows.n_variables, 'variable')}, {plural(structure.n_arcs, 'arc')}, {plural(rows.n_rows, 'row')}"
    )
    return 0


def fit_holes(
    structure: Network,
    rows: IncompleteDataset,
    settings: Maximisation,
    name: str,
    target: tuple[str, str],
    stats: str | None,
    reporter: Reporter,
) -> int:
    """Write the network with parameters from incomplete rows; return the exit code."""
    from formats import write_network
    from stages.incomplete.maximisation import fit_incomplete

    explain_interruption(NOTHING_YET)
    with graceful_stop() as stop:
        fitted = fit_incomplete(
            structure, rows, settings, name=name, elimination=certified_order(structure), stop=stop, reporter=reporter
        )
        reporter.pause()
        write_network(target[0], fitted.network, target[1], reporter.warn)
    n_iterations = len(fitted.traces[fitted.best]) - 1
    ended = "converged" if fitted.converged else "interrupted" if stop.exit_code else "not converged"
    reporter.summary(
        f"{plural(structure.n_variables, 'variable')}, {plural(structure.n_arcs, 'arc')}, "
        f"{plural(rows.dataset.n_rows, 'row')}, {plural(rows.n_holes, 'hole')}; "
        f"log-likelihood {fitted.log_likelihood:,.2f} after {plural(n_iterations, 'iteration')}, {ended}"
    )
    write_stats(
        stats,
        {
            "rows": rows.dataset.n_rows,
            "holes": rows.n_holes,
            "log_likelihood": fitted.log_likelihood,
            "objective": fitted.traces,
            "best_start": fitted.best + 1,
            "converged": fitted.converged,
        },
    )
    return stop.exit_code
