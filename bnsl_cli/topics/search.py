"""Search of the help by a word: topics, commands, options, methods."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import click

from stages import optimize, parentsets

from ..running.stage_command import StageCommand
from . import TOPICS, topic_text

METHODS: dict[str, Collection[str]] = {"optimize": optimize.METHODS, "parentsets": parentsets.METHODS}

Row = tuple[str, str]
"""The words to type, and one line about them."""


def found(word: str, group: click.Group, commands: dict[str, str]) -> dict[str, list[Row]]:
    """Rows about a word by kind, without empty kinds; upper and lower case are the same.

    - `group`, `commands`: the command line, and its commands with a line on each.
    """
    sought = word.lower()
    rows = {
        "Topics": list(_topics(sought)),
        "Commands": [(f"bnsl {name}", text) for name, text in commands.items() if sought in f"{name} {text}".lower()],
        "Options": _options(sought, group, commands),
        "Methods": list(_methods(sought)),
    }
    return {kind: some for kind, some in rows.items() if some}


def _topics(sought: str) -> Iterator[Row]:
    """Topics whose name or line has the word, then topics that have it in their text."""
    in_name = [name for name, about in TOPICS.items() if sought in f"{name} {about}".lower()]
    in_text = [name for name in TOPICS if name not in in_name and sought in topic_text(name).lower()]
    return ((f"bnsl help {name}", TOPICS[name]) for name in [*in_name, *in_text])


def _options(sought: str, group: click.Group, commands: dict[str, str]) -> list[Row]:
    """Options whose spelling or help has the word; commands with the same option share a row."""
    owners: dict[Row, list[str]] = {}
    context = click.Context(group, info_name="bnsl")
    for name in commands:
        command = group.get_command(context, name)
        assert isinstance(command, StageCommand)
        for option in command.params:
            if not isinstance(option, click.Option) or option.hidden:
                continue
            if option.opts[-1].removeprefix("--") in METHODS.get(name, ()):
                continue
            if sought in f"{' '.join(option.opts)} {option.help}".lower():
                spelling, _ = option.get_help_record(context) or ("", "")
                row = spelling, (option.help or "").partition(". ")[0].rstrip(".") + "."
                owners.setdefault(row, []).append(name)
    return [(spelling, f"{about} ({', '.join(names)})") for (spelling, about), names in owners.items()]


def _methods(sought: str) -> Iterator[Row]:
    """Methods whose name, line or own options have the word."""
    for name, spec in optimize.METHODS.items():
        own = {option for way in spec.variants.values() for option in way.options}
        if sought in f"{name} {spec.about} {' '.join(own)}".lower():
            yield f"bnsl optimize --{name}", f"{spec.about}."
    for name, selection in parentsets.METHODS.items():
        if sought in f"{name} {selection.about} {' '.join(selection.options)}".lower():
            yield f"bnsl parentsets --{name}", f"{selection.about}."
