"""``bnsl convert``: between this program's files and those of others."""

from __future__ import annotations

import inspect
from typing import Any

import click

from .. import conversions
from ..data_options import DataOptions, data_options
from ..options import check_sources, input_argument, message_options, output_option
from ..output_formats import output_format
from ..parameter_types import COLUMNS, INPUT_PATH, Count
from ..reporter import Reporter
from ..stage_command import option, packed, stage_command


def check_radius(_ctx: click.Context, part: conversions.PartOptions) -> None:
    """Refuse a radius of nothing."""
    if part.radius is not None and part.neighbourhood is None:
        raise click.UsageError("--radius goes with --neighbourhood.")


def check_part(part: conversions.PartOptions, target_format: str) -> None:
    """Refuse parts of what is no network, and undirected edges where the target has none.

    Raises
    ------
    click.UsageError
    """
    if part.given() and target_format not in conversions.STRUCTURE_TARGETS:
        raise click.UsageError(f"{part.given()} needs a network, and {target_format} holds none.")
    if part.cpdag and target_format not in conversions.ESSENTIAL:
        able = ", ".join(conversions.ESSENTIAL)
        raise click.UsageError(
            f"--cpdag: {target_format} cannot hold undirected edges beside arcs; these can: {able}."
        )


def check_choice(choice: conversions.ChoiceOptions, target_format: str) -> None:
    """Refuse to choose among networks, and strengths, where the target is no network.

    Raises
    ------
    click.UsageError
    """
    given = [f"--{name}" for name, value in vars(choice).items() if value is not None]
    if given and target_format not in conversions.STRUCTURE_TARGETS:
        raise click.UsageError(f"{given[0]} needs a network, and {target_format} holds none.")


part_options = packed(
    "part",
    conversions.PartOptions,
    option(
        "--cpdag",
        is_flag=True,
        section="Part",
        help="The essential graph: arcs that every equivalent network has, the others undirected.",
    ),
    option(
        "--markov-blanket",
        type=COLUMNS,
        section="Part",
        help="Only these variables, their parents, children and the children's parents; names or patterns.",
    ),
    option(
        "--neighbourhood",
        type=COLUMNS,
        section="Part",
        help="Only these variables and those within --radius arcs; names or patterns.",
    ),
    option(
        "--radius",
        type=Count(min=1),
        metavar="N",
        section="Part",
        help="Arcs to go from --neighbourhood, whichever way they point; 1 if not given.",
    ),
    check=check_radius,
)


class Index(click.ParamType):
    """A place in a stream of networks, from 1; ``best`` is 0."""

    name = "K|best"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return 0 if value == "best" else Count(min=1).convert(value, param, ctx)


choice_options = packed(
    "choice",
    conversions.ChoiceOptions,
    option(
        "--index",
        type=Index(),
        section="Input",
        help="Of a stream of networks (bootstrap, sampled) the K-th, from 1, or the one that scores most.",
    ),
    option(
        "--strengths",
        type=INPUT_PATH,
        metavar="ARCS",
        section="Input",
        help="Table of arc strengths or probabilities to show at the network's arcs.",
    ),
    option(
        "--threshold",
        type=click.FloatRange(0, 1, max_open=True),
        metavar="P",
        section="Input",
        help="Of a table of arc probabilities join only pairs above P in either direction. "
        "[default: the significance threshold]",
    ),
)


@stage_command
@input_argument("source", "FILE")
@option(
    "--to",
    "target_format",
    type=click.Choice(list(conversions.TARGETS)),
    section="Output",
    help="Format to write; told by the output's name if not given.",
)
@option(
    "--names",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Table whose columns name the variables of a file that numbers them (jkl, pss).",
)
@choice_options
@part_options
@data_options
@output_option
@message_options
def command(
    source: str,
    target_format: str | None,
    names: str | None,
    choice: conversions.ChoiceOptions,
    part: conversions.PartOptions,
    data_options: DataOptions,
    output: str,
    reporter: Reporter,
) -> None:
    """Translate between this program's files and those of others.

    What the input is, is told by its content; what it becomes by --to or the output's name:

    \b
    {targets}

    {with_parameters} need parameters: those of an input that has them; 'bnsl fit' adds them to other networks. uai
    has numbers only: names go into comments behind the tables, and without these variables are X0, X1, ... gr and td
    are the moral graph and a tree decomposition in the formats of the PACE challenge: td is that of the
    elimination order in the header of a network learnt with --tw, else of the best one that min-fill and
    min-degree find. Keys that we do not know are kept where the target can hold them. jkl and pss hold sets and
    scores only: of a fixed set or required parents they keep that no other sets are listed, which is told.

    svg is a picture, parents above children; html the same as a page of its own that needs no network: zoom, search,
    facts of a variable where the pointer rests, its Markov blanket at a click.

    Strengths of arcs (of 'bnsl average', or a table beside the network: --strengths) become line widths in svg,
    html and dot (penwidth, label), attributes of edges in graphml, columns in arcs and table. A table of arc
    probabilities (of 'bnsl posterior') is drawn as the network that 'bnsl average' makes of it.

    Parts of a network are cut out by --markov-blanket and --neighbourhood, together or alone; --cpdag writes its
    essential graph, whose undirected edges {essential} can hold.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl convert --to jkl -o random80.jkl
      bnsl optimize random80.jkl --time 1s | bnsl convert --to modelstring
      bnsl convert random80.jkl --names random80.csv.gz --to parentsets -o named.sets.jsonl
      bnsl convert random80.bif -o random80.dot
      bnsl convert random80.bif -o random80.xdsl
      bnsl convert random80.bif -o random80.html
      bnsl convert random80.bif --neighbourhood X3 --radius 2 -o part.svg
      bnsl convert random80.bif --to arcs --cpdag
      bnsl convert random80.bif --to modelstring --markov-blanket X3,X5
      bnsl convert random80.bif --to adjacency | head -3
      bnsl convert -v random80.bif -o random80.td
      bnsl convert random80.csv.gz -o random80.parquet
      bnsl optimize --data random80.csv.gz --hc --bootstrap 3 -o boot.net.jsonl
      bnsl average -q boot.net.jsonl --strengths s.arrows | bnsl convert -o sure.svg
      bnsl convert s.arrows --threshold 0.5 -o arcs.html
      bnsl convert boot.net.jsonl --index best --strengths s.arrows -o best.dot

    \b
    Exit status: 0 done, 1 cannot write, 2 wrong usage, 65 bad input or something the target cannot hold.
    See also: bnsl formats, bnsl fit.
    """
    check_sources(source, names, choice.strengths)
    target_format = target_format or conversions.guess_target(output)
    check_part(part, target_format)
    check_choice(choice, target_format)
    written = target_format
    if target_format != "table":
        written = output_format("convert", output, target_format)
    table = data_options.open(names, reporter) if names else None
    convert = conversions.TARGETS[target_format]
    convert(
        conversions.Conversion(
            source, target_format, written, output, table, part, choice, data_options, reporter
        )
    )


command.help = (
    inspect.cleandoc(command.help or "")
    .replace("{targets}", conversions.describe_targets())
    .replace("{with_parameters}", conversions.WITH_PARAMETERS)
    .replace("{essential}", ", ".join(conversions.ESSENTIAL))
)
