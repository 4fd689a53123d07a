"""All options of all commands and functions, as a table that tests compare with the one of the last release."""

from __future__ import annotations

import inspect
import json
from typing import Any

import click

import bnsl
from bnsl_cli.main import COMMANDS, cli


def option_table() -> dict[str, Any]:
    """By command its arguments and options (spellings, default, choices, limits), and by function its keywords."""
    context = click.Context(cli, info_name="bnsl")
    commands = {}
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        of_command = sorted((_row(parameter, command) for parameter in command.params), key=lambda row: row["called"])
        commands[name] = {row.pop("called"): row for row in of_command}
    functions = {
        name: {p.name: _default(p) for p in sorted(_parameters(name), key=lambda p: p.name)}
        for name in bnsl.FUNCTIONS
    }
    return {"commands": commands, "functions": functions}


def table_text(table: dict[str, Any]) -> str:
    """The table, a line for each option."""
    lines = []
    for kind, owners in table.items():
        for owner, rows in owners.items():
            lines += [
                f"{kind} {owner} {called}: {json.dumps(row, ensure_ascii=False)}" for called, row in rows.items()
            ]
    return "\n".join(lines) + "\n"


def _row(parameter: click.Parameter, command: click.Command) -> dict[str, Any]:
    """What a user may type for a parameter, and what holds without it."""
    called = parameter.make_metavar(click.Context(command))
    if isinstance(parameter, click.Option):
        called = ", ".join([*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    row = {"called": called, "takes": parameter.make_metavar(click.Context(command)), "default": default}
    if isinstance(default, (tuple, list)):
        row["default"] = list(default)
    elif not isinstance(default, (str, int, float)):  # click has a value of its own for what is not given
        row["default"] = None
    row |= {name: True for name in ("required", "multiple") if getattr(parameter, name)}
    row |= {"values": parameter.nargs} if parameter.nargs != 1 else {}
    kind = parameter.type
    if isinstance(kind, click.Choice):
        row["choices"] = list(kind.choices)
    if isinstance(kind, (click.IntRange, click.FloatRange)):
        row["limits"] = [kind.min, kind.max, kind.min_open, kind.max_open]
    return row


def _parameters(name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(bnsl, name)).parameters.values())


def _default(parameter: inspect.Parameter) -> Any:
    is_required = parameter.default is inspect.Parameter.empty
    return "required" if is_required else list(parameter.default) if parameter.default == () else parameter.default
