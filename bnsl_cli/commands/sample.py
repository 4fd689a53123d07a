"""``bnsl sample``: rows from a network, given or random."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from formats.wording import plural

from bnsl.files.output_formats import TABLE_FORMATS, output_format
from ..options.parameter_types import INPUT_PATH, OUTPUT_FILE, Count, Parsed
from bnsl.options.shared import OutputOptions, message_options, output_options, require_input, resolve_seed, seed_option
from ..running.option_records import option_field, packed
from bnsl.running.reporter import Reporter
from ..running.stage_command import option, stage_command


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

    return Parsed("range", parse)


@dataclass(frozen=True)
class RandomOptions:
    """Which random network to draw."""

    random: int | None = option_field(
        "Draw a random network of N variables instead of reading one.", Count(min=1), "N"
    )
    states: tuple[int, int] = option_field(
        "Numbers of states of the variables of a random network.", _range(1, 256), default="2-4"
    )
    parents: tuple[int, int] = option_field(
        "Numbers of parents of the variables of a random network.", _range(0), default="0-6"
    )
    inverted_tree: int | None = option_field(
        "With --random: an inverted tree of binary variables with K parents each.", Count(min=1), "K"
    )


@stage_command("--rows --random --states --parents --inverted-tree --seed --network --format --output")
@click.argument("network", required=False, type=INPUT_PATH, metavar="[NETWORK]")
@packed("drawn", RandomOptions, section="Network")
@option(
    "-n",
    "--rows",
    type=Count(min=0),
    required=True,
    metavar="ROWS",
    section="Network",
    help="Number of rows to draw.",
)
@seed_option
@option(
    "--network",
    "save_network",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Also write the network with its parameters (BIF).",
)
@output_options(TABLE_FORMATS, "Format of the rows; by default that of the output's name, else csv.")
@message_options
def command(
    network: str | None,
    drawn: RandomOptions,
    rows: int,
    seed: int | None,
    save_network: str | None,
    target: OutputOptions,
    reporter: Reporter,
) -> None:
    """Draw rows from a network, given or random.

    Reads a network with parameters (BIF or another format of 'bnsl formats'), or draws a random one with
    --random, and writes rows as CSV, Parquet or Arrow.

    \b
    Examples:
      bnsl sample random80.bif --rows 1000 --seed 2 -o test.csv.gz
      bnsl sample --random 50 --parents 0-3 --rows 500 --seed 1 \\
        --network true.bif -o rows.parquet
      bnsl sample --random 21 --inverted-tree 2 --rows 2000 --seed 1 |
        bnsl parentsets | bnsl optimize --tw 2

    See also: bnsl fit, which adds parameters to a network.
    """
    from formats import open_bayesian_network, open_table_writer, write_network
    from stages.inference.forward_sampling import inverted_tree, random_network, sample_rows

    table_format = output_format("sample", target.output, target.format_name)
    network_format = output_format("fit", save_network or "-")
    seed = resolve_seed(seed, reporter)
    if drawn.random is None:
        if drawn.inverted_tree is not None:
            raise click.UsageError("--inverted-tree needs --random N, the number of variables.")
        model = open_bayesian_network(require_input(network, "NETWORK"))
    elif network is not None:
        raise click.UsageError("give NETWORK or --random, not both.")
    elif drawn.inverted_tree is not None:
        model = inverted_tree(drawn.inverted_tree, drawn.random, seed)
    else:
        model = random_network(drawn.random, drawn.states, drawn.parents, seed)
    if save_network:
        write_network(save_network, model, network_format, reporter.warn)
    if target.output == "-" and sys.stdout.isatty():
        reporter.pause()
    with open_table_writer(target.output, model.variables, table_format) as writer:
        for done, batch in enumerate(sample_rows(model, rows, seed), start=1):
            writer.write(batch)
            reporter.progress(done * batch.shape[1], rows, "rows")
    n_arcs = sum(map(len, model.parents))
    reporter.summary(f"{plural(rows, 'row')} of {plural(len(model.variables), 'variable')}, {plural(n_arcs, 'arc')}")
