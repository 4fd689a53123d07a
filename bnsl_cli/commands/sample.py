"""``bnsl sample``: rows from a network, given or random."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from formats.wording import plural

from ..options import (
    drawn_seed_option,
    format_option,
    message_options,
    output_option,
    require_input,
    resolve_seed,
)
from ..output_formats import TABLE_FORMATS, output_format
from ..parameter_types import INPUT_PATH, OUTPUT_FILE, Count
from ..reporter import Reporter
from ..stage_command import option, packed, stage_command


class Range(click.ParamType):
    """Two whole numbers: 2-4, or a single one for both."""

    name = "range"

    def __init__(self, least: int, greatest: int | None = None):
        self.least = least
        self.greatest = greatest

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        low, dash, high = str(value).partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()) or int(high or low) < int(low):
            self.fail(f"{value!r} is not a range of whole numbers such as 2-4.", param, ctx)
        bounds = int(low), int(high or low)
        if bounds[0] < self.least or (self.greatest is not None and bounds[1] > self.greatest):
            limit = f"{self.least} or more" if self.greatest is None else f"{self.least} to {self.greatest}"
            self.fail(f"{value!r} must lie within {limit}.", param, ctx)
        return bounds


@dataclass(frozen=True)
class RandomOptions:
    """Which random network to draw."""

    random: int | None
    states: tuple[int, int]
    parents: tuple[int, int]
    inverted_tree: int | None


random_options = packed(
    "drawn",
    RandomOptions,
    option(
        "--random",
        type=Count(min=1),
        metavar="N",
        section="Network",
        help="Draw a random network of N variables instead of reading one.",
    ),
    option(
        "--states",
        type=Range(1, 256),
        default="2-4",
        show_default=True,
        section="Network",
        help="Numbers of states of a random network's variables.",
    ),
    option(
        "--parents",
        type=Range(0),
        default="0-6",
        show_default=True,
        section="Network",
        help="Numbers of parents of a random network's variables.",
    ),
    option(
        "--inverted-tree",
        type=Count(min=1),
        metavar="K",
        section="Network",
        help="With --random: an inverted tree of binary variables with K parents each.",
    ),
)


@stage_command
@click.argument("network", required=False, type=INPUT_PATH, metavar="[NETWORK]")
@random_options
@option(
    "-n",
    "--rows",
    type=Count(min=0),
    required=True,
    metavar="ROWS",
    section="Network",
    help="Number of rows to draw.",
)
@drawn_seed_option
@option(
    "--network",
    "save_network",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Also write the network with its parameters (BIF).",
)
@output_option
@format_option(TABLE_FORMATS, "Format of the rows; told by the output's name if not given, else csv.")
@message_options
def command(
    network: str | None,
    drawn: RandomOptions,
    rows: int,
    seed: int | None,
    save_network: str | None,
    output: str,
    format_name: str | None,
    reporter: Reporter,
) -> None:
    """Draw rows from a network, given or random.

    Reads a network with parameters (BIF or another format of 'bnsl formats', from a file or standard input), or draws
    a random one with --random, and writes rows as CSV, Parquet or Arrow in a stream, so their number is not
    limited by memory. The same seed gives the same network and rows; more rows continue the same table.

    Random networks: every variable gets a random number of states and of parents among those before it in a
    random order, and probabilities uniform on the simplex. With --inverted-tree K every variable has K parents
    or none and all arcs point to one root, the worst case for learning under a treewidth bound (Scanagatta,
    Corani, de Campos and Zaffalon 2016).

    \b
    Examples:
      bnsl sample random80.bif --rows 1000 --seed 2 -o test.csv.gz
      bnsl sample --random 50 --parents 0-3 --rows 500 --seed 1 --network true.bif -o rows.parquet
      bnsl sample --random 21 --inverted-tree 2 --rows 2000 --seed 1 | bnsl parentsets | bnsl optimize --tw 2

    \b
    Exit status: 0 done, 1 cannot write, 2 wrong usage, 65 bad network.
    See also: bnsl fit, which makes a network with parameters from one without.
    """
    from formats import open_bayesian_network, open_table_writer, write_network
    from stages.sample import inverted_tree, random_network, sample_rows

    table_format = output_format("sample", output, format_name)
    network_format = output_format("fit", save_network or "-")
    seed = resolve_seed(seed, reporter)
    if drawn.random is None:
        if drawn.inverted_tree is not None:
            raise click.UsageError("--inverted-tree needs --random N, the number of variables.")
        model = open_bayesian_network(require_input(network, "NETWORK"))
    elif network is not None:
        raise click.UsageError("give either NETWORK or --random, not both.")
    elif drawn.inverted_tree is not None:
        model = inverted_tree(drawn.inverted_tree, drawn.random, seed)
    else:
        model = random_network(drawn.random, drawn.states, drawn.parents, seed)
    if save_network:
        write_network(save_network, model, network_format, reporter.warn)
    if output == "-" and sys.stdout.isatty():
        reporter.pause()
    with open_table_writer(output, model.variables, table_format) as writer:
        for done, batch in enumerate(sample_rows(model, rows, seed), start=1):
            writer.write(batch)
            reporter.progress(done * batch.shape[1], rows, "rows")
    n_arcs = sum(map(len, model.parents))
    reporter.summary(
        f"{plural(rows, 'row')} of {plural(len(model.variables), 'variable')}, {plural(n_arcs, 'arc')}"
    )
