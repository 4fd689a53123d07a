"""``bnsl data``: the tables and networks that come with the program."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Unpack

import click

from bnsl.files.recording import write_json_lines
from bnsl.options.option import Argument, Option
from bnsl.options.shared import Format, SheetTarget, TableOptions, formats_of
from bnsl.options.values import TEXT
from bnsl.running.errors import UsageError
from bnsl.running.reporter import LineReporter
from formats.wording import plural

from ..running.stage_command import stage_command

BUNDLED = {
    "random80.csv.gz": "2,000 rows of 80 variables, drawn from random80.bif.",
    "wdbc.csv": "569 tumours: 30 numeric measurements and the diagnosis.",
    "random80.bif": "A random network: 80 variables, 130 arcs.",
    "asia.bif": "Chest clinic: 8 variables (Lauritzen and Spiegelhalter 1988).",
    "sprinkler.bif": "Wet grass: 4 variables (Russell and Norvig).",
    "alarm.bif": "Monitoring of patients: 37 variables (Beinlich et al. 1989).",
}
"""Files in `bnsl/bundled`, with one line on each."""


class DataOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[Format, formats_of(("table", "jsonl"), "A list to read (default) or JSON lines.")]
    path: Annotated[bool, Option("Print the paths of the files, and write none.", section="Output")]


@stage_command()
def command(
    reporter: LineReporter,
    names: Annotated[tuple[str, ...], Argument("NAME", TEXT, is_several=True)] = (),
    **options: Unpack[DataOutput],
) -> None:
    """List or write the tables and networks that come with bnsl.

    With names, writes these files to the current folder. random80.csv.gz names one file, random80 all files that
    begin so. If the folder has a file of the same name with other content, nothing is written.

    \b
    Examples:
      bnsl data
      bnsl data random80 asia sprinkler
      bnsl query "$(bnsl data --path asia)" smoke=yes --variables lung
      bnsl data | head -3

    See also: bnsl help first, bnsl sample (draws rows from a network).
    """
    from ..tables.stage_results import show_rows

    target = SheetTarget(**options)
    chosen = chosen_files(names)
    is_plain = target.output == "-" and target.format is None and not target.json
    if (target.path or names) and not is_plain:
        raise UsageError("--json, --format and -o write the list of files: leave out names and --path.")
    rows = [{"file": name, "about": about} for name, about in BUNDLED.items()]
    if target.path:
        click.echo("\n".join(str(place_of(name)) for name in chosen))
    elif not names and target.is_lines:
        write_json_lines(target.output, rows)
    elif not names and not is_plain:
        show_rows(target, rows)
    elif not names:
        width = max(map(len, BUNDLED)) + 2
        click.echo("\n".join(f"{name:<{width}}{about}" for name, about in BUNDLED.items()))
    else:
        write(chosen, Path())
        reporter.summary(f"{plural(len(chosen), 'file')} written: {', '.join(chosen)}")


def place_of(name: str) -> Path:
    """Path of a bundled file."""
    return Path(str(files("bnsl").joinpath("bundled", name)))


def chosen_files(names: tuple[str, ...]) -> list[str]:
    """The bundled files of these names, with or without their endings; all if there are none.

    Raises `UsageError`: no file has such a name.
    """
    for name in names:
        if not any(name in (file, file.split(".")[0]) for file in BUNDLED):
            raise UsageError(f"no bundled file {name!r}. There are: {', '.join(BUNDLED)}.")
    return [file for file in BUNDLED if not names or file in names or file.split(".")[0] in names]


def write(chosen: list[str], folder: Path) -> None:
    """Copy bundled files to a folder.

    Raises `UsageError`: one of them is there already, with other content; nothing is written then.
    """
    from formats.streams import open_output

    contents = {folder / name: place_of(name).read_bytes() for name in chosen}
    other = [path.name for path, content in contents.items() if path.exists() and path.read_bytes() != content]
    if other:
        raise UsageError(f"{', '.join(other)} is here already with other content. Move it, or go to another folder.")
    for path, content in contents.items():
        if not path.exists():
            with open_output(str(path)) as stream:
                stream.write(content)
