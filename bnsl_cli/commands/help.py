"""``bnsl help``: what a topic is about, in the words of the README."""

from __future__ import annotations

import difflib
import sys
from importlib.resources import files

import click

from ..options import message_options
from ..reporter import Reporter
from ..stage_command import stage_command
from ..topics import TOPICS


@stage_command
@click.argument("topic", required=False, metavar="[TOPIC]")
@message_options
def command(topic: str | None, reporter: Reporter) -> None:
    """Explain a topic, or list the topics.

    The topics are the parts of the README that a person needs beside the help of the commands: which method when,
    how to read a gap, how tables are read, how to run on a cluster. The name of a command gives its help page.

    \b
    Examples:
      bnsl help
      bnsl help gaps
      bnsl help methods | head -20

    \b
    Exit status: 0 done, 2 unknown topic.
    See also: bnsl COMMAND --help, bnsl formats.
    """
    from ..main import COMMANDS, cli

    ctx = click.get_current_context()
    if topic is None:
        width = max(map(len, (*TOPICS, *COMMANDS))) + 2
        rows = [f"  {name:<{width}}{about}" for name, about in TOPICS.items()]
        commands = [f"  {name:<{width}}{entry.help}" for name, entry in COMMANDS.items()]
        click.echo("\n".join(["Topics, for bnsl help TOPIC:", *rows, "", "Commands:", *commands]))
    elif topic in TOPICS:
        show(files("bnsl_cli.topics").joinpath(f"{topic}.md").read_text(encoding="utf-8"))
    elif topic in COMMANDS:
        found = cli.get_command(ctx, topic)
        assert found is not None
        parent = click.Context(cli, info_name="bnsl")
        click.echo(
            found.get_help(click.Context(found, info_name=topic, parent=parent, max_content_width=100))
        )
    else:
        close = difflib.get_close_matches(topic, [*TOPICS, *COMMANDS], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise click.UsageError(f"no topic {topic!r}.{hint} Topics: {', '.join(TOPICS)}.")


def show(text: str) -> None:
    """Markdown: laid out on a terminal, as it is elsewhere."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.capture() as captured:
        console.print(Markdown(text))
    click.echo_via_pager(captured.get(), color=True)
