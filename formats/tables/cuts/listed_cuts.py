"""Merge intervals (Hartemink), check cut points against a file's header, and report cuts in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from ...data_records import Variable
from ...errors import Inconsistent, UnsuitableData
from ...wording import Warn, listed, plural
from ..cell_storage import Cells
from ..columns import Column, StateChooser
from ..labels import MISSING_STATE
from ..problems import raise_problems
from .discretization import cuts_of_labels, format_number, interval_labels
from .hartemink import Goal, join_levels

_N_COLUMNS, _N_CUTS = 20, 10
"""Columns, and cut points of each, that are listed."""


def goals_of(variables: Sequence[Variable], chooser: StateChooser, is_hidden: np.ndarray | None) -> dict[int, Goal]:
    """The variables whose intervals are to be joined, which requires a complete table."""
    goals = {i: goal for i, variable in enumerate(variables) if (goal := chooser.goal_of(variable)) is not None}
    if goals and is_hidden is not None:
        raise UnsuitableData(
            "--discretize hartemink compares the columns of complete rows, and cells are missing",
            remedy="use quantile:K, or cut the complete rows and give their cuts (COLUMN=cuts:...)",
        )
    return goals


def join_intervals(variables: list[Variable], codes: Cells, goals: dict[int, Goal]) -> None:
    """In columns with goals, replace variables and codes by the intervals that `hartemink` joins."""
    if not goals:
        return
    try:
        remaining = join_levels(codes, [len(variable.known_states) for variable in variables], goals)
    except ValueError as error:
        raise UnsuitableData(
            f"too much to compare for --discretize hartemink: {error}",
            remedy="begin with fewer intervals (hartemink:K,FIRST), or use quantile:K",
        ) from None
    for position, lowest in remaining.items():
        name, states = variables[position].name, variables[position].known_states
        n_levels = goals[position].n_levels
        cuts = cuts_of_labels(states[:n_levels])
        assert cuts is not None
        # The state of missing cells, if there is one, stays behind the intervals.
        joined = (*interval_labels(cuts[lowest[1:] - 1]), *states[n_levels:])
        variables[position] = Variable(name, joined)
        levels = np.arange(len(states))
        new_codes = np.searchsorted(lowest, levels, side="right") - 1
        new_codes[n_levels:] = len(lowest) + levels[n_levels:] - n_levels
        codes[position] = new_codes.astype(np.uint8)[codes[position]]


def refuse_other_cuts(
    columns: Sequence[Column],
    chooser: StateChooser,
    rows: np.ndarray | None,
    codes: Cells,
    is_hidden: np.ndarray | None,
    listed_in: str,
) -> None:
    """Refuse options that would cut columns of listed states otherwise than the file that lists them.

    - `columns`: all columns; columns for which `chooser` may not choose keep their states.
    - `chooser`: a fresh chooser with the options given.
    - `rows` (bool): the rows kept; None for all.
    - `codes`, `is_hidden`: the table by the listed states, and its missing cells.
    - `listed_in`: name of the file that lists states, for messages.
    Raises `Inconsistent`: the cut points differ; `UnsuitableData`: the options cannot be applied to these columns.
    """
    own = [chooser.bare(column) for column in columns]
    if all(new is column for new, column in zip(own, columns)):
        return
    codings = [chooser.choose(column) for column in own]
    raise_problems(chooser.problems, ())
    variables = [Variable(column.name, coding.states) for column, coding in zip(own, codings)]
    goals = goals_of(variables, chooser, is_hidden)
    if goals:
        new_codes = [column.gather(coding.codes.astype(np.uint8), rows) for column, coding in zip(own, codings)]
        join_intervals(variables, np.array(new_codes), goals)
    for column, variable in zip(columns, variables):
        asked, given = (_cuts(states) for states in (variable.known_states, column.states or ()))
        if asked != given:
            raise Inconsistent(
                f"--discretize and --categories give these rows {_shown(asked)}, "
                f"but {listed_in} lists {_shown(given)}",
                column=column.name,
                remedy="leave these options out: the states that the file lists hold",
            )


def _cuts(states: tuple[str, ...]) -> list[float] | None:
    """The cut points of states that are intervals; None if they are not."""
    cuts = cuts_of_labels(tuple(state for state in states if state != MISSING_STATE))
    return None if cuts is None else cuts.tolist()


def _shown(cuts: list[float] | None) -> str:
    return "no intervals" if cuts is None else f"intervals cut at {listed(f'{cut:g}' for cut in cuts)}"


def report_cuts(variables: Sequence[Variable], chooser: StateChooser, note: Warn) -> None:
    """Report to `note` the columns that were cut, with their cut points, and the scales that a rule for all columns
    did not cut.
    """
    cut = [variable for variable in variables if variable.name in chooser.cut]
    if cut:
        lines = [f"\n  {_cuts_in_words(variable)}" for variable in cut[:_N_COLUMNS]]
        if len(cut) > _N_COLUMNS:
            lines.append(f"\n  and {len(cut) - _N_COLUMNS:,} more")
        note(f"{plural(len(cut), 'column')} cut:{''.join(lines)}")
    if chooser.scales:
        names = listed(f"{name!r} ({count})" for name, count in chooser.scales)
        example = shlex.quote(f"{chooser.scales[0][0]}=median")
        note(
            f"{plural(len(chooser.scales), 'column')} of few whole numbers stay states: {names}. "
            f"A rule for one column cuts it: --discretize {example}; a rule for '*' cuts all: --discretize '*=median'"
        )


def _cuts_in_words(variable: Variable) -> str:
    states = variable.known_states
    # The state of missing cells, if there is one, stands behind the intervals.
    cuts = cuts_of_labels(states) if cuts_of_labels(states) is not None else cuts_of_labels(states[:-1])
    if cuts is None:  # all values lie in one of the intervals of given cut points
        return f"{variable.name!r}: all values in {states[0]}"
    points = [format_number(cut) for cut in cuts]
    more = f" and {len(points) - _N_CUTS} more" if len(points) > _N_CUTS else ""
    return f"{variable.name!r} at {', '.join(points[:_N_CUTS])}{more}: {len(states)} states"
