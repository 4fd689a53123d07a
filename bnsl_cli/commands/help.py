"""``bnsl help``: the topics, the full help of commands, and a search through both."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable

import click

from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

from ..running.option_records import option
from ..running.stage_command import WIDTH, stage_command
from ..topics import KINDS, TOPICS, topic_text


@stage_command()
@click.argument("topic", required=False, metavar="[TOPIC]")
@option(
    "-k", "--keyword", metavar="WORD", section="Output", help="List topics, options and methods that have a word."
)
def command(topic: str | None, keyword: str | None, reporter: Reporter) -> None:
    """Explain a topic, list the topics, or search them all.

    The name of a command gives all its options and details, as --help-all does. -k WORD searches topics, commands,
    options and methods.

    \b
    Examples:
      bnsl help
      bnsl help gaps
      bnsl help -k treewidth
      bnsl help methods | head -20

    See also: bnsl COMMAND --help, bnsl formats.
    """
    from ..main import COMMANDS, cli

    if keyword is not None:
        if topic is not None:
            raise UsageError("-k goes without a topic.")
        _search(keyword)
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
