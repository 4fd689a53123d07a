"""Calls from Python: a function is called with keywords and leaves no trace in the calling program.

Messages go to standard error, and errors become exceptions of this package in the words of Python. The first
interruption ends a search; it returns its best result so far.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .errors import BugError, UsageError, described
from .interrupts import interrupts_handled
from .live_reporter import open_reporter
from .reporter import LineReporter

if TYPE_CHECKING:
    from ..options.option import Option


Ready = Callable[[Mapping[str, Any]], str]


@contextlib.contextmanager
def calling(
    name: str, keywords: Mapping[str, Option], verbosity: int, ready: Ready
) -> Iterator[tuple[LineReporter, contextlib.ExitStack]]:
    """Context of a call of the function `name`: the receiver of its messages, and the resources to close at its end.

    `ready` makes the last line of the error for a refused table (`FormatError.mend`).

    Raises `BnslError`: where the command line ends with an exit code; `KeyboardInterrupt`: before there is a result.
    """
    from .wording import in_python

    with (
        translated_errors(keywords, ready),
        interrupts_handled(),
        open_reporter(f"bnsl {name}", verbosity, writes_stdout=False) as reporter,
        contextlib.ExitStack() as resources,
    ):
        reporter.worded = functools.partial(in_python, keywords=keywords)
        yield reporter, resources


@contextlib.contextmanager
def translated_errors(keywords: Mapping[str, Option] | None = None, ready: Ready = lambda mend: "") -> Iterator[None]:
    """Turn exceptions of all packages into exceptions of this package, in the words of Python."""
    from .wording import in_python

    try:
        yield
    except Exception as error:
        found = described(error)
        text = str(found) if isinstance(found, BugError) else in_python(str(found), keywords)
        text += ready(getattr(error, "mend", {}))
        if isinstance(found, UsageError):
            raise UsageError(text, found.parameter) from None
        raise type(found)(text) from (error if isinstance(found, BugError) else None)
