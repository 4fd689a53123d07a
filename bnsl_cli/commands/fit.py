"""``bnsl fit``: parameters of a network from data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from formats.wording import plural

from ..data_options import DataOptions, KnownVariables, data_options_with
from ..inputs import certified_order
from ..interrupts import graceful_stop, say_if_interrupted
from ..maximisation_options import FIT_ONLY, MaximisationOptions, maximisation_options, refuse_without_holes
from ..options import check_sources, jobs_option, message_options, output_option, stats_option
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH
from ..recording import write_stats
from ..reporter import Reporter
from ..score_options import smoothing_option
from ..stage_command import option, stage_command

if TYPE_CHECKING:
    from formats.data_records import IncompleteDataset
    from formats.records import Network
    from stages.incomplete.maximisation import Maximisation


NOTHING_YET = "no iteration was done yet and nothing is written"


@stage_command
@click.argument("network", type=INPUT_PATH, metavar="NETWORK")
@click.argument("data", type=INPUT_PATH, metavar="DATA")
@data_options_with("em")
@smoothing_option(
    "Equivalent sample size of a uniform prior behind the parameters, spread over each table as in BDeu.",
    section="Parameters",
    may_be_zero=True,
)
@maximisation_options
@jobs_option
@option("--name", default="unknown", section="Output", help="Name of the network in the file.")
@output_option
@stats_option
@message_options
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

    Reads a network (from 'bnsl optimize', or any format of 'bnsl formats') and a table with its variables, and writes
    the network with probability tables as BIF, which pgmpy, bnlearn and many others read, or as the output's name
    says: .net (HUGIN), .xdsl (GeNIe), .xmlbif, .uai. Without --smoothing the tables are relative frequencies; a
    parent configuration that no row has gets equal probabilities. New rows may then be impossible, their
    log-likelihood minus infinity: give --smoothing 1 for networks that are to judge other data.

    --missing em estimates from rows with holes by expectation maximisation (Dempster, Laird and Rubin 1977;
    Lauritzen 1995). Expectations are exact, by junction trees of what is hidden; rows whose holes are alike are
    worked on together. With every iteration the log-likelihood of the observed cells rises, with --smoothing the
    sum of that and the logarithm of the prior. --stats has its course. That cells are missing may depend on what
    is observed, not on what is hidden. Ctrl-C writes the best parameters so far.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --tw 3 --time 1s -o random80.net.jsonl
      bnsl fit random80.net.jsonl random80.csv.gz --smoothing 1 -o random80.fitted.bif
      bnsl fit random80.net.jsonl random80.csv.gz | bnsl sample --rows 3 --seed 1
      gzip -dc random80.csv.gz | sed '2,500s/^[^,]*//' | bnsl fit random80.bif - --missing em -o random80.em.bif

    \b
    Exit status: 0 done, 1 cannot write or a table is too large, 2 wrong usage, 65 bad input, 129, 130 or 143
      interrupted (with --missing em the best parameters so far were written).
    See also: bnsl sample, bnsl evaluate, bnsl query.
    """
    from formats import open_network, write_network
    from stages.fit import fit_parameters

    check_sources(network, data)
    target_format = output_format("fit", output)
    structure = open_network(network)
    known = KnownVariables(structure.header.variables, network)
    if data_options.keeps_holes:
        settings = maximisation.settings(smoothing or 0.0, jobs)
        rows = data_options.open_incomplete(data, reporter, known)
        return fit_holes(structure, rows, settings, name, (output, target_format), stats, reporter)
    refuse_without_holes(ctx, FIT_ONLY)
    dataset = data_options.open(data, reporter, known)
    fitted = fit_parameters(structure, dataset, smoothing=smoothing or 0.0, name=name)
    write_network(output, fitted, target_format, reporter.warn)
    reporter.summary(
        f"{plural(dataset.n_variables, 'variable')}, {plural(structure.n_arcs, 'arc')}, "
        f"{plural(dataset.n_rows, 'row')}"
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
    """Write the network with parameters from rows with holes; the exit code."""
    from formats import write_network
    from stages.incomplete.maximisation import fit_incomplete

    say_if_interrupted(NOTHING_YET)
    with graceful_stop() as stop:
        fitted = fit_incomplete(
            structure,
            rows,
            settings,
            name=name,
            elimination=certified_order(structure),
            stop=stop,
            reporter=reporter,
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
