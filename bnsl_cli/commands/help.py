"""``bnsl help``: the topics, the full help of commands, and a search through both."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable

import click

from bnsl.files.recording import write_json_lines
from bnsl.options.shared import OutputOptions, output_options
from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

from ..running.option_records import option, packed
from ..running.stage_command import WIDTH, stage_command
from ..topics import KINDS, TOPICS, topic_text

FORMATS = output_options(
    ("table", "jsonl"), "Of the topic methods: a table to read, or JSON lines.", without=["stats"]
)


@stage_command()
@click.argument("topic", required=False, metavar="[TOPIC]")
@packed("target", FORMATS)
@option(
    "-k", "--keyword", metavar="WORD", section="Output", help="List topics, options and methods that have a word."
)
def command(topic: str | None, keyword: str | None, target: OutputOptions, reporter: Reporter) -> None:
    """Explain a topic, list the topics, or search them all.

    The name of a command gives all its options and details, as --help-all does. -k WORD searches topics, commands,
    options and methods.

    \b
    Examples:
      bnsl help
      bnsl help gaps
      bnsl help -k treewidth
      bnsl help methods | head -20
      bnsl help methods --format csv | head -3

    See also: bnsl COMMAND --help, bnsl formats.
    """
    from ..main import COMMANDS, cli

    is_sheet = target.as_json or target.format_name is not None or target.output != "-"
    if keyword is not None:
        if topic is not None or is_sheet:
            raise UsageError("-k goes without a topic and a format.")
        _search(keyword)
    elif is_sheet:
        if topic != "methods":
            raise UsageError("--format, --json and -o go with the topic methods, which is a table.")
        _write_methods(target)
    elif topic is None:
        named = [(title, list(table.items())) for title, table in [*KINDS.items(), ("Commands", COMMANDS)]]
        click.echo("Topics, for bnsl help TOPIC; bnsl help -k WORD searches.\n")
        click.echo(_listed(named, max(map(len, (*TOPICS, *COMMANDS)))))
    elif topic in TOPICS:
        show(topic_text(topic))
    elif topic in COMMANDS:
        click.echo(cli.full_help(topic))
    else:
        close = difflib.get_close_matches(topic, [*TOPICS, *COMMANDS], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else f" 'bnsl help -k {topic}' searches all help."
        raise UsageError(f"no topic {topic!r}.{hint} Topics: {', '.join(TOPICS)}.")


def _write_methods(target: OutputOptions) -> None:
    from ..tables.stage_results import show_rows
    from ..topics.derived import method_rows

    rows = method_rows()
    if target.as_json or target.format_name == "jsonl":
        write_json_lines(target.output, rows)
    else:
        show_rows(target, rows)


def _search(word: str) -> None:
    from ..main import COMMANDS, cli
    from ..topics.search import found

    rows = found(word, cli, COMMANDS) if word.strip() else {}
    if not rows:
        raise UsageError(f"no topic, option or method has {word!r}. 'bnsl help' lists the topics.")
    click.echo(_listed(rows.items(), 24))


def _listed(named: Iterable[tuple[str, Iterable[tuple[str, str]]]], column: int) -> str:
    """Rows under their titles; texts begin behind `column` characters, and are wrapped."""
    formatter = click.HelpFormatter(max_width=WIDTH, width=WIDTH)
    for title, rows in named:
        with formatter.section(title):
            formatter.write_dl(list(rows), col_max=column, col_spacing=2)
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
    click.echo_via_pager(captured.get(), color=True)
