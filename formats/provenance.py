"""How a file was made: the commands that produced it, the time, the fingerprint of the data.

The entries in ``by`` hold resolved options only (seed included, no paths, no thread count), in one fixed order,
so that equal runs give equal bytes.
"""

# Imported where needed, since loading takes time: orjson
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .data_records import Interventions, Variable
from .errors import FormatError
from .records import Header
from .tables.cell_storage import Cells
from .version import VERSION


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


def fingerprint(variables: Sequence[Variable], codes: Cells, interventions: Interventions | None = None) -> str:
    """Fingerprint of a table with codes of shape (n_variables, n_rows), independent of its file.

    ``sha256:`` and 64 hexadecimal digits: of the JSON text of names, states and shape, then the bytes of `codes`;
    where variables were set, then the JSON text of the sets and the place of each row's set, int32.
    """
    columns = [[variable.name, variable.states] for variable in variables]
    text = json.dumps([columns, list(codes.shape)], separators=(",", ":"))
    digest = hashlib.sha256(text.encode())
    for column in codes:  # Python handles signals between the columns
        digest.update(np.ascontiguousarray(column, dtype=np.uint8).data)
    if interventions is not None:
        digest.update(json.dumps(interventions.targets, separators=(",", ":")).encode())
        digest.update(interventions.of_row.astype("<i4").data)
    return f"sha256:{digest.hexdigest()}"


def append_command(header: Header, stage: str, options: Mapping[str, Any]) -> Header:
    """The header of a file that `stage` makes from a file with `header`: one more entry in ``by``, a new time.

    Earlier entries stay untouched (as with ``@PG`` lines of SAM files). Options are sorted, so equal options give
    equal bytes whatever the order of their declaration.
    """
    import orjson

    # Values of types that JSON has.
    ordered = {name: options[name] for name in sorted(options)}
    plain = orjson.loads(orjson.dumps(ordered, option=orjson.OPT_SERIALIZE_NUMPY))
    entry = {"stage": stage, "version": VERSION, "options": plain}
    return dataclasses.replace(header, by=(*header.by, entry), created=timestamp())
