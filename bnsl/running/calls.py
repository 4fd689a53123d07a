"""The door from Python: a call of a function with keywords; no trace is left in the calling program.

Messages go to standard error, errors become exceptions of this package in the words of Python, and the first
interruption ends a search, which returns its best result so far.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import BugError, UsageError, described
from .interrupts import Interrupted, graceful_stop, interruption_behind, interrupts_handled
from .live_reporter import open_reporter

if TYPE_CHECKING:
    from .function import Function


def called(function: Function, inputs: Sequence[Any], keywords: Mapping[str, Any], verbosity: int) -> Any:
    """Call a function by keywords.

    Raises `BnslError`: as the command line would end with an exit code; `KeyboardInterrupt`: before there is a
    result.
    """
    from .function import Run

    with translated_errors(function, inputs, keywords), interrupts_handled():
        values, given = function.values(inputs, keywords)
        with (
            open_reporter(f"bnsl {function.__name__}", verbosity, writes_stdout=False) as reporter,
            contextlib.ExitStack() as resources,
        ):
            run = Run(function, reporter, given, resources, graceful_stop, is_called=True)
            return function.finish(function.run(values, run))


@contextlib.contextmanager
def translated_errors(
    function: Function | None = None, inputs: Sequence[Any] = (), keywords: Mapping[str, Any] | None = None
) -> Iterator[None]:
    """Exceptions of all packages become those of this one, in the words of Python.

    A table that is refused gets a line with the call that reads it.
    """
    from .wording import in_python, mended, python_line

    try:
        yield
    except Interrupted as stop:
        raise KeyboardInterrupt(str(stop)) from None
    except Exception as error:
        if interruption := interruption_behind(error):
            raise KeyboardInterrupt(str(interruption)) from None
        found = described(error)
        text = str(found) if isinstance(found, BugError) else in_python(str(found), function)
        if function is not None and (options := mended(function, getattr(error, "mend", {}))):
            text += f"\n  In one: {python_line(function, {**(keywords or {}), **options}, len(inputs))}"
        if isinstance(found, UsageError):
            raise UsageError(text, found.parameter) from None
        raise type(found)(text) from (error if isinstance(found, BugError) else None)
