"""Failures of methods of other packages: the message names the package, not this project."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from formats.errors import FormatError
from stages.methods import SearchMethod, SelectionMethod

from .errors import StageError


class PlugInError(StageError):
    """A method of another package failed."""


@contextlib.contextmanager
def named_in_failures(name: str, method: SearchMethod | SelectionMethod) -> Iterator[None]:
    """Raise `PlugInError` if a method of another package fails within the block, or returns a wrong result.

    Its messages to the user (`StageError`, `FormatError`) stay as they are, and so do all errors of this project's
    methods.
    """
    try:
        yield
    except (StageError, FormatError):
        raise
    except Exception as error:
        if not method.package:
            raise
        raise PlugInError(
            f"method {name!r} of the package {method.package} failed, {type(error).__name__}: {error}\n"
            "  Report it to the authors of that package, with the output of the same command under --debug."
        ) from error
