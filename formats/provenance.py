"""How a file was made: the commands that produced it, the time, the fingerprint of the data.

The entries in ``by`` hold resolved options only (seed included, no paths, no thread count), in one fixed order,
so that equal runs give equal bytes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .data_records import Variable
from .errors import FormatError
from .packed_cells import Cells
from .records import Header

PROGRAM_VERSION = "0.1.0"
"""Version written into ``by`` entries; equals the version of the distribution (a test compares them)."""


def timestamp() -> str:
    """Now in ISO 8601, UTC, whole seconds; ``SOURCE_DATE_EPOCH`` (seconds since 1970) replaces the clock.

    Raises `FormatError`: ``SOURCE_DATE_EPOCH`` is not a number of seconds.
    """
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        seconds = int(fixed) if fixed else int(time.time())
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        raise FormatError(
            f"SOURCE_DATE_EPOCH is {fixed!r}, not a number of seconds",
            source="environment",
            remedy="unset it or give whole seconds since 1970",
        ) from None


def fingerprint(variables: Sequence[Variable], codes: Cells) -> str:
    """Fingerprint of a table with codes of shape (n_variables, n_rows), whatever file it came from.

    ``sha256:`` and 64 hexadecimal digits: of the JSON text of names, states and shape, then the bytes of `codes`.
    """
    columns = [[variable.name, variable.states] for variable in variables]
    text = json.dumps([columns, list(codes.shape)], separators=(",", ":"))
    digest = hashlib.sha256(text.encode())
    for column in codes:  # Python handles signals between the columns
        digest.update(np.ascontiguousarray(column, dtype=np.uint8).data)
    return f"sha256:{digest.hexdigest()}"


def _plain(value: Any) -> Any:
    """A value of types that JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


def command_entry(stage: str, options: Any, version: str = PROGRAM_VERSION) -> dict[str, Any]:
    """One entry of ``by``: a command and its resolved options (a mapping or dataclass), sorted by name."""
    if dataclasses.is_dataclass(options):
        options = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    # Sorted, so that equal options give equal bytes whatever the order in which they were declared.
    plain = {name: _plain(options[name]) for name in sorted(options)}
    return {"stage": stage, "version": version, "options": plain}


def append_command(header: Header, stage: str, options: Any) -> Header:
    """The header of what `stage` makes from a file with `header`: one more entry in ``by``, a new time.

    Earlier entries stay untouched (as with ``@PG`` lines of SAM files).
    """
    by = (*header.by, command_entry(stage, options))
    return dataclasses.replace(header, by=by, created=timestamp())
