"""What was removed ends in one line that names what to use instead."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

import bnsl
from bnsl.removed import REMOVED
from bnsl_cli.main import COMMANDS, cli
from formats.registry import FORMATS
from formats.unread import UNREAD

COMMANDS_OF = {"--log": "formats", "--merge": "entropy", "--to": "convert"}
"""A command that had the option; `optimize` had the others that name none."""


def line_of(key: str) -> list[str]:
    """A command line with what was removed."""
    words = key.split()
    if key.startswith("."):
        return ["convert", "n.bif", "-o", f"out{key}"]
    if not key.startswith("--"):
        return words
    return [COMMANDS_OF.get(words[0], "optimize"), *words]


def exists(key: str) -> bool:
    """Whether the command line or the formats still have it."""
    command, *rest = line_of(key)
    if command not in COMMANDS:
        return False
    if key.startswith((".", "--to")):
        name = key.removeprefix(".").removeprefix("--to ")
        return name in [row.name for row in FORMATS]
    context = click.Context(cli)
    options = {name: p for p in cli.get_command(context, command).params for name in p.opts}
    if len(rest) < 2:
        return not rest or rest[0] in options
    return rest[1] in options[rest[0]].type.choices


GONE = [key for key in REMOVED if not exists(key)]


@pytest.mark.parametrize("key", ["old", "--old", "optimize --old", "--method old", "optimize --method old", ".old"])
def test_each_kind_of_name_is_looked_up(key: str, monkeypatch):
    monkeypatch.setitem(REMOVED, key, "take the new one")
    result = CliRunner().invoke(cli, line_of(key))
    assert result.exit_code == 2
    assert result.stderr.endswith("old was removed: take the new one.\n")


@pytest.mark.parametrize("key", GONE)
def test_a_removed_name_ends_in_one_line_that_says_what_to_use(key: str):
    result = CliRunner().invoke(cli, line_of(key))
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("bnsl")
    assert line.endswith(f" was removed: {REMOVED[key]}.")


def test_an_input_of_a_removed_format_says_what_converts_it(tmp_path, monkeypatch):
    monkeypatch.setitem(REMOVED, ".old", "take the new one")
    remedies = {f".{row.name}": row.remedy for row in UNREAD if row.remedy}
    endings = [key for key in GONE if key.startswith(".")]
    assert {".dsl", ".dne", ".dsc", ".cyjs", ".td"} <= remedies.keys()
    for key in [".old", *endings]:
        path = tmp_path / f"n{key}"
        path.write_text("belief network n\n")
        remedy = remedies.get(key, REMOVED[key])
        result = CliRunner().invoke(cli, ["evaluate", str(path)])
        assert result.exit_code == 2
        assert result.stderr == f"bnsl evaluate: error: {path}: the format {key} was removed: {remedy}.\n"


def test_a_name_that_never_was_is_unknown():
    result = CliRunner().invoke(cli, ["merges"])
    assert result.exit_code == 2
    assert "no such command" in result.stderr
    assert "removed" not in result.stderr


def test_python_says_the_same_of_functions(monkeypatch):
    monkeypatch.setitem(REMOVED, "old", "take the new one")
    for name in ["old", *(key for key in GONE if key.isalpha() and not hasattr(bnsl, key))]:
        with pytest.raises(AttributeError) as error:
            getattr(bnsl, name)
        assert str(error.value) == f"bnsl.{name} was removed: {REMOVED[name]}."


def test_python_says_the_same_of_keywords_and_values():
    with pytest.raises(bnsl.UsageError, match=r"^log was removed: messages are text"):
        bnsl.entropy({"a": [0, 1]}, log="json")
    with pytest.raises(bnsl.UsageError, match=r"^to='dsl' was removed: networks are read and written as BIF"):
        bnsl.convert("n.bif", to="dsl")
