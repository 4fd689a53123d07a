"""``bnsl evaluate``: networks to measures."""

from collections.abc import Mapping
from typing import Annotated, Any, Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_json_lines
from bnsl.functions.evaluate import evaluate
from bnsl.options.option import Option
from bnsl.options.shared import Format, SheetTarget, TableOptions, Target, formats_of
from bnsl.options.values import OUTPUT_FILE
from bnsl.running.errors import UsageError

from ..running.stage_command import Call, stage_command


class EvaluateOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format,
        formats_of(
            ("jsonl", "table"),
            "JSON lines (default in a pipe or file) or a table to read. -o NAME.svg, .pdf or .png draws the "
            "predictions of --target, or the calibration of --strengths.",
        ),
    ]
    points: Annotated[
        str | None,
        Option(
            "Write the points of the ROC curves of --target to this file, one per row. By its name it is CSV, Arrow, "
            "Feather or Parquet.",
            OUTPUT_FILE,
            "FILE",
            section="Output",
        ),
    ]


@stage_command(
    "--data --test --reference --families --score --smoothing --folds --discretize --missing --format --output",
    evaluate,
)
def command(call: Call, **options: Unpack[EvaluateOutput]) -> None:
    """Evaluate networks: scores, likelihood of test rows, distance, treewidth.

    Reads networks in any format of 'bnsl formats' and computes all measures anew from their arcs and the data:
    scores, log-likelihood of test rows, bounds on the treewidth, distances from a reference network. For a network
    without data it writes a summary: states, parents and children per variable.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl optimize --time 1s -o n.net.jsonl
      bnsl sample random80.bif --rows 500 --seed 2 -o test.csv
      bnsl evaluate n.net.jsonl --data random80.csv.gz --test test.csv \\
        --reference random80.bif

      bnsl evaluate n.net.jsonl random80.bif --families

    See also: bnsl optimize, bnsl fit.
    """
    from bnsl.plots import PICTURES, write_plots

    target = SheetTarget(**options)
    points = target.points
    asked = "jsonl" if target.json else target.format
    target_format = asked if asked in ("table", "csv") else output_format("evaluate", target.output, asked)
    is_picture = target_format in PICTURES
    if is_picture:
        check_picture(target, call.values)
    points_format = output_format("points", points or "-", option="--points")
    if points is not None and call.values["target"] is None:
        raise UsageError("--points needs --target NAME.")
    records = call(curve=call.values["curve"] or points is not None or is_picture)
    call.reporter.pause()
    if is_picture:
        write_plots(target.output, target_format, [record.plotted for record in records])
    if points is not None:
        write_points(points, points_format, records)
    if is_picture:
        return
    if not target.is_sheet:
        write_json_lines(target.output, records)
        return
    from stages.evaluate.record_keys import MEASURE_KEYS, STRENGTH_KEYS

    from ..tables.measure_tables import show_families, show_measures

    if call.values["families"]:
        show_families(target, records, call.values["networks"])
    else:
        keys = [key for key in MEASURE_KEYS + STRENGTH_KEYS if not key.type.startswith("list")]
        show_measures(target, records, keys)


def check_picture(target: Target, values: Mapping[str, Any]) -> None:
    """Refuse a picture of measures that have none."""
    output = target.output
    if values["families"]:
        raise UsageError(
            f"-o {output}: bnsl convert draws the differences of two networks: bnsl convert A --compare B."
        )
    if values["target"] is None and values["strengths"] is None:
        raise UsageError(f"-o {output} draws predictions or arc strengths: give --target NAME, or --strengths ARCS.")
    if values["target"] is not None and values["strengths"] is not None:
        raise UsageError(f"-o {output} draws predictions or arc strengths: give --target or --strengths.")


def write_points(target: str, format_name: str, records: list[dict[str, Any]]) -> None:
    """Write the points of the curves as a table, and take them out of the records."""
    from formats.tables.results.result_tables import FIGURE, NUMBER, TEXT, open_result_writer

    columns = {"network": TEXT, "index": NUMBER, "state": TEXT, "threshold": FIGURE}
    columns |= dict.fromkeys(("true_positives", "false_positives"), NUMBER)
    columns |= dict.fromkeys(("recall", "false_positive_rate", "precision"), FIGURE)
    with open_result_writer(target, columns, format_name) as write:
        for record in records:
            lines = [{**record, **point} for point in record.pop("target_curve")]
            write([[line.get(name) for line in lines] for name in columns])
