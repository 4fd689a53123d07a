"""What answers say about the variables that ``--do`` sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..files.answers import Answers
from ..files.rows import Rows
from ..running.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from formats.records import Parameters

    from ..files.filled_rows import FilledRows


def note_interventions(found: Answers | Rows | FilledRows, model: Parameters, fixed: Mapping[int, int]) -> None:
    """Name the variables that are set, by index and code, in the closing line and in the figures of the run."""
    if fixed:
        spelled = {model.variables[v].name: model.variables[v].known_states[state] for v, state in fixed.items()}
        found.closing = f"do({', '.join(map('='.join, spelled.items()))}); {found.closing}"
        found.figures["do"] = spelled


def with_interventions(rows: Rows, column: str, fixed: Mapping[int, int]) -> Rows:
    """The rows with a column that names the variables that are set, `fixed` by index and code; empty for none."""
    import numpy as np

    from formats.data_records import Variable
    from formats.tables.row_columns import SEPARATOR

    names = [variable.name for variable in rows.variables]
    if not column.strip():
        raise UsageError("--interventions: the name of the column is empty.")
    if column in names:
        raise UsageError(f"--interventions: the network has a variable {column!r}; give the column another name.")
    named = [names[v] for v in sorted(fixed)]
    split = next((name for name in named if SEPARATOR in name), None)
    if split is not None and len(named) > 1:
        raise UsageError(
            f"--interventions: the name {split!r} has a {SEPARATOR!r}, which separates names; rename it."
        )

    def batches() -> Iterator[np.ndarray]:
        for batch in rows.batches:
            yield np.concatenate([batch, np.zeros((1, batch.shape[1]), batch.dtype)])

    return replace(rows, variables=(*rows.variables, Variable(column, (SEPARATOR.join(named),))), batches=batches())
