"""``bnsl formats``: the formats that are read and written."""

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from bnsl.files.output_formats import output_format
from bnsl.files.recording import write_json, write_json_lines
from bnsl.options.option import Argument, Option
from bnsl.options.shared import Format, SheetTarget, TableOptions, formats_of
from bnsl.options.values import TEXT
from bnsl.running.errors import UsageError
from bnsl.running.reporter import LineReporter

from ..running.stage_command import stage_command

if TYPE_CHECKING:
    from formats.schemas import Key

MEASURES, FAMILIES = "measures", "families"
"""Names of the lines of ``bnsl evaluate``, which have no header that names them."""


class FormatsOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[Format, formats_of(("table", "jsonl"), "A table to read (default) or JSON lines.")]
    schema: Annotated[bool, Option("Write the JSON Schema of the lines of a format.", section="Output")]


@stage_command()
def command(
    reporter: LineReporter,
    name: Annotated[str | None, Argument("FORMAT", TEXT)] = None,
    **options: Unpack[FormatsOutput],
) -> None:
    """List the formats that are read and written.

    FORMAT is one of this program's own formats: parentsets, network, forest, trace, arc-probabilities, entropy, or
    measures or families, the lines of 'bnsl evaluate'. All its keys are then listed with their units and meanings.
    An input's format is recognised from its content, not from its name.

    \b
    Examples:
      bnsl formats
      bnsl formats bnsl.network
      bnsl formats network --schema -o network.schema.json
      bnsl formats --json | head -3

    See also: bnsl convert, bnsl help formats, bnsl help stability.
    """
    target = SheetTarget(**options)
    if not target.is_sheet:
        output_format("formats", target.output, "jsonl" if target.is_lines else None)
    if target.schema:
        if name is None or target.is_lines or target.format:
            raise UsageError("--schema needs the name of a format, and takes neither --json nor --format.")
        write_json(target.output, json_schema(name))
        return
    rows = list_keys(name) if name else list_formats()
    if target.is_lines:
        write_json_lines(target.output, rows)
    else:
        from ..tables.stage_results import show_rows

        show_rows(target, rows)


def list_formats() -> list[dict[str, Any]]:
    """One row per format: name, usual suffix, what it holds, whether it is read and written, meaning."""
    from formats.registry import FORMATS

    return [
        {
            "format": row.name,
            "suffix": row.suffix,
            "holds": row.kind.value,
            "reads": bool(row.reader),
            "writes": bool(row.writer),
            "meaning": row.help,
        }
        for row in FORMATS
    ]


def list_keys(name: str) -> list[dict[str, Any]]:
    """One row per key (or column) of one of this program's formats; ``network`` is short for ``bnsl.network``.

    Raises `UsageError`: this program has no format of this name.
    """
    from formats.schemas import PARTS

    rows = []
    for where, keys in _groups(name):
        for key in keys:
            rows += [_key(where, key), *(_key(key.name, part) for part in PARTS.get(key.name, ()))]
    return rows


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of each line of one of this program's formats.

    Raises `UsageError`: this program has no format of this name, or it is a table in Arrow.
    """
    from formats.json_lines.json_schema import lines_schema, record_schema
    from formats.schemas import ARC_PROBABILITIES, JSONL_FORMATS

    groups = dict(_groups(name))
    short = name.removeprefix("bnsl.")
    if short == MEASURES:
        return record_schema("Line of bnsl evaluate", groups["record"])
    if short == FAMILIES:
        return record_schema("Line of bnsl evaluate --families", groups["record"])
    spec = JSONL_FORMATS.get(f"bnsl.{short}", ARC_PROBABILITIES)
    if spec is ARC_PROBABILITIES or "header" not in groups:
        raise UsageError(f"{name!r} is a table in Arrow, not JSON: 'bnsl formats {name}' lists its columns.")
    return lines_schema(spec)


def _groups(name: str) -> list[tuple[str, tuple["Key", ...]]]:
    """The keys of a format in groups: header and record, columns, or kinds of records."""
    from formats.schemas import ENTROPY_COLUMNS, JSONL_FORMATS
    from stages.evaluate.record_keys import EVALUATION_KEYS, FAMILY_KEYS

    others: dict[str, list[tuple[str, tuple[Key, ...]]]] = {
        "entropy": [("column", ENTROPY_COLUMNS)],
        MEASURES: [("record", EVALUATION_KEYS)],
        FAMILIES: [("record", FAMILY_KEYS)],
    }
    short = name.removeprefix("bnsl.")
    if short in others:
        return others[short]
    spec = JSONL_FORMATS.get(f"bnsl.{short}")
    if spec is None:
        ours = ", ".join([*(full.removeprefix("bnsl.") for full in JSONL_FORMATS), *others])
        raise UsageError(f"{name!r} is none of our own formats: {ours}.")
    return [("header", spec.header), ("record", spec.record)]


def _key(where: str, key: "Key") -> dict[str, Any]:
    return {
        "where": where,
        "key": key.name,
        "type": key.type + (" or null" if key.nullable else ""),
        "unit": key.unit,
        "required": key.required,
        "meaning": key.meaning,
    }
