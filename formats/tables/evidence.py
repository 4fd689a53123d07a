"""Evidence: states of some variables, from NAME=STATE or from a table with missing cells."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow

from ..data_records import Variable
from ..errors import Inconsistent, Malformed, UnsuitableData
from ..graphs.arc_files import splits
from ..records import EntropyTable
from ..streams import source_name
from ..wording import Warn, listed, plural
from .columns import Column
from .datasets import read_labels
from .encoding import RawTable
from .labels import UNKNOWN, code_known_states


def find_variable(name: str, variables: Sequence[Variable]) -> int:
    """The index of a variable; an `Inconsistent` if none has this name."""
    names = [variable.name for variable in variables]
    if name in names:
        return names.index(name)
    close = difflib.get_close_matches(name, names, n=1)
    remedy = f"did you mean {close[0]!r}?" if close else None
    raise Inconsistent(f"the network has no variable {name!r}", remedy=remedy)


def parse_assignments(texts: Iterable[str], variables: Sequence[Variable]) -> dict[int, int]:
    """Codes of observed states, by variable, from texts NAME=STATE; numbers match as in tables.

    Raises `Inconsistent`: no such variable or state; a variable twice, with different states.
    """
    found: dict[int, int] = {}
    for text in texts:
        variable, label = _split(text, variables)
        name, states = variables[variable].name, variables[variable].known_states
        labels = pyarrow.array([label], pyarrow.string())
        code = int(code_known_states(labels, states, np.zeros(1, dtype=bool))[0])
        if code == UNKNOWN:
            raise Inconsistent(f"{label!r} is none of the states {listed(map(repr, states))}", column=name)
        if found.setdefault(variable, code) != code:
            raise Inconsistent("two different states are given", column=name)
    return found


def _split(text: str, variables: Sequence[Variable]) -> tuple[int, str]:
    """Variable and label; a name may contain an equals sign itself."""
    names = {variable.name: index for index, variable in enumerate(variables)}
    pairs = [(name, label) for _, name, label in splits(text, "=")]
    for name, label in pairs:
        if name in names:
            return names[name], label
    if not pairs:
        raise Inconsistent(f"{text!r} is not NAME=STATE")
    return find_variable(pairs[0][0], variables), ""


class EvidenceTable(NamedTuple):
    """Rows of evidence on the variables of a network.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_variables, n_rows)
        States; 0 where hidden.
    is_hidden : ndarray of bool, shape (n_variables, n_rows)
        Missing cells, and all cells of absent columns.
    """

    codes: np.ndarray
    is_hidden: np.ndarray


def open_evidence(
    source: str,
    variables: Sequence[Variable],
    *,
    delimiter: str | None = None,
    header: bool = True,
    na: Sequence[str] = (),
    warn: Warn,
) -> EvidenceTable:
    """Read a table with missing cells, coded by the states of a network's variables.

    Columns are matched by name, by position if the table has no names and as many columns. Further columns are
    ignored; absent ones are hidden in all rows. Source and layout are those of `datasets.open_dataset`.

    Raises `FormatError`: unreadable input; no column is a variable; a label that is none of its variable's states.
    """
    raw = read_labels(source, delimiter, header, warn)
    if isinstance(raw, EntropyTable):
        raise Malformed("this is an entropy table, not a data table", source=source_name(source))
    if not raw.columns or not len(raw.columns[0]):
        raise UnsuitableData("no rows of data", source=raw.source)
    n_rows = len(raw.columns[0])
    codes = np.zeros((len(variables), n_rows), dtype=np.uint8)
    is_hidden = np.ones((len(variables), n_rows), dtype=np.bool_)
    for index, position in _matched(raw, variables, warn).items():
        column = Column.unpack(variables[index], raw.columns[position])
        column.classify(False, na, missing_is_hole=True)
        _refuse_unknown(column, raw.source)
        assert column.known is not None
        is_missing = np.zeros(len(column.labels), dtype=bool) if column.missing is None else column.missing
        codes[index] = column.gather(np.where(is_missing, 0, column.known).astype(np.uint8))
        is_hidden[index] = column.gather(is_missing)
    return EvidenceTable(codes, is_hidden)


def _matched(raw: RawTable, variables: Sequence[Variable], warn: Warn) -> dict[int, int]:
    """The column of each variable that the table has."""
    index_of = {variable.name: index for index, variable in enumerate(variables)}
    found = {index_of[name]: position for position, name in enumerate(raw.names) if name in index_of}
    if not found and not raw.is_named and len(raw.names) == len(variables):
        return {index: index for index in range(len(variables))}
    if not found:
        raise Inconsistent(
            "none of the columns is a variable of the network",
            source=raw.source,
            remedy=f"the variables are {listed(repr(v.name) for v in variables)}",
        )
    others = [name for name in raw.names if name not in index_of]
    if others:
        warn(f"{raw.source}: columns that are no variables are ignored: {listed(map(repr, others))}")
    absent = [v.name for i, v in enumerate(variables) if i not in found]
    if absent:
        warn(f"{raw.source}: variables without a column are hidden in all rows: {listed(map(repr, absent))}")
    return found


def _refuse_unknown(column: Column, source: str) -> None:
    if column.unseen is None:
        return
    counts = column.count_labels() * column.unseen
    if counts.any():
        label = column.labels[int(counts.argmax())].as_py()
        states = listed(map(repr, column.states or ()))
        raise Inconsistent(
            f"label {label!r} in {plural(int(counts.max()), 'row')} is none of the states {states}",
            source=source,
            column=column.name,
            remedy="make such cells missing: --na LABEL",
        )
