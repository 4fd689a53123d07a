"""Declared states: levels and their order, of categorical columns and of a file that lists them.

Dictionaries of Arrow, Feather and Parquet list the levels of a column, as categories of pandas, enumerations of
Polars and factors of R do. Levels without rows are states, too, unless only observed ones are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow

from ..errors import Malformed
from ..streams import read_bytes
from ..wording import Warn, listed, plural
from .arrow_arrays import array_of, text_array
from .columns import Column
from .cuts.discretization import Discretization
from .encoding_options import EncodingOptions, Treatment
from .label_columns import Typed
from .labels import MISSING_STATE, is_spelled, parse_numbers

_POLARS_CATEGORICAL = b"_PL_CATEGORICAL"
"""Begins the metadata of categorical columns of Polars, which number texts as they come: nothing is declared."""


def declares_levels(field: pyarrow.Field) -> bool:
    """Whether the dictionary of an Arrow column lists its levels."""
    is_plain = any(key.startswith(_POLARS_CATEGORICAL) for key in field.metadata or ())
    return pyarrow.types.is_dictionary(field.type) and not is_plain


def declared_levels(
    levels: Mapping[str, Sequence[str]], options: EncodingOptions, treatments: Mapping[str, Treatment], warn: Warn
) -> dict[str, tuple[str, ...]]:
    """The states of the columns that declare them, empty ones included.

    A file of states comes before the levels of the table, and a rule that names a column before both. Texts that `na`
    adds to missing cells are no levels; with ``missing="state"`` a state for these cells comes last.

    - `levels`: of the columns of the table.
    """
    absent = [name for name in options.levels if name not in treatments]
    if absent:
        warn(f"{options.listed_in} lists states of columns that are not read: {listed(map(repr, absent))}")
    found = {}
    for name, given in {**levels, **options.levels}.items():
        if name not in treatments or treatments[name].is_named:
            continue
        labels = text_array(given)
        is_level = ~is_spelled(labels, options.na, Typed.NO)
        states = dict.fromkeys(labels.filter(array_of(is_level)).to_pylist())
        if options.missing == "state":
            states[MISSING_STATE] = None
        found[name] = tuple(states)
    return found


def declared_labels(
    levels: Mapping[str, Sequence[str]], options: EncodingOptions, names: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """The declared states of columns that are labels whatever their text; ``NA`` only as a level of the table itself.

    In a file of states it may be the state of missing cells.
    """
    listed_ones = {name: tuple(s for s in given if s != MISSING_STATE) for name, given in options.levels.items()}
    return {name: listed_ones[name] if name in listed_ones else tuple(levels.get(name, ())) for name in names}


def settle_levels(
    columns: Sequence[Column],
    rows: np.ndarray | None,
    options: EncodingOptions,
    treatments: Mapping[str, Treatment],
    note: Warn,
) -> None:
    """Drop the declared states without rows that are not to be states; `note` names the others.

    - `columns`: those with declared states, classified.
    - `rows` (bool): the rows kept; None for all.
    """
    empty, named, whole = [], [], []
    for column in columns:
        assert column.known is not None and column.states is not None
        is_known = column.known >= 0
        n_rows = np.zeros(len(column.states), dtype=np.int64)
        np.add.at(n_rows, column.known[is_known], column.count_labels(rows)[is_known])
        listed_ones = options.levels.get(column.name, ())
        keeps = np.array(
            [
                count > 0 or (not options.observed and (state != MISSING_STATE or state in listed_ones))
                for state, count in zip(column.states, n_rows)
            ],
            dtype=np.bool_,
        )
        column.keep_states(keeps)
        kept = [state for state, count in zip(column.states, n_rows[keeps]) if not count]
        if kept:
            empty.append(f"{column.name!r} ({listed(kept)})")
            named.append(column.name)
        if _is_left_whole(column.states, treatments[column.name]):
            whole.append(f"{column.name!r} ({len(column.states)})")
    if empty:
        found = f"declared states without rows in {plural(len(empty), 'column')}: {listed(empty)}"
        if not options.levels:
            found += "; --states observed leaves them out"
        elif not set(named) <= options.levels.keys():
            found += f"; states listed in {options.listed_in} replace the declared states of a column"
        note(found)
    if whole:
        note(f"declared states of numbers not cut: {listed(whole)}; a rule that names the column cuts it")


def _is_left_whole(states: Sequence[str], treatment: Treatment) -> bool:
    """Whether a rule for all columns would have cut these numbers."""
    if not isinstance(treatment.rule, Discretization) or len(states) <= max(treatment.n_kept, treatment.n_scale):
        return False
    return not np.isnan(parse_numbers(text_array([s for s in states if s != MISSING_STATE]))).any()


def read_levels(source: str) -> dict[str, tuple[str, ...]] | None:
    """The states of columns in a JSON file ``{column: [states]}``; None if the file is something else.

    Raises `Malformed`: a column without states, or with a state twice.
    """
    data = read_bytes(source)
    try:
        found = json.loads(data)
    except ValueError:
        return None
    if not isinstance(found, dict) or not found or not all(isinstance(item, list) for item in found.values()):
        return None
    levels = {}
    for name, given in found.items():
        labels = [_text_of(label, name, source) for label in given]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if not labels or twice:
            what = f"states given twice: {listed(map(repr, twice))}" if twice else "no states"
            raise Malformed(what, source=source, column=name, remedy="list each state once, in their order")
        levels[name] = tuple(labels)
    return levels


def _text_of(label: Any, name: str, source: str) -> str:
    """A state as the text of its cells."""
    if isinstance(label, (str, bool)):
        return str(label).strip()
    if isinstance(label, (int, float)):
        return f"{label:.15g}" if isinstance(label, float) else str(label)
    raise Malformed(f"{label!r} is no state", source=source, column=name, remedy="states are texts or numbers")
