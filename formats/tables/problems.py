"""Columns that are refused, all offending ones at once, or probably not meant as states; and what to do about them.

Not meant as states are identifiers, dates, numbers with commas or among words; likely marks of missing cells; and
labels that differ only in case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..data_records import MAX_STATES, Variable
from ..errors import UnsuitableData
from ..wording import Warn, listed, option_value, plural
from .arrow_arrays import array_of, numpy_of, text_array, text_scalar
from .label_columns import Typed
from .labels import MISSING_STATE, spells_numbers
from .selection import drop_option

MIN_NUMBERS = 10
"""Fewer distinct numbers beside words may well be categories: 0, 1, 2, 3+."""

_MIN_STATES = 20
_ROWS_PER_STATE = 5
_FEW = 3
_NEARLY_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)*(?: ?[^0-9.,;: ]{1,4})?$"
_DATE = (
    r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}(?:[0-9]{2})?)(?:[T ].*)?$"
    r"|^[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?$"
)
_WITH_COMMA = r"^[+-]?[0-9.]*,[0-9.,]*$"
_MOST_DROPPED = 200
"""Largest number of offending columns for which the option that leaves them out is printed."""


KEEP = "keep"
"""Value of the option ``missing`` in `FormatError.mend`: what keeps all rows, if the caller can use them."""

KEEP_IN_EXPERIMENTS = "keep in experiments"
"""The same beside ``--interventions``, with which available pairs do not go."""


_WORDS = "na n.a. n/a #n/a nan -nan nat null (null) <null> #null! #value! #div/0! missing <missing>"
_SIGNS = ("*", ".", "-", "--", "..", "...", "??", "\\N")
_SPELLED = {spelling for word in _WORDS.split() for spelling in (word, word.upper(), word.capitalize())}
MARKS = (*_SIGNS, *sorted(_SPELLED - {"Na"}))  # Na is sodium
"""Labels that stand for missing cells in many tables; beside ``+`` the labels of `_SIGNS` are signs."""

_CODES_BELOW = (-9, -99, -999, -9999)
_CODES_ABOVE = (99, 999, 9999)
"""Numbers that stand for missing cells: below numbers that are never negative, above a scale of whole numbers."""
_FURTHER_CODES = (-7, -8, -77, -88, 77, 88, 97, 98, 777, 888, 997, 998)
"""Numbers that stand beside these in the same column, for answers that were refused and the like."""
_LARGEST_OF_SCALE, _LEAST_OTHERS = 20, 2

_MOST_SUSPICIONS = 20
_SHORTEST_WORD = 3
"""Shorter labels may well differ in case alone: alleles and genotypes such as A, a, Aa."""


class LabelKind(NamedTuple):
    """What most labels of a column are, with an example, and what to do about them."""

    finding: str
    remedy: str


def kind_of_declared(n_shown: int, listed_in: str | None) -> LabelKind:
    """Too many states that the table declares, or the file `listed_in` lists; `n_shown` of them have rows."""
    remedy = "group the labels"
    if n_shown <= MAX_STATES:
        remedy = f"list fewer in {listed_in}" if listed_in else "--states observed leaves out those without rows"
    return LabelKind(f"declared, {n_shown} with rows", remedy)


def kind_of_labels(labels: pyarrow.StringArray, is_number: np.ndarray, typed: Typed) -> LabelKind | None:
    """Whether more than half of the labels are dates or times, numbers with commas, or ordinary numbers.

    A word among many numbers is probably an error, or an unknown mark of missing cells.
    """
    if is_number.all():
        odd = labels.filter(array_of(~spells_numbers(labels, typed)))
        example = odd[0].as_py() if len(odd) else labels[0].as_py()
        how = "of type text" if typed is Typed.TEXT else "not spelled as Python spells them"
        for_all = "" if typed is Typed.TEXT else ", '*=quantile:4' all"
        remedy = f"--discretize 'COLUMN=quantile:4' cuts a column of them as numbers{for_all}"
        return LabelKind(f"labels of numbers {how}, as {example!r}", remedy)
    for pattern, called, remedy in (
        (_DATE, "dates or times", "replace dates by periods, such as the month or the weekday"),
        (_WITH_COMMA, "numbers with commas", "write numbers as 1073.14: a point, and nothing between thousands"),
    ):
        found = numpy_of(compute.match_substring_regex(labels, pattern))
        if 2 * found.sum() > len(labels):
            return LabelKind(f"{called}, as {labels[int(np.argmax(found))].as_py()!r}", remedy)
    if 2 * is_number.sum() > len(labels):
        stray = labels[int(np.argmin(is_number))].as_py()
        return LabelKind(f"some not numbers, as {stray!r}", "correct these cells, or give --na if they are missing")
    return None


def suspect(name: str, labels: pyarrow.StringArray, is_number: np.ndarray, n_rows: int, typed: Typed) -> str | None:
    """A warning about a column that is not numeric, with its name and what to do; None if nothing is suspicious.

    Dates, numbers with commas, or labels that begin like a number (``12 kg``) are at least ten and the majority; or
    more than 20 labels have fewer than five rows each on average.

    - `labels`: its distinct labels, without labels of missing cells.
    - `is_number` (bool): which of them are numbers.
    """
    kind = kind_of_labels(labels, is_number, typed)
    if kind is not None and is_number.all():
        cut = f"--discretize {option_value(f'{name}=quantile:4')}"
        return f"{name!r}: {kind.finding}: each is a state; {cut} cuts them as numbers"
    if kind is not None and not is_number.any() and len(labels) >= MIN_NUMBERS:
        return f"{name!r}: {kind.finding}; {kind.remedy}, or {drop_option([name])}"
    resembling = numpy_of(compute.match_substring_regex(labels, _NEARLY_NUMBER)) | is_number
    if resembling.sum() >= MIN_NUMBERS and 2 * resembling.sum() > len(labels):
        stray = labels[int(np.argmin(is_number))].as_py()
        n_strays = int((~is_number).sum())
        others = f"is no number: {stray!r}" if n_strays == 1 else f"are no numbers, as {stray!r}"
        missing = f", or --na {option_value(stray)} if missing" if n_strays <= _FEW else ""
        return f"{name!r}: text, for {n_strays} of {len(labels)} values {others}; correct these cells{missing}"
    if len(labels) > _MIN_STATES and len(labels) * _ROWS_PER_STATE > n_rows:
        leaves_out = f"{drop_option([name])} leaves it out"
        return f"{name!r}: {len(labels)} states in {n_rows} rows, as an identifier has; {leaves_out}"
    return None


class Problem(NamedTuple):
    """The reason why a table is refused, what to do about it, and the columns it is about."""

    message: str
    remedy: str
    columns: tuple[str, ...]
    mend: tuple[str, Any] | None = None
    """An option that mends it and its value; None if only leaving the columns out does."""


def missing_problem(
    counts: Mapping[str, int],
    n_affected: int,
    n_rows: int,
    texts: Sequence[str] = (),
    can_add: bool = True,
    mend: str = KEEP,
) -> Problem:
    """The problem of columns with missing cells: `counts` by column, in `n_affected` of the rows.

    - `texts`: what these cells hold, where they are not empty.
    - `can_add`: whether missing cells can become a state; not if an input lists all states.
    - `mend`: the value of ``--missing`` that mends it.
    """
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    state = f", or --missing state to make missing cells a state {MISSING_STATE!r}" if can_add else ""
    return Problem(
        f"missing cells in {plural(len(counts), 'column')}: {listed(f'{name!r} ({n})' for name, n in ordered)}",
        f"use --missing drop to leave out {n_affected} of {n_rows} rows{state}{_if_labels(texts)}",
        tuple(counts),
        ("missing", mend),
    )


def _if_labels(texts: Sequence[str]) -> str:
    """How to read as labels what missing cells hold."""
    if not texts:
        return ""
    shown = [f"--not-na {option_value(text)}" for text in texts[:_FEW]]
    labels = "this text is a label" if len(shown) == 1 else "these texts are labels"
    return f", or {' and '.join(shown)} if {labels}"


def blank_problem(names: Sequence[str]) -> Problem:
    """The problem of columns without an observed cell and without known states."""
    return Problem(
        f"no cell is observed in {plural(len(names), 'column')}: {listed(map(repr, names))}",
        "list the states of columns without cells by --states, or give some cells",
        tuple(names),
    )


def continuous_problem(columns: Sequence[tuple[str, int]], names_rule: bool) -> Problem:
    """The problem of columns of numbers with these numbers of distinct values.

    - `names_rule`: whether some are spelled otherwise than Python spells numbers: a rule for all numbers cuts them.
    """
    listing = listed(f"{name!r} ({count})" for name, count in columns)
    rules = "'*=median' ('*=quantile:K', ...)" if names_rule else "median|quantile:K|width:K|hartemink:K"
    return Problem(
        f"{plural(len(columns), 'continuous column')} (distinct numbers): {listing}",
        f"use --discretize {rules} (or bnsl discretize), or take up to N numbers as "
        f"states by --max-states N or --categories NAME (at most {MAX_STATES})",
        tuple(name for name, _ in columns),
        ("discretize", "*=quantile:4" if names_rule else "quantile:4"),
    )


def text_problem(columns: Mapping[str, str]) -> Problem:
    """The problem of columns that a rule names and that hold text: by column the first such cell."""
    listing = listed(f"{name!r} ({cell})" for name, cell in columns.items())
    return Problem(
        f"--discretize names {plural(len(columns), 'column')} with cells that are no finite numbers: {listing}",
        "correct these cells, give --na TEXT if they are missing, or leave the column out of the rule",
        tuple(columns),
    )


def numerous_problem(columns: Sequence[tuple[str, int, LabelKind | None]], limit: int) -> Problem:
    """The problem of columns with these numbers of labels, and what is known about the labels."""
    listing = listed(f"{name!r} ({count}{f', {kind.finding}' if kind else ''})" for name, count, kind in columns)
    hint = f"the limit is {limit} states" if limit == MAX_STATES else f"--max-states is {limit}"
    remedies = dict.fromkeys(kind.remedy if kind else "group the labels" for _, _, kind in columns)
    return Problem(
        f"too many states in {plural(len(columns), 'column')}: {listing}",
        f"{hint}: {', '.join(remedies)}",
        tuple(name for name, _, _ in columns),
    )


def refuse_many_states(variables: Sequence[Variable], most: int | None) -> None:
    """Refuse columns with more states than ``--max-states``, whether cut, listed by a file or as they are."""
    many = [variable for variable in variables if most is not None and len(variable.known_states) > most]
    if many:
        raise UnsuitableData(
            f"too many states in {plural(len(many), 'column')}: "
            f"{listed(f'{v.name!r} ({len(v.known_states)})' for v in many)}",
            remedy=f"--max-states is {most}: cut into fewer intervals, group labels, or leave it out by --drop",
        )


def raise_problems(problems: Sequence[Problem], names: Sequence[str]) -> None:
    """Raise one `UnsuitableData` for all problems of a table, if there are any.

    `names` are the columns that may be left out, in their order, the offending ones among them.
    """
    if not problems:
        return
    remedies = [problem.remedy for problem in problems]
    offending = {name for problem in problems for name in problem.columns}
    if len(offending) < len(names) and len(offending) <= _MOST_DROPPED:
        which = "it" if len(offending) == 1 else "them"
        remedies.append(f"or leave {which} out: {drop_option(name for name in names if name in offending)}")
    error = UnsuitableData("; ".join(p.message for p in problems), remedy="; ".join(remedies))
    lost = {name for problem in problems if problem.mend is None for name in problem.columns}
    if len(lost) < len(names) and len(lost) <= _MOST_DROPPED:
        error.mend = dict(problem.mend for problem in problems if problem.mend is not None)
        if lost:
            error.mend["drop"] = [name for name in names if name in lost]
    raise error


class Doubt(NamedTuple):
    """One mark of missing cells, or the spellings of one word."""

    labels: tuple[str, ...]
    is_mark: bool


def doubts_about(labels: pyarrow.StringArray, values: np.ndarray) -> list[Doubt]:
    """What is doubtful about the labels of a column that become states.

    - `values` (float64): their numbers, as from `parse_numbers`.
    """
    if np.isnan(values).any():
        return [Doubt((mark,), True) for mark in _marks_among(labels)] + _spelled_alike(labels)
    is_code = _are_codes(values)
    return [Doubt((label,), True) for label in labels.filter(array_of(is_code)).to_pylist()]


def doubt_text(doubt: Doubt, columns: Sequence[str]) -> str:
    """The warning about a doubt of some columns, with what to do."""
    names, labels = listed(map(repr, columns)), listed(map(repr, doubt.labels))
    if not doubt.is_mark:
        return f"{names}: {labels} differ only in case; write them alike if they are one state"
    option = f"--na {option_value(doubt.labels[0])}"
    return f"{names}: {labels} may mark missing cells; if it does, give {option} and --missing drop or state"


def _marks_among(labels: pyarrow.StringArray) -> list[str]:
    found = compute.is_in(labels, value_set=text_array(MARKS))
    if not compute.any(found).as_py():
        return []
    marks = compute.unique(labels.filter(found)).to_pylist()
    has_signs = compute.index(labels, text_scalar("+")).as_py() >= 0
    return [mark for mark in marks if not (has_signs and mark in _SIGNS)]


def _spelled_alike(labels: pyarrow.StringArray) -> list[Doubt]:
    words = labels.filter(array_of(numpy_of(compute.utf8_length(labels)) >= _SHORTEST_WORD)).unique()
    lowered = compute.utf8_lower(words)
    if compute.count_distinct(lowered).as_py() == len(words):
        return []
    spellings = defaultdict(list)
    for word, key in zip(words.to_pylist(), lowered.to_pylist()):
        spellings[key].append(word)
    return [Doubt(tuple(sorted(words)), False) for words in spellings.values() if len(words) > 1]


def _are_codes(values: np.ndarray) -> np.ndarray:
    """Which numbers are probably codes of missing cells, bool."""
    is_code = np.isin(values, _CODES_BELOW + _CODES_ABOVE + _FURTHER_CODES)
    others = values[~is_code]
    is_above, is_below = np.isin(values, _CODES_ABOVE), np.isin(values, _CODES_BELOW)
    if not (is_above | is_below).any() or len(np.unique(others)) < _LEAST_OTHERS or others.min() < 0:
        return np.zeros_like(is_code)
    is_scale = others.max() <= _LARGEST_OF_SCALE and bool((others == np.floor(others)).all())
    # Above numbers that are no scale a code is an ordinary number.
    return is_code if is_scale else is_code & (values < 0) & is_below.any()


def warn_of_suspicions(suspicions: Sequence[str], warn: Warn) -> None:
    """Warn once of columns that may not be what the caller means."""
    if not suspicions:
        return
    lines = [f"\n  {suspicion}" for suspicion in suspicions[:_MOST_SUSPICIONS]]
    if len(suspicions) > _MOST_SUSPICIONS:
        lines.append(f"\n  and {len(suspicions) - _MOST_SUSPICIONS} more")
    warn(f"some columns may not be what you mean:{''.join(lines)}")
