"""The codes of a table by cuts that some of its rows give, as cross-validation needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..data_records import Dataset, Recoding, Variable
from ..errors import located
from ..wording import ignore
from .arrow_arrays import text_array
from .columns import Column
from .cuts.discretization import ColumnRule, Discretization, cuts_of_labels, interval_labels
from .encoding_options import EncodingOptions, Treatment
from .label_columns import LabelColumn
from .labels import MISSING_STATE, parse_numbers

if TYPE_CHECKING:
    from .label_columns import RawTable

    Encode = Callable[..., Dataset]


def learnt_cuts(treatments: dict[str, Treatment], cut: set[str]) -> dict[str, Discretization]:
    """The rules of the columns that were cut at points learnt from the rows; given cut points are not."""
    rules = {name: treatments[name].rule for name in sorted(cut)}
    return {name: rule for name, rule in rules.items() if isinstance(rule, Discretization)}


def with_recoding(
    found: Dataset,
    encode: Encode,
    raw: RawTable,
    rows: np.ndarray | None,
    options: EncodingOptions,
    cuts: dict[str, Discretization],
) -> Dataset:
    """The data set with its `Recoding`.

    A column is cut by the rule by which it was cut in the whole table, at the points that the marked rows give. All
    other columns keep their states.

    - `encode`: `encoding.encode_table`.
    - `raw`: the columns.
    - `rows` (bool): its rows that the data set has; None for all.
    - `cuts`: of `learnt_cuts`.
    """
    return replace(found, recoding=_recoding(encode, raw, rows, options, found.variables, cuts))


def _recoding(
    encode: Encode,
    raw: RawTable,
    rows: np.ndarray | None,
    options: EncodingOptions,
    variables: Sequence[Variable],
    cuts: dict[str, Discretization],
) -> Recoding:
    names = [variable.name for variable in variables]
    known = {v.name for v in options.variables or () if v.states is not None}
    learnt = tuple(name for name in names if name in cuts)
    raw = raw.chosen([raw.names.index(name) for name in names])
    kept = tuple(
        variable.name
        for variable, column in zip(variables, raw.columns)
        if variable.name in known and variable.name not in learnt and _is_cut(variable, column)
    )
    if rows is not None:
        raw = raw._replace(columns=[column.with_cells(column.cells()[rows]) for column in raw.columns])
    raw = raw._replace(is_tight=False)
    states = {v.name: v.known_states for v in variables}
    rules = tuple(ColumnRule(name, rule) for name, rule in cuts.items())
    new = replace(
        options,
        columns=(),
        drop=(),
        categories=(),
        weights=None,
        interventions=None,
        observed=False,
        levels={},
        is_recodable=False,
        discretize=(),
        listed_in="the table with the cuts of a fold",
    )
    to_learn = replace(
        new, variables=tuple(Variable(v.name) if v.name in learnt else v for v in variables), discretize=rules
    )

    def states_by(is_marked: np.ndarray) -> tuple[tuple[Variable, ...], np.ndarray]:
        some = raw._replace(columns=[column.with_cells(column.cells()[is_marked]) for column in raw.columns])
        with located(raw.source):
            found = encode(some, to_learn, ignore).variables
            settled = tuple(_settled(v, states[v.name], v.name in cuts) for v in found)
            coded = encode(raw, replace(new, variables=settled, max_states=None), ignore)
        return coded.variables, coded.plain_codes

    return Recoding(learnt, kept, states_by)


def _is_cut(variable: Variable, column: LabelColumn) -> bool:
    """Whether a file's states of a column are intervals of its numbers."""
    regular = tuple(state for state in variable.known_states if state != MISSING_STATE)
    own = Column.of(variable, column)
    return cuts_of_labels(regular) is not None and not np.isnan(parse_numbers(own.labels)).all()


def _settled(variable: Variable, whole: tuple[str, ...], is_cut: bool) -> Variable:
    """A variable learnt from some rows, so that it has a state for each cell of the `whole` table's states.

    Numbers so few that the marked rows left them uncut become intervals that end at these numbers.
    """
    states, missing = variable.known_states, whole[-1:] if whole[-1:] == (MISSING_STATE,) else ()
    regular = tuple(state for state in states if (state,) != missing)
    if is_cut and cuts_of_labels(regular) is None:
        numbers = np.unique(parse_numbers(text_array(regular)))
        regular = interval_labels(numbers[:-1] if len(numbers) > 1 else numbers)
    return replace(variable, states=(*regular, *missing))
