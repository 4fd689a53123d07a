"""From columns of labels to a `Dataset`: states in a fixed order, one byte per cell.

All decisions are made on the distinct labels of columns, and each cell is
read once, by a table look-up. The rules:

- Empty cells, ``?`` and the usual spellings of ``NA``, ``NaN`` and ``null`` are missing, and those that `na` adds;
  ``None``, ``.`` and ``-`` where all other cells of the column are numbers. Those that `not_na` lists, and those
  among declared states, are labels.
- A column of numbers (`labels.are_numbers`) is numeric: equal numbers (``1``, ``1.0``) are one state, named by its
  shortest spelling. Other labels are one state only if they are the same text. States are sorted by value where all
  labels are numbers, interval labels by their ends, others as text.
- A numeric column with more than 20 distinct numbers is continuous, a text column with more than 256 labels has
  too many states. Both are refused; `max_states` replaces both limits.
- Discretization applies to numeric columns with more than max(2, K) distinct numbers, K the number of intervals
  requested; all others are not cut, and K or fewer numbers are never too many. A rule for all columns does not cut
  columns of at most ten distinct numbers, all of them whole; a rule for ``*`` does. Given cut points apply to any
  numeric column. Columns in `categories` are not cut, and may have 256 distinct numbers.
- ``hartemink:K`` compares all columns and is applied last.
- Declared states (`declared_states`) of a column are its states, in their order, also those without rows; only a rule
  that names the column cuts them.
- States listed by a file header replace all of this; numbers are put into the intervals it lists. Rules given beside
  them must make the same intervals of these rows.
- Other states are the labels in the rows kept; missing cells kept as a state come last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NoReturn

import numpy as np
from pyarrow import compute

from ..data_records import Dataset, Variable
from ..errors import Inconsistent, UnsuitableData
from ..provenance import fingerprint
from ..wording import Warn, ignore, listed, option_value, plural
from .arrow_arrays import numpy_of, text_scalar
from .cell_storage import Cells, new_cells
from .columns import Column, StateChooser
from .cuts.listed_cuts import goals_of, join_intervals, refuse_other_cuts, report_cuts
from .declared_states import declared_labels, declared_levels, settle_levels
from .encoding_options import EncodingOptions
from .label_columns import LabelColumn, RawTable
from .labels import MISSING_STATE
from .problems import (
    KEEP,
    KEEP_IN_EXPERIMENTS,
    blank_problem,
    doubt_text,
    missing_problem,
    raise_problems,
    refuse_many_states,
    warn_of_suspicions,
)
from .recoding import learnt_cuts, with_recoding
from .row_columns import with_meant_rows
from .selection import drop_option, selected_positions

_NUMBERED = re.compile(r"[XV]?[0-9]+")


def encode_table(raw: RawTable, options: EncodingOptions, warn: Warn, note: Warn = ignore) -> Dataset:
    """Code a table of labels. `note` is called about the columns that are cut.

    Raises `UnsuitableData`: missing cells, continuous columns, columns with too many states, no rows; `Inconsistent`:
    a column of a required variable is absent, or holds a label that is none of its states, or the options would cut
    it otherwise than these states do.
    """
    if not raw.columns or not len(raw.columns[0]):
        raise UnsuitableData("no rows of data", remedy="a table needs at least one row")
    kept = selected_positions(raw.names, options.columns, options.drop)
    treatments = options.treatments(raw.names, raw.is_coded)
    raw, set_there = with_meant_rows(raw, kept, options, note)
    n_rows = len(raw.columns[0])
    if _goes_by_position(raw, options.variables):
        names = tuple(variable.name for variable in options.variables or ())
        treatments = {name: treatments[given] for name, given in zip(names, raw.names)}
        set_there = set_there and set_there.renamed(dict(zip(raw.names, names)))
        raw = raw._replace(names=names)
    levels = declared_levels(raw.levels, options, {name: treatments[name] for name in raw.names}, warn)
    fixed = {variable.name for variable in options.variables or () if variable.states is not None}
    labels = declared_labels(raw.levels, options, levels.keys() - fixed)
    columns = [
        Column.of(variable, column, options.marks._replace(not_na=(*options.not_na, *labels.get(variable.name, ()))))
        for variable, column in _select_columns(raw, options, levels, warn)
    ]
    for column in columns:
        column.classify(options.missing == "state", missing_is_hole=options.missing == "keep")
    _report_taken_holes([c for c in columns if c.name in fixed and options.missing == "error"], options, note)
    _hide_unseen(columns, options, warn)
    rows, problems = _rows_to_keep(columns, n_rows, options, warn)
    is_tight = raw.is_tight and rows is None
    chooser = StateChooser(options, treatments, rows, is_tight, partial(_place_words, raw))
    settle_levels([c for c in columns if c.name in levels.keys() - fixed], rows, options, treatments, note)
    variables, codes, is_hidden = _coded(columns, chooser, rows, n_rows, options.missing == "keep")
    if options.variables is None:
        warn_of_suspicions([*(doubt_text(*item) for item in chooser.doubts.items()), *chooser.suspicions], warn)
    optional = () if options.variables else raw.names
    raise_problems([*problems, *chooser.problems], optional)
    if chooser.cut:
        join_intervals(variables, codes, goals_of(variables, chooser, is_hidden))
    refuse_many_states(variables, options.max_states)
    if chooser.cut or chooser.scales:
        report_cuts(variables, chooser, note)
    if options.variables is None:
        _warn_constant(variables, warn)
    else:
        asked = StateChooser(options, treatments, rows, is_tight, partial(_place_words, raw))
        refuse_other_cuts(columns, asked, rows, codes, is_hidden, options.listed_in)
        chooser.cut.update(asked.cut)
    given = set_there and set_there.settled(rows, variables)
    cells = codes
    if is_hidden is not None:
        _check_observed(variables, is_hidden, warn)
        cells = np.concatenate([codes, is_hidden.view(np.uint8)])
    found = Dataset(tuple(variables), codes, fingerprint(variables, cells, given), given, is_hidden=is_hidden)
    if not options.is_recodable:
        return found
    return with_recoding(found, encode_table, raw, rows, options, learnt_cuts(treatments, chooser.cut))


def _coded(
    columns: Sequence[Column], chooser: StateChooser, rows: np.ndarray | None, n_rows: int, keeps_holes: bool
) -> tuple[list[Variable], Cells, np.ndarray | None]:
    """Variables, codes, and which cells are missing: None if none is, or unless `keeps_holes`.

    - `rows` (bool): the rows kept; None for all.
    Codes of columns that are refused may wrap around.
    """
    n_kept = n_rows if rows is None else int(rows.sum())
    codes = new_cells(len(columns), n_kept)
    is_hidden = np.zeros((len(columns), n_kept), dtype=np.bool_) if keeps_holes else None
    variables = []
    for position, column in enumerate(columns):
        coding = chooser.choose(column)
        variables.append(Variable(column.name, coding.states))
        cells = column.gather(coding.codes.astype(np.uint8), rows)
        if is_hidden is not None and column.missing is not None:
            is_hidden[position] = column.gather(column.missing, rows)
            cells[is_hidden[position]] = 0
        codes[position] = cells
    return variables, codes, is_hidden if is_hidden is not None and is_hidden.any() else None


def _report_taken_holes(columns: Sequence[Column], options: EncodingOptions, note: Warn) -> None:
    """Name the columns whose missing cells take the state ``NA`` of a file, where it might be a label."""
    found = []
    for column in columns:
        if column.known is None or MISSING_STATE not in (column.states or ()):
            continue
        is_other = numpy_of(compute.not_equal(column.labels, text_scalar(MISSING_STATE)))
        is_taken = is_other & (column.known == (column.states or ()).index(MISSING_STATE))
        n_cells = int(column.count_labels()[is_taken].sum())
        found += [f"{column.name!r} ({n_cells})"] if n_cells else []
    if found:
        note(
            f"missing cells take the state {MISSING_STATE!r} that {options.listed_in} lists: {listed(found)}; "
            f"if {MISSING_STATE} is a label of its own, give --not-na {option_value(MISSING_STATE)}"
        )


def _hide_unseen(columns: Sequence[Column], options: EncodingOptions, warn: Warn) -> None:
    """Take cells with labels that are none of the listed states as missing if options say so, with a warning."""
    known = [column for column in columns if column.known is not None and options.unseen == "missing"]
    hidden = {column.name: column.hide_unseen(options.missing == "state") for column in known}
    found = [f"{name!r} ({count})" for name, count in hidden.items() if count]
    if found:
        warn(f"cells with labels that {options.listed_in} does not list are taken as missing: {listed(found)}")


def _place_words(raw: RawTable, row: int) -> str:
    """Words for the place of a row; none if it is unknown."""
    line, words = raw.place_of(row)
    return words if line is None else f"line {line}: "


def _check_observed(variables: Sequence[Variable], is_hidden: np.ndarray, warn: Warn) -> None:
    """Warn of columns without an observed cell; raise `UnsuitableData` if the states of one are unknown."""
    blank = [variable for variable, holes in zip(variables, is_hidden) if holes.all()]
    stateless = [variable.name for variable in blank if not variable.states]
    if stateless:
        raise_problems([blank_problem(stateless)], [variable.name for variable in variables])
    if blank:
        warn(
            f"no cell is observed in {listed(repr(v.name) for v in blank)}: "
            "its distribution follows from the initial values and the other columns"
        )


def _goes_by_position(raw: RawTable, variables: tuple[Variable, ...] | None) -> bool:
    """Whether columns without names are the variables in their order, because their names do not match."""
    if variables is None or raw.is_named or len(variables) != len(raw.names):
        return False
    return {variable.name for variable in variables} != set(raw.names)


def _select_columns(
    raw: RawTable, options: EncodingOptions, levels: Mapping[str, tuple[str, ...]], warn: Warn
) -> list[tuple[Variable, LabelColumn]]:
    """Pairs of a variable and its column, in the order of the variables; with states where these are known."""
    variables = options.variables
    if variables is None:
        return [(Variable(name, levels.get(name)), column) for name, column in zip(raw.names, raw.columns)]
    names = [variable.name for variable in variables]
    position_of = {name: position for position, name in enumerate(raw.names)}
    absent = [name for name in names if name not in position_of]
    if absent:
        what = "column" if len(absent) == 1 else "columns"
        raise Inconsistent(
            f"no {what} {listed(map(repr, absent))}, which {options.listed_in} lists", remedy=_name_remedy(names, raw)
        )
    known = set(names)
    extra = [name for name in raw.names if name not in known]
    if extra:
        ignored = listed(map(repr, extra))
        warn(f"columns that {options.listed_in} does not list are ignored: {ignored}")
    known_ones = [v if v.states is not None else Variable(v.name, levels.get(v.name)) for v in variables]
    return [(variable, raw.columns[position_of[variable.name]]) for variable in known_ones]


def _name_remedy(names: Sequence[str], raw: RawTable) -> str:
    """How to match names and columns: by position if the file only numbers as many variables."""
    is_numbered = all(_NUMBERED.fullmatch(name) and name.lstrip("XV") == str(i) for i, name in enumerate(names))
    if is_numbered and len(names) == len(raw.names):
        return (
            "the file numbers its variables, as jkl and pss do; name them by the columns, in their order: "
            f"bnsl convert FILE --names {option_value(raw.source)} --to network (or parentsets)"
        )
    return "give data with the same column names (in any order)"


def _rows_to_keep(columns: Sequence[Column], n_rows: int, options: EncodingOptions, warn: Warn):
    """The rows kept, bool, or None for all, and the problem of missing cells unless these are allowed.

    Unknown labels are refused at once, except in rows that are dropped for a missing cell.
    """
    may_be_missing = options.missing in ("state", "keep")
    is_missing, missing = marked_cells(columns, n_rows, lambda c: None if may_be_missing else c.missing)
    complete = ~is_missing if missing and options.missing == "drop" else None
    is_unseen, unseen = marked_cells(columns, n_rows, lambda c: c.unseen, complete)
    if unseen and options.unseen == "error":
        _refuse_unseen([column for column, _ in unseen], complete, options)
    if missing and options.missing == "error":
        blank = [c.name for c, n in missing if n == n_rows and not c.states]
        observed = [c for c in columns if c.name not in blank]
        is_missing, missing = marked_cells(observed, n_rows, lambda c: c.missing)
        problems = [blank_problem(blank)] if blank else []
        if missing:
            counts = {c.name: n for c, n in missing}
            mend = KEEP if options.interventions is None else KEEP_IN_EXPERIMENTS
            can_add = options.variables is None or all(_may_be_missing(c) for c, _ in missing)
            texts = dict.fromkeys(text for c, _ in missing for text in c.missing_texts() if text not in options.na)
            problems.append(missing_problem(counts, int(is_missing.sum()), n_rows, [*texts], can_add, mend))
        return None, problems
    unknown = f"labels that {options.listed_in} does not list"
    for rows, why in ((is_missing, "missing cells"), (is_unseen, unknown)):
        if rows.any():
            warn(f"{int(rows.sum())} of {n_rows} rows left out: {why}")
    keep = ~(is_missing | is_unseen)
    if not keep.any():
        raise UnsuitableData(
            f"none of {n_rows} rows is left: each has a missing cell or an unknown label",
            remedy="leave out the columns with many missing cells by --drop"
            + (", or use --missing state" if options.variables is None else ""),
        )
    return (None if keep.all() else keep), []


def marked_cells(
    columns: Sequence[Column],
    n_rows: int,
    mark_of: Callable[[Column], np.ndarray | None],
    among: np.ndarray | None = None,
) -> tuple[np.ndarray, list[tuple[Column, int]]]:
    """Rows with a cell of a marked label, bool, and the columns with such cells and their number.

    Only the rows `among` (bool) are inspected, all if None.
    """
    is_marked = np.zeros(n_rows, dtype=bool)
    found = []
    for column in columns:
        mark = mark_of(column)
        if mark is not None:
            cells = column.gather(mark)
            if among is not None:
                cells &= among
            is_marked |= cells
            if cells.any():  # a dictionary may hold labels that no cell has
                found.append((column, int(cells.sum())))
    return is_marked, found


def _may_be_missing(column: Column) -> bool:
    """Whether missing cells can be a state of a column: its states are not known yet, or have it."""
    return column.states is None or MISSING_STATE in column.states


def _refuse_unseen(columns: Sequence[Column], rows: np.ndarray | None, options: EncodingOptions) -> NoReturn:
    column = columns[0]
    counts = column.count_labels(rows) * column.unseen
    others = f"; {plural(len(columns) - 1, 'more column')} alike" if len(columns) > 1 else ""
    raise Inconsistent(
        f"label {column.labels[int(counts.argmax())].as_py()!r} in {plural(int(counts.max()), 'row')} is not among "
        f"the states that {options.listed_in} lists ({listed(map(repr, column.states or ()))}){others}",
        column=column.name,
        remedy="leave such rows out by --unseen drop"
        + ("" if options.missing == "state" else ", or take such cells as missing by --unseen missing"),
    )


def _warn_constant(variables: Sequence[Variable], warn: Warn) -> None:
    constant = [variable.name for variable in variables if len(variable.known_states) == 1]
    if constant:
        hint = f"; {drop_option(constant)} leaves out what is constant" if len(constant) < len(variables) else ""
        warn(f"{plural(len(constant), 'constant column')} (one state): {listed(map(repr, constant))}{hint}")
