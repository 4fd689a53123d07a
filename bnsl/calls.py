"""Calling a command in this process: arguments become its words, errors exceptions, inputs and output stay in memory.

The command itself runs, parser and callback, as from a shell. Its words may be files in memory, which it reads and
writes like any other.
"""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from bnsl_cli.main import cli, describe_failure
from bnsl_cli.options.parameter_types import ArcsOrPath, InputPath
from bnsl_cli.running.exit_codes import ExitCode
from bnsl_cli.running.interrupts import Interrupted, interruption_behind, interrupts_handled
from bnsl_cli.running.stage_command import CALLED
from formats.registry import named_formats
from formats.streams import MemoryFile

from .errors import OF_CODES, UsageError


def parameters_of(name: str) -> dict[str, click.Parameter]:
    """The arguments and options of a command by their names in Python, arguments first.

    An option is called by its longest spelling, or as click calls it if an argument has that name. The flags
    ``--NAME`` of methods are values of the option `method`; options that only show pages have no argument.
    """
    command = cli.get_command(click.Context(cli), name)
    found: dict[str, click.Parameter] = {}
    exposed = [p for p in getattr(command, "params", ()) if p.expose_value and p.name]
    for parameter in sorted(exposed, key=lambda p: isinstance(p, click.Option)):
        if parameter.name not in {p.name for p in found.values()}:
            spelled = max(parameter.opts, key=len).lstrip("-").replace("-", "_")
            found[parameter.name if spelled in found else spelled] = parameter
    return found


def _is_several(parameter: click.Parameter) -> bool:
    return parameter.nargs != 1 or getattr(parameter, "multiple", False)


def default_of(parameter: click.Parameter) -> Any:
    """The value of an argument that is not given; that of `inspect` if it must be."""
    if parameter.required:
        return inspect.Parameter.empty
    if isinstance(parameter.default, (str, int, float, tuple)):  # neither None nor click's mark of an unset default
        return parameter.default
    if isinstance(parameter, click.Option) and parameter.is_flag and not parameter.secondary_opts:
        return False
    return () if _is_several(parameter) and parameter.nargs < 2 else None


def signature_of(parameters: Mapping[str, click.Parameter]) -> inspect.Signature:
    """The signature: arguments by position or name, options by name."""
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    named = [(name, kinds[isinstance(p, click.Option)], default_of(p)) for name, p in parameters.items()]
    return inspect.Signature([inspect.Parameter(name, kind, default=default) for name, kind, default in named])


def parameters_text(parameters: Mapping[str, click.Parameter]) -> str:
    """The section Parameters of a docstring: the options with their help."""
    lines = ["Parameters", "----------"]
    for name, parameter in parameters.items():
        help = getattr(parameter, "help", None) or f"{parameter.metavar}".strip("[].")
        lines += [name, textwrap.indent(textwrap.fill(help, 100), "    ")]
    return "\n".join(lines) + "\n"


def source_of(value: Any, reader: str) -> str:
    """What a command reads for a value: a path, or a file in memory.

    A table becomes an Arrow stream, which is read as that of a pipe.

    Raises `UsageError`: it is neither a path, nor a table, nor a result.
    """
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if hasattr(value, "file_for"):
        return value.file_for(reader)
    called = type(value).__name__
    if not isinstance(value, Mapping) and not hasattr(value, "__arrow_c_stream__"):
        remedy = "a dict of columns, or anything with __arrow_c_stream__ (pandas, Polars, DuckDB, pyarrow)"
        raise UsageError(f"a {called} is no table: give a path, {remedy}")
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    try:
        table = pyarrow.table(dict(value)) if isinstance(value, Mapping) else value
        batches = pyarrow.RecordBatchReader.from_stream(table)
        with pyarrow.ipc.new_stream(sink, batches.schema) as writer:
            for batch in batches:
                if batch.num_rows:  # without rows, pyarrow writes text that it cannot read
                    writer.write_batch(batch)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"a {called} that is no table: {error}") from None
    return MemoryFile(f"<{called}>", sink.getvalue().to_pybytes())


def _words_of(reader: str, parameter: click.Parameter, value: Any) -> list[str]:
    """A value as words of the command line of `reader`; none for None and for the default, which are not given."""
    default = default_of(parameter)
    if value is None or (type(value) is type(default) and value == default):
        return []
    if isinstance(parameter.type, InputPath) and not isinstance(parameter.type, ArcsOrPath):
        values = value if _is_several(parameter) and isinstance(value, (list, tuple)) else [value]
        texts = [source_of(each, reader) for each in values]
    else:
        texts = list(map(_text, _several(value) if _is_several(parameter) else [value]))
    if not isinstance(parameter, click.Option):
        return texts
    spelling = max(parameter.opts, key=len)
    if parameter.is_flag:
        return [spelling] if value else parameter.secondary_opts[:1]
    if parameter.nargs > 1:
        return [spelling, *texts]
    return [spelling] * int(value) if parameter.count else [word for text in texts for word in (spelling, text)]


def _several(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return [f"{name}={text}" for name, text in value.items()]
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else value


def _text(value: Any) -> str:
    """A value as it is typed: names that belong together with commas between, numbers as digits."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(value)
        return line.getvalue()
    return str(value)


def call(name: str, values: Sequence[Any], options: Mapping[str, Any]) -> MemoryFile | None:
    """Call a command; returns what it writes, None if that goes to a file (`output`).

    Raises `BnslError`: as the command line would end with an exit code; `KeyboardInterrupt`: before there is a
    result, a later interruption ends the search, and the best result so far is returned.
    """
    parameters = parameters_of(name)
    known = {key: value for key, value in options.items() if key in parameters}
    given = signature_of(parameters).bind_partial(*values, **known).arguments
    output = given.pop("output", "-")
    target = MemoryFile("<result>") if output in (None, "-") else None
    named = named_formats(os.fspath(output or "-")) if "to" in parameters else []
    # A conversion reads what holds most of the format that it writes.
    reader = given.get("to") or (named[0].target if named else name)
    words = ["--output", target or os.fspath(output)]
    formats = getattr(getattr(parameters.get("format"), "type", None), "choices", ())
    if target is not None and "arrow" in formats and not (given.get("format") or given.get("json")):
        words += ["--format", "arrow"]
    arguments = ["--"]
    for key, value in given.items():
        of_option = isinstance(parameters[key], click.Option)
        (words if of_option else arguments).extend(_words_of(reader, parameters[key], value))
    root = click.Context(cli, info_name="bnsl")
    root.meta[CALLED] = True
    command = cli.get_command(root, name)
    assert command is not None
    words += [_unknown_option(name, key, command.params) for key in options.keys() - known.keys()]
    with translated_errors(), interrupts_handled():  # noqa: SIM117 (a context is made where they hold)
        with command.make_context(name, [*words, *arguments], parent=root) as context:
            command.invoke(context)
    return target


def _unknown_option(name: str, key: str, parameters: Iterable[click.Parameter]) -> str:
    """A word that the command refuses with a hint; a `UsageError` if it is another spelling of an argument."""
    word = f"--{key.replace('_', '-')}"
    for found in parameters:
        if isinstance(found, click.Option) and word in (*found.opts, *found.secondary_opts):
            value = found.flag_value if isinstance(found.flag_value, str) else word in found.opts
            called = [known for known, p in parameters_of(name).items() if p.name == found.name]
            remedy = f"give {called[0]}" + f"={value!r}" * found.is_flag if called else "leave it out"
            raise UsageError(f"{name} has no argument {key!r}; {remedy}")
    return word


@contextlib.contextmanager
def translated_errors() -> Iterator[None]:
    """Exceptions that the command line would turn into a message and an exit code become those of this package."""
    try:
        yield
    except Interrupted as stop:
        raise KeyboardInterrupt(str(stop)) from None
    except Exception as error:
        if interruption := interruption_behind(error):
            raise KeyboardInterrupt(str(interruption)) from None
        code, message = describe_failure(error)
        raise OF_CODES[code](message) from (error if code is ExitCode.BUG else None)
