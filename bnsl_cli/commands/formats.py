"""``bnsl formats``: what is read and written."""

from __future__ import annotations

import click

from ..options import json_option, message_options, output_option
from ..output_formats import output_format
from ..recording import write_json_lines
from ..reporter import Reporter
from ..stage_command import stage_command


@stage_command
@click.argument("name", required=False, metavar="[FORMAT]")
@output_option
@json_option
@message_options
def command(name: str | None, output: str, as_json: bool, reporter: Reporter) -> None:
    """List the formats that are read and written.

    With the name of one of this program's own formats, all its keys with their units and meanings. The format
    of an input is always told by its content, never by its name.

    \b
    Examples:
      bnsl formats
      bnsl formats bnsl.network
      bnsl formats --json | head -3

    \b
    Exit status: 0 done, 2 unknown format.
    See also: bnsl convert.
    """
    from ..format_lists import list_formats, list_keys

    output_format("formats", output)
    rows = list_keys(name) if name else list_formats()
    if as_json:
        write_json_lines(output, rows)
    else:
        from .. import tables

        tables.show_rows(output, rows)
