"""``bnsl fit``: parameters of a network from data."""

from __future__ import annotations

import click

from formats.wording import plural

from ..data_options import DataOptions, KnownVariables, data_options
from ..options import check_sources, message_options, output_option
from ..output_formats import output_format
from ..parameter_types import INPUT_PATH
from ..reporter import Reporter
from ..score_options import smoothing_option
from ..stage_command import option, stage_command


@stage_command
@click.argument("network", type=INPUT_PATH, metavar="NETWORK")
@click.argument("data", type=INPUT_PATH, metavar="DATA")
@data_options
@smoothing_option(
    "Equivalent sample size of a uniform prior behind the parameters, spread over each table as in BDeu.",
    section="Parameters",
    may_be_zero=True,
)
@option("--name", default="unknown", section="Output", help="Name of the network in the BIF file.")
@output_option
@message_options
def command(
    network: str,
    data: str,
    data_options: DataOptions,
    smoothing: float | None,
    name: str,
    output: str,
    reporter: Reporter,
) -> None:
    """Estimate the parameters of a network from data.

    Reads a network (from 'bnsl optimize', or any format of 'bnsl formats') and a table with its variables, and
    writes the network with probability tables as BIF, which pgmpy, bnlearn and many others read, or as a HUGIN
    file if the output's name ends in .net. Without --smoothing the tables are relative frequencies; a parent
    configuration that no row has gets equal probabilities. New rows may then be impossible, their log-likelihood
    minus infinity: give --smoothing 1 for networks that are to judge other data.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --tw 3 --time 1s -o random80.net.jsonl
      bnsl fit random80.net.jsonl random80.csv.gz --smoothing 1 -o random80.fitted.bif
      bnsl fit random80.net.jsonl random80.csv.gz | bnsl sample --rows 3 --seed 1

    \b
    Exit status: 0 done, 1 cannot write or a table is too large, 2 wrong usage, 65 bad input.
    See also: bnsl sample, bnsl evaluate.
    """
    from formats import open_network, write_network
    from stages.fit import fit_parameters

    check_sources(network, data)
    target_format = output_format("fit", output)
    structure = open_network(network)
    dataset = data_options.open(data, reporter, KnownVariables(structure.header.variables, network))
    fitted = fit_parameters(structure, dataset, smoothing=smoothing or 0.0, name=name)
    write_network(output, fitted, target_format, reporter.warn)
    reporter.summary(
        f"{plural(dataset.n_variables, 'variable')}, {plural(structure.n_arcs, 'arc')}, "
        f"{plural(dataset.n_rows, 'row')}"
    )
