"""``bnsl formats``: what is read and written."""

from __future__ import annotations

import click

from ..files.output_formats import output_format
from ..files.recording import write_json_lines
from ..options.shared import OutputOptions, message_options, output_option
from ..running.option_records import single
from ..running.reporter import Reporter
from ..running.stage_command import stage_command


@stage_command()
@click.argument("name", required=False, metavar="[FORMAT]")
@output_option
@single(OutputOptions, "as_json", section="Output")
@message_options
def command(name: str | None, output: str, as_json: bool, reporter: Reporter) -> None:
    """List the formats that are read and written.

    With the name of one of this program's own formats, all its keys with their units and meanings. The content
    of an input gives its format, never its name.

    \b
    Examples:
      bnsl formats
      bnsl formats bnsl.network
      bnsl formats --json | head -3

    See also: bnsl convert, bnsl help formats.
    """
    from ..tables.format_lists import list_formats, list_keys

    output_format("formats", output)
    rows = list_keys(name) if name else list_formats()
    if as_json:
        write_json_lines(output, rows)
    else:
        from ..tables.stage_results import show_rows

        show_rows(output, rows)
