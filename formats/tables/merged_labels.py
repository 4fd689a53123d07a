"""Labels of a column that become one state: by a rule on their counts or by a list, and again in new rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from ..data_records import Merging, Variable
from ..errors import Malformed, UnsuitableData
from ..streams import read_bytes
from ..wording import Warn, listed, plural
from .label_columns import LabelColumn
from .labels import MISSING_STATE, UNKNOWN, Marks, code_known_states, find_missing
from .selection import matching_names

_RULE = re.compile(r"(.+?)=(.*)<\s*([0-9]+)")


class MergeRule(NamedTuple):
    """What ``--merge`` says of some columns: their rare labels, or lists of labels."""

    columns: str
    """A pattern of names for a rule on counts, else a name."""
    states: Mapping[str, tuple[str, ...]]
    """The labels that each state takes in."""
    rare: str | None = None
    below: int = 0
    """Labels in fewer rows become the state `rare`."""


def parse_merge(text: str) -> tuple[MergeRule, ...]:
    """Rules of a text ``COLUMN=STATE<ROWS``, of JSON ``{column: {state: [labels]}}`` or of a file of such JSON.

    Raises `ValueError`: it is neither; `FormatError`: the file is unreadable or holds something else.
    """
    rule = _RULE.fullmatch(text.strip())
    if rule and not text.lstrip().startswith("{"):
        columns, state, below = rule[1].strip(), rule[2].strip(), int(rule[3])
        if not columns or not state or below < 2:
            raise ValueError(f"{text!r} merges nothing; write it like city=rare<10, with at least 2 rows")
        return (MergeRule(columns, {}, state, below),)
    if text.lstrip().startswith("{"):
        return _of_json(text, "--merge")
    if not os.path.exists(text):
        raise ValueError(f"{text!r} is neither a rule, like city=rare<10, nor a file")
    return _of_json(read_bytes(text), text)


def _of_json(text: str | bytes, source: str) -> tuple[MergeRule, ...]:
    remedy = 'write it like {"city": {"rare": ["Bern", "Basel"]}}'
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Malformed(f"this is no JSON: {error}", source=source, remedy=remedy) from None
    if not isinstance(found, dict) or not found or not all(isinstance(item, dict) for item in found.values()):
        raise Malformed("this is no object of columns", source=source, remedy=remedy)
    rules = []
    for name, states in found.items():
        if not states or not all(isinstance(labels, list) and labels for labels in states.values()):
            raise Malformed("each state needs a list of labels", source=source, column=name, remedy=remedy)
        texts = {state.strip(): tuple(dict.fromkeys(map(_text_of, labels))) for state, labels in states.items()}
        every = [label for labels in texts.values() for label in labels]
        twice = sorted({label for label in every if every.count(label) > 1})
        if twice:
            raise Malformed(f"labels that become two states: {listed(map(repr, twice))}", source=source, column=name)
        rules.append(MergeRule(name, texts))
    return tuple(rules)


def _text_of(label: Any) -> str:
    return f"{label:.15g}" if isinstance(label, float) else str(label).strip()


def merge_columns(
    names: Sequence[str],
    columns: Sequence[LabelColumn],
    rules: Iterable[MergeRule],
    levels: Mapping[str, Sequence[str]],
    marks: Marks,
    note: Warn,
    is_counted: np.ndarray | None = None,
) -> tuple[list[LabelColumn], dict[str, Merging]]:
    """The columns with their merged labels, and what was merged, by column; for rows that states are learnt from.

    - `levels`: declared states of columns; without rows they are rare.
    - `marks`: the texts of missing cells, which no rule merges.
    - `note`: called about what a rule on counts merges, and about listed labels that do not occur.
    - `is_counted`: bool, shape (n_rows,), the rows that rules on counts count; None for all.
    Raises `UnsuitableData`: a rule for a column that is not read, or a second one for a column.
    """
    chosen: dict[str, MergeRule] = {}
    for rule in rules:
        found = matching_names(rule.columns, names, "--merge") if rule.rare is not None else [rule.columns]
        for name in found:
            if name not in names:
                raise UnsuitableData("--merge names a column that is not read", column=name)
            if name in chosen:
                raise UnsuitableData("two rules of --merge are for this column", column=name)
            chosen[name] = rule
    merged, made = list(columns), {}
    for name, rule in chosen.items():
        place = list(names).index(name)
        merging = _merging(name, columns[place], rule, levels.get(name, ()), marks, note, is_counted)
        if merging is not None:
            made[name] = merging
            merged[place] = merged_column(columns[place], merging, None, marks)[0]
    return merged, made


def complete_rows(columns: Iterable[LabelColumn], marks: Marks) -> np.ndarray:
    """Which rows have no missing cell, bool, shape (n_rows,)."""
    is_complete: list[np.ndarray] = []
    for column in columns:
        is_missing = find_missing(column.values.fill_null(""), marks, column.typed)
        is_complete.append(~np.concatenate([is_missing[part] for part in column.indices()]))
    return np.logical_and.reduce(is_complete)


def _merging(
    name: str,
    column: LabelColumn,
    rule: MergeRule,
    levels: Sequence[str],
    marks: Marks,
    note: Warn,
    is_counted: np.ndarray | None,
) -> Merging | None:
    """What a rule merges in a column; None for nothing."""
    labels = column.values.fill_null("")
    if rule.rare is None:
        known = {*labels.to_pylist(), *levels}
        absent = [label for those in rule.states.values() for label in those if label not in known]
        if absent:
            note(f"column {name!r}: --merge lists labels that it does not have: {listed(map(repr, absent))}")
        return Merging(rule.states)
    counts: dict[str, int] = dict.fromkeys(levels, 0)
    numbers, start = np.zeros(len(labels), np.int64), 0
    for part in column.indices():
        end = start + len(part)
        counted = part if is_counted is None else part[is_counted[start:end]]
        numbers += np.bincount(counted, minlength=len(labels))
        start = end
    for label, is_missing, number in zip(
        labels.to_pylist(), find_missing(labels, marks, column.typed), numbers.tolist()
    ):
        if not is_missing and number:
            counts[label] = counts.get(label, 0) + number
    rare = tuple(sorted(label for label, number in counts.items() if number < rule.below and label != rule.rare))
    n_rows = sum(counts[label] for label in rare)
    if not rare:
        note(
            f"column {name!r}: every label has {rule.below:,} rows or more, --merge merges none; labels of later "
            f"rows do not become {rule.rare!r}, which is no state"
        )
        return None
    note(f"column {name!r}: {plural(len(rare), 'label')} ({plural(n_rows, 'row')}) merged into {rule.rare!r}")
    return Merging({rule.rare: rare}, rule.rare)


def merge_again(column: LabelColumn, variable: Variable, marks: Marks, warn: Warn) -> LabelColumn:
    """A column of new rows with its labels merged as the variable says; `warn` is called about unknown ones."""
    merging = variable.merging
    if merging is None:
        return column
    merged, is_new = merged_column(column, merging, variable.states, marks)
    if is_new.any():
        n_cells = sum(int(is_new[part].sum()) for part in column.indices())
        example = column.values.filter(pyarrow.array(is_new))[0].as_py()
        where = f"{plural(n_cells, 'cell')}, as {example!r}"
        warn(f"column {variable.name!r}: new labels in {where}, are taken as {merging.others!r}")
    return merged


def merged_column(
    column: LabelColumn, merging: Merging, states: Sequence[str] | None, marks: Marks
) -> tuple[LabelColumn, np.ndarray]:
    """A column with its labels merged; with the `states` of a file unknown labels, too, if a rule on counts says so.

    Also returns which of its values are such unknown labels, bool.
    """
    labels = column.values.fill_null("")
    into = {label: state for state, those in merging.states.items() for label in those}
    found = [into.get(label, label) for label in labels.to_pylist()]
    is_new = np.zeros(len(found), dtype=np.bool_)
    if states is not None and merging.others is not None:
        texts = pyarrow.array(found, pyarrow.string())
        is_missing = find_missing(texts, marks, column.typed)
        of_na = is_missing & (MISSING_STATE in states)
        is_known = code_known_states("", texts, tuple(states), of_na, column.typed) != UNKNOWN
        is_new = ~is_known & ~is_missing
        found = [merging.others if new else label for label, new in zip(found, is_new.tolist())]
    return column.with_values(pyarrow.array(found, pyarrow.string())), is_new


def merged_levels(levels: Mapping[str, Sequence[str]], made: Mapping[str, Merging]) -> dict[str, tuple[str, ...]]:
    """Declared states after merging, in their order; a state stands where the first of its labels stood."""
    changed = {name: tuple(given) for name, given in levels.items()}
    for name, merging in made.items():
        if name in levels:
            into = {label: state for state, those in merging.states.items() for label in those}
            changed[name] = tuple(dict.fromkeys(into.get(label, label) for label in levels[name]))
    return changed


def as_merged(label: str, variable: Variable) -> str:
    """A label of a variable, or the state that it was merged into."""
    merging, states = variable.merging, variable.states or ()
    if merging is None or label in states:
        return label
    into = next((state for state, those in merging.states.items() if label in those), None)
    return into or merging.others or label
