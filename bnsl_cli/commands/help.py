"""``bnsl help``: the topics, and the full help of commands."""

from __future__ import annotations

import difflib
import sys

import click

from bnsl.running.errors import UsageError
from bnsl.running.reporter import Reporter

from ..running.stage_command import stage_command
from ..topics import TOPICS, topic_text


@stage_command()
@click.argument("topic", required=False, metavar="[TOPIC]")
def command(topic: str | None, reporter: Reporter) -> None:
    """Explain a topic, or list the topics.

    The name of a command gives all its options and details, as --help-all does.

    \b
    Examples:
      bnsl help
      bnsl help gaps
      bnsl help methods | head -20

    See also: bnsl COMMAND --help, bnsl formats.
    """
    from ..main import COMMANDS, cli

    if topic is None:
        width = max(map(len, (*TOPICS, *COMMANDS))) + 2
        topics, commands = ([f"  {name:<{width}}{about}" for name, about in t.items()] for t in (TOPICS, COMMANDS))
        click.echo("\n".join(["Topics, for bnsl help TOPIC:", *topics, "", "Commands:", *commands]))
    elif topic in TOPICS:
        show(topic_text(topic))
    elif topic in COMMANDS:
        click.echo(cli.full_help(topic))
    else:
        close = difflib.get_close_matches(topic, [*TOPICS, *COMMANDS], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"no topic {topic!r}.{hint} Topics: {', '.join(TOPICS)}.")


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
