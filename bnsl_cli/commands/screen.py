"""``bnsl screen``: data or entropies to a screening forest."""

from typing import Annotated, Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_json_lines
from bnsl.functions.screen import RootCurve, screen
from bnsl.options.shared import Format, SheetTarget, TableOptions, formats_of
from formats.wording import plural

from ..running.stage_command import Call, stage_command


class ScreenOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format, formats_of(("jsonl", "table"), "JSON lines (default in a pipe or file) or a table to read.")
    ]


@stage_command(
    "--roots --eps --max-parents --relative --curve --discretize --missing --jobs --format --output", screen
)
def command(call: Call, **options: Unpack[ScreenOutput]) -> None:
    """Find variables that another variable nearly determines.

    Reads a table, or the result of 'bnsl entropy', and writes a forest. In it, a variable that another variable
    nearly determines has that variable as its only parent. All others are roots. 'bnsl parentsets --screen' and
    'bnsl optimize --screen' then search among the roots only.

    \b
    Examples:
      bnsl screen --roots 0.5 --discretize median wdbc.csv
      bnsl entropy random80.csv.gz | bnsl screen --eps 0.4 -o forest.jsonl
      bnsl parentsets --screen forest.jsonl random80.csv.gz -o s.sets.jsonl

    See also: bnsl entropy, bnsl parentsets.
    """
    from formats import write_forest

    from ..tables.stage_results import show_forest, show_root_curve

    target = SheetTarget(**options)
    if target.format not in ("table", "csv"):
        output_format("screen", target.output)
    found = call()
    if isinstance(found, RootCurve):
        if target.is_sheet:
            show_root_curve(target, found)
        else:
            write_json_lines(target.output, found)
        return
    if target.is_sheet:
        show_forest(target, found.record)
    else:
        write_forest(target.output, found.record)
    header = found.record.header
    n_screened = len(found.record.parents)
    n_roots = len(header.variables) - n_screened
    call.reporter.summary(
        f"{plural(n_screened, 'variable')} screened at eps {header.extra['eps']:.4g}, {plural(n_roots, 'root')}"
    )
