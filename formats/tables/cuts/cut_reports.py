"""What discretization did to the columns of a table, in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ...data_records import Variable
from ...wording import Warn, listed, plural
from ..columns import StateChooser
from .discretization import cuts_of_labels, format_number

_N_COLUMNS, _N_CUTS = 20, 10
"""Columns, and cut points of each, that are listed."""


def report_cuts(variables: Sequence[Variable], chooser: StateChooser, note: Warn) -> None:
    """Report to `note` which columns were cut, where, and the scales that a rule for all columns left as they are."""
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
            f"{plural(len(chooser.scales), 'column')} of few whole numbers not cut (states): {names}; "
            f"a rule that names the column cuts it: --discretize {example}"
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
