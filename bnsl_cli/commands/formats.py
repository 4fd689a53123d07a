"""``bnsl formats``: what is read and written."""

from __future__ import annotations

import click

from ..files.output_formats import output_format
from ..files.recording import write_json, write_json_lines
from ..options.shared import OutputOptions, message_options, output_option
from ..running.option_records import single
from ..running.reporter import Reporter
from ..running.stage_command import option, stage_command


@stage_command()
@click.argument("name", required=False, metavar="[FORMAT]")
@option("--schema", "as_schema", is_flag=True, section="Output", help="JSON Schema of each line of the format.")
@output_option
@single(OutputOptions, "as_json", section="Output")
@message_options
def command(name: str | None, as_schema: bool, output: str, as_json: bool, reporter: Reporter) -> None:
    """List the formats that are read and written.

    With the name of one of this program's own formats, all its keys with their units and meanings: parentsets,
    network, forest, trace, arc-probabilities, entropy; also of measures (the lines of bnsl evaluate) and
    comparisons (those of bnsl compare). The content of an input gives its format, never its name.

    \b
    Examples:
      bnsl formats
      bnsl formats bnsl.network
      bnsl formats network --schema -o network.schema.json
      bnsl formats --json | head -3

    See also: bnsl convert, bnsl help formats, bnsl help stability.
    """
    from ..tables.format_lists import json_schema, list_formats, list_keys

    output_format("formats", output)
    if as_schema:
        if name is None or as_json:
            raise click.UsageError("--schema goes with the name of a format, and without --json.")
        write_json(output, json_schema(name))
        return
    rows = list_keys(name) if name else list_formats()
    if as_json:
        write_json_lines(output, rows)
    else:
        from ..tables.stage_results import show_rows

        show_rows(output, rows)
