"""``bnsl help``: the pages of the manual, the full help of commands, and a search through both."""

import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Unpack

import click

from bnsl.files.recording import write_json_lines
from bnsl.options.option import Argument, Option
from bnsl.options.shared import Format, SheetTarget, TableOptions, Target, formats_of
from bnsl.options.values import TEXT
from bnsl.running.errors import UsageError
from bnsl.running.reporter import LineReporter

from ..pages import PAGES, page_text, sections
from ..running.stage_command import WIDTH, StageCommand, stage_command

Row = tuple[str, str]
"""The words to type, and a line about them."""


class HelpOutput(TableOptions, total=False):
    """Destination and format of the result."""

    format: Annotated[
        Format, formats_of(("table", "jsonl"), "Write the page methods as a table to read, or as JSON lines.")
    ]
    keyword: Annotated[
        str | None,
        Option(
            "List the sections and options that contain these words.",
            metavar="WORD",
            names=("-k", "--keyword"),
            section="Output",
        ),
    ]


@stage_command()
def command(
    reporter: LineReporter,
    words: Annotated[tuple[str, ...], Argument("WORD", TEXT, is_several=True)] = (),
    **options: Unpack[HelpOutput],
) -> None:
    """Show a page of the manual, list the pages, or search them all.

    WORD is a page, a command, or the heading of a section or the beginning of one. For a command, all options and
    details are shown, as by --help-all. -k WORDS searches pages, commands and options.

    \b
    Examples:
      bnsl help
      bnsl help gaps
      bnsl help -k treewidth
      bnsl help methods | head -20
      bnsl help methods --format csv | head -3

    See also: bnsl COMMAND --help, bnsl formats.
    """
    from ..main import COMMANDS

    target = SheetTarget(**options)
    word = " ".join(words)
    is_sheet = target.json or target.format is not None or target.output != "-"
    if target.keyword is not None:
        if word or is_sheet:
            raise UsageError("-k takes no page and no format: leave them out.")
        _search(target.keyword)
    elif is_sheet:
        if word != "methods":
            raise UsageError("--format, --json and -o need the page methods: no other page is a table.")
        _write_methods(target)
    elif not word:
        pages = [(page, ", ".join(heading for heading, _ in sections(page_text(page)))) for page in PAGES]
        click.echo("Pages and their sections, for bnsl help WORD; bnsl help -k WORD searches.\n")
        click.echo(_listed({"Pages": pages, "Commands": COMMANDS.items()}))
    else:
        _explain(word)


def _explain(word: str) -> None:
    """Show the page, section or command that is `word`, or the first page or section that begins with it."""
    from ..main import COMMANDS, cli

    texts = {_letters(page): page_text(page) for page in PAGES}
    for page in PAGES:
        for heading, text in sections(page_text(page)):
            texts.setdefault(_letters(heading), f"## {heading}\n\n{text.strip()}\n")
    sought = _letters(word)
    found = [name for name in texts if sought and name.startswith(sought)]
    if sought in texts:
        show(texts[sought])
    elif word in COMMANDS:
        click.echo(cli.full_help(word))
    elif found:
        show(texts[found[0]])
    else:
        close = difflib.get_close_matches(sought, [*texts, *COMMANDS], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"'bnsl help -k {word}' searches all help."
        raise UsageError(f"no page, section or command {word!r}. {hint} Pages: {', '.join(PAGES)}.")


def _letters(text: str) -> str:
    """A word or a heading as they are compared: ``exit-codes`` is "Exit codes"."""
    return "".join(filter(str.isalpha, text)).lower()


def _write_methods(target: Target) -> None:
    from ..pages.tables import method_rows
    from ..tables.stage_results import show_rows

    rows = method_rows()
    if target.json or target.format == "jsonl":
        write_json_lines(target.output, rows)
    else:
        show_rows(target, rows)


def _search(keyword: str) -> None:
    """List what has all these words, in upper or lower case: sections by their first such paragraph, commands,
    options.
    """
    from ..main import COMMANDS

    sought = keyword.lower().split()
    commands = [(f"bnsl {name}", text) for name, text in COMMANDS.items() if _has(f"{name} {text}", sought)]
    rows = {"Pages": list(_lines(sought)), "Commands": commands, "Options": _options(sought)}
    found = {kind: some for kind, some in rows.items() if some}
    if not keyword.strip() or not found:
        raise UsageError(f"no page and no option has {keyword!r}. 'bnsl help' lists the pages.")
    click.echo(_listed(found, 28))


def _has(text: str, words: Iterable[str]) -> bool:
    return all(word in text.lower() for word in words)


def _lines(sought: Sequence[str]) -> Iterator[Row]:
    """Pages and sections with a paragraph that has the words; and its first line with most of them."""
    for page in PAGES:
        text = page_text(page)
        start = text.partition("\n## ")[0]
        for name, part in [(page, start), *((heading, f"{heading}\n{part}") for heading, part in sections(text))]:
            paragraph = next((each for each in part.split("\n\n") if _has(each, sought)), None)
            if paragraph is not None:
                line = max(paragraph.splitlines(), key=lambda line: sum(word in line.lower() for word in sought))
                yield f"bnsl help {name.lower().replace(' ', '-')}", line.strip("-|# ")


def _options(sought: Sequence[str]) -> list[Row]:
    """Options whose spelling and help have the words; commands with the same option share a row."""
    from ..main import COMMANDS, cli

    owners: dict[Row, list[str]] = {}
    context = click.Context(cli, info_name="bnsl")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert isinstance(command, StageCommand)
        for p in command.params:
            if not isinstance(p, click.Option) or p.hidden:
                continue
            if _has(f"{' '.join(p.opts)} {p.help}", sought):
                spelling, _ = p.get_help_record(context) or ("", "")
                row = spelling, re.split(r"(?<!et al)\. ", p.help or "")[0].rstrip(".") + "."
                owners.setdefault(row, []).append(name)
    return [(spelling, f"{about} ({', '.join(names)})") for (spelling, about), names in owners.items()]


def _listed(rows: Mapping[str, Iterable[Row]], column: int = 14) -> str:
    """Rows under their titles; texts begin behind `column` characters at most, and are wrapped."""
    formatter = click.HelpFormatter(max_width=WIDTH, width=WIDTH)
    for title, some in rows.items():
        with formatter.section(title):
            formatter.write_dl(list(some), col_max=column)
    return formatter.getvalue().strip("\n")


def show(text: str) -> None:
    """Markdown, formatted on a terminal only."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get())
