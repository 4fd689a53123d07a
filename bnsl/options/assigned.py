"""States of single variables from Python: dicts, and rows of pandas, as the texts that a command line has."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any


def assignments(states: Any) -> list[str]:
    """The texts NAME=STATE of a dict of states, or of a row (`Series`) of pandas; states as readers spell cells."""
    return [f"{name}={_label_of(state)}" for name, state in states.items()]


def _label_of(state: Any) -> str:
    is_time = isinstance(state, (datetime.date, datetime.time))
    if not is_time and getattr(getattr(state, "dtype", None), "kind", "") != "M":
        return str(state)
    import numpy as np
    import pyarrow

    from formats.tables.arrow import as_text

    return as_text(pyarrow.array(np.array([state]) if isinstance(state, np.datetime64) else [state]))[0].as_py()


def is_mapping(value: Any) -> bool:
    """Whether it is a dict, or a row (`Series`) of pandas, whose labels are the keys."""
    return isinstance(value, Mapping) or (hasattr(value, "items") and getattr(value, "ndim", None) == 1)
