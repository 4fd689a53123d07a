"""``bnsl convert``: between this program's files and those of others."""

from __future__ import annotations

import click

from formats.kinds import Kind
from formats.registry import find_format

from ..conversions import targets
from ..conversions.task import ChoiceOptions, Conversion, PartOptions
from bnsl.files.output_formats import output_format
from bnsl.options.data import DataOptions, data_options_with, refuse_data_options
from ..options.parameter_types import INPUT_PATH
from bnsl.options.shared import check_sources, input_argument, message_options, output_option
from ..running.option_records import packed
from bnsl.running.reporter import Reporter
from ..running.stage_command import option, stage_command


def check_choices(part: PartOptions, choice: ChoiceOptions, target_format: str) -> None:
    """Refuse what only networks have for other formats, and what a format of networks cannot hold."""
    given = part.given() or choice.given()
    if given and target_format not in targets.STRUCTURE_TARGETS:
        raise click.UsageError(f"{given} needs a network, and {target_format} holds none.")
    for is_given, name, what, able in (
        (part.cpdag, "--cpdag", "undirected edges beside arcs", targets.ESSENTIAL),
        (choice.strengths is not None, "--strengths", "strengths of arcs", targets.WITH_STRENGTHS),
    ):
        if is_given and target_format not in able:
            raise click.UsageError(f"{name}: {target_format} cannot hold {what}; these can: {', '.join(able)}.")


@stage_command("--to --index --strengths --threshold --cpdag --markov-blanket --neighbourhood --names --output")
@input_argument("source", "FILE")
@option(
    "--to",
    "target_format",
    type=click.Choice(targets.TARGETS),
    metavar="FORMAT",
    section="Output",
    help="Format to write; the output's name gives it by default. --help-all lists the formats.",
)
@option(
    "--names",
    type=INPUT_PATH,
    metavar="DATA",
    section="Input",
    help="Name the variables of a file that numbers them (jkl, pss) by the columns of this table.",
)
@packed("choice", ChoiceOptions, section="Input")
@packed("part", PartOptions, section="Part")
@data_options_with(is_alone=True)
@output_option
@message_options
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    target_format: str | None,
    names: str | None,
    choice: ChoiceOptions,
    part: PartOptions,
    data_options: DataOptions,
    output: str,
    reporter: Reporter,
) -> None:
    """Convert between this program's files and those of others.

    Reads networks, parent sets or tables in any format of 'bnsl formats' and writes another one, a picture
    (svg, html) or a table to read. The content gives the format of the input, --to or the output's name that of
    the result.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl convert --to jkl -o random80.jkl
      bnsl convert random80.bif -o random80.dot
      bnsl convert random80.bif --to arcs --cpdag

    See also: bnsl formats, bnsl help formats, bnsl fit.
    """
    check_sources(source, names, choice.strengths)
    target_format = target_format or targets.guess_target(output)
    check_choices(part, choice, target_format)
    written = target_format
    if target_format != "table":
        written = output_format("convert", output, target_format)
    if names is not None and target_format in (*targets.DATA_TARGETS, *targets.PARAMETER_TARGETS):
        raise click.UsageError(f"--names: {target_format} has the names of its input.")
    if names is None and target_format not in targets.DATA_TARGETS:
        refuse_data_options(ctx, f"goes with data, and {target_format} holds none.")
    table = data_options.open(names, reporter) if names else None
    task = Conversion(source, target_format, written, output, table, part, choice, data_options, reporter)
    kind = None if target_format == "table" else find_format(target_format).kind
    if kind in (Kind.PARENT_SETS, Kind.DATA):
        from ..conversions.other_kinds import write_data, write_sets

        (write_data if kind is Kind.DATA else write_sets)(task)
        return
    from ..conversions.networks import write_picture, write_readable, write_structure

    {None: write_readable, Kind.PICTURE: write_picture}.get(kind, write_structure)(task)
