"""What boxes of a drawing show below the name: bars of probabilities, or a table of parameters; and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ..graph_records import Probabilities
from ..printable import abbreviated
from ..records import Parameters
from ..wording import printable
from .text_widths import BOX_PADDING, text_width

SMALL = 10.0
"""Size of the typeface of bars and tables."""
ROW_HEIGHT = 15.0
BAR_WIDTH, SHARE_WIDTH = 60.0, 40.0
"""Width of a bar of probability 1, and of the number behind it."""
COLUMN_GAP = 8.0
STATE_LENGTH = 14
"""Characters of a state; longer ones are abbreviated in the middle."""
MOST_BARS = 8
"""Largest number of bars of a box; where there are more states, the last bar is of all but the most probable."""
MOST_ROWS, MOST_COLUMNS = 16, 10
"""Largest table that a box shows."""


def short_states(states: Sequence[str]) -> list[str]:
    """The labels of states in a box."""
    return abbreviated([printable(state) for state in states], STATE_LENGTH)


def bars(states: Sequence[str], shares: np.ndarray) -> list[tuple[str, float]]:
    """Label and probability of each bar of a box: the most probable states in their order, and the others as one."""
    rows = list(zip(short_states(states), shares.tolist()))
    if len(rows) <= MOST_BARS:
        return rows
    likely = sorted(np.argsort(-shares, kind="stable")[: MOST_BARS - 1].tolist())
    rest = float(np.delete(shares, likely).sum())
    return [*(rows[state] for state in likely), (f"{len(rows) - len(likely)} others", rest)]


def bar_start(states: Sequence[str]) -> float:
    """Distance of the bars from the left border of their box, whichever states are the most probable."""
    others = [f"{len(states)} others"] if len(states) > MOST_BARS else []
    return BOX_PADDING + max(text_width(label, SMALL) for label in short_states(states) + others) + COLUMN_GAP


def table(model: Parameters, v: int, names: Sequence[str]) -> list[list[str]]:
    """The table of a variable as texts: parents and states in the first row, then a row a configuration of the
    parents; one text where it is too large. `names` are the labels of the variables.
    """
    states = [short_states(variable.known_states) for variable in (model.variables[p] for p in model.parents[v])]
    own = short_states(model.variables[v].known_states)
    rows = model.tables[v].reshape(-1, len(own))
    if len(rows) > MOST_ROWS or len(own) + len(states) > MOST_COLUMNS:
        return [[f"a table of {len(rows):,} rows, {len(own)} columns"]]
    head = [*(names[p] for p in model.parents[v]), *own]
    return [head, *([*key, *map(_share, row.tolist())] for key, row in zip(product(*states), rows))]


def _share(value: float) -> str:
    """A probability with three decimals; one that is not zero or one is not shown so."""
    return "<0.001" if 0 < value < 0.0005 else ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def column_widths(rows: Sequence[Sequence[str]]) -> list[float]:
    """Widths of the columns of a table, the gap behind each included."""
    return [max(text_width(row[i], SMALL) for row in rows) + COLUMN_GAP for i in range(len(rows[0]))]


def sizes_below(probabilities: Probabilities, boxes: str, labels: Sequence[str]) -> list[tuple[float, float]]:
    """Width of each box that shows ``bars`` or ``tables``, and height of these below the name."""
    return [_size(probabilities, boxes, labels, v) for v in range(len(labels))]


def _size(probabilities: Probabilities, boxes: str, labels: Sequence[str], v: int) -> tuple[float, float]:
    if boxes == "bars":
        rows = bars(probabilities.states[v], probabilities.marginals[v])
        width = bar_start(probabilities.states[v]) + BAR_WIDTH + SHARE_WIDTH + BOX_PADDING
        return width, ROW_HEIGHT * len(rows) + 4
    assert probabilities.model is not None
    cells = table(probabilities.model, v, labels)
    return sum(column_widths(cells)) - COLUMN_GAP + 2 * BOX_PADDING, ROW_HEIGHT * len(cells) + 4


def percent(share: float) -> str:
    """A probability in per cent, with one decimal."""
    return f"{100 * share:.1f} %"
