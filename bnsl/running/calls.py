"""The door from Python: a call of a function with keywords; no trace is left in the calling program.

Messages go to standard error, errors become exceptions of this package in the words of Python, and the first
interruption ends a search, which returns its best result so far.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .errors import BugError, UsageError, described
from .interrupts import Interrupted, interruption_behind, interrupts_handled
from .live_reporter import open_reporter
from .reporter import Reporter

if TYPE_CHECKING:
    from ..options.declared import Option


Ready = Callable[[Mapping[str, Any]], str]


@contextlib.contextmanager
def calling(
    name: str, keywords: Mapping[str, Option], verbosity: int, ready: Ready
) -> Iterator[tuple[Reporter, contextlib.ExitStack]]:
    """Context of a call of the function `name`: where its messages go, and what is closed at its end.

    `ready` makes the line that ends the error of a table which was refused (`FormatError.mend`).

    Raises `BnslError`: as the command line would end with an exit code; `KeyboardInterrupt`: before there is a
    result.
    """
    with (
        translated_errors(keywords, ready),
        interrupts_handled(),
        open_reporter(f"bnsl {name}", verbosity, writes_stdout=False) as reporter,
        contextlib.ExitStack() as resources,
    ):
        yield reporter, resources


@contextlib.contextmanager
def translated_errors(keywords: Mapping[str, Option] | None = None, ready: Ready = lambda mend: "") -> Iterator[None]:
    """Exceptions of all packages become exceptions of this one, in the words of Python."""
    from .wording import in_python

    try:
        yield
    except Interrupted as stop:
        raise KeyboardInterrupt(str(stop)) from None
    except Exception as error:
        if interruption := interruption_behind(error):
            raise KeyboardInterrupt(str(interruption)) from None
        found = described(error)
        text = str(found) if isinstance(found, BugError) else in_python(str(found), keywords)
        text += ready(getattr(error, "mend", {}))
        if isinstance(found, UsageError):
            raise UsageError(text, found.parameter) from None
        raise type(found)(text) from (error if isinstance(found, BugError) else None)
