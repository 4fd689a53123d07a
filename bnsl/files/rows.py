"""Rows of data, made batch by batch: the command line writes each batch at once, Python collects them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..tables import Table, completed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow

    from formats.data_records import Variable
    from formats.graph_records import BayesianNetwork


@dataclass
class Rows:
    """Rows of data.

    - `batches`: codes of states, shape (n_variables, n_rows); may be read once.
    - `closing`: the closing line.
    - `figures`: figures of the run.
    - `model`: the network that the rows are drawn from, if there is one.
    - `source`: the table that the rows are made from.
    - `filled`: how its missing cells were filled, if they were.
    """

    variables: Sequence[Variable]
    batches: Iterable[np.ndarray]
    closing: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    model: BayesianNetwork | None = None
    source: Any = None
    filled: str | None = None

    def to_table(self) -> Table:
        """All rows as one table; its categories have the order of the states."""
        if self.filled is not None and self.source is not None:
            return completed(self.source, self._arrow(), self.filled, self.figures.get("seed"))
        return Table(self._arrow(), self.source)

    def _arrow(self) -> pyarrow.Table:
        import numpy as np
        import pyarrow

        codes = np.concatenate([np.empty((len(self.variables), 0), np.int32), *self.batches], axis=1)
        columns = [
            pyarrow.DictionaryArray.from_arrays(
                pyarrow.array(cells, pyarrow.int32()), list(variable.known_states), ordered=True
            )
            for variable, cells in zip(self.variables, codes.astype(np.int32))
        ]
        return pyarrow.table(columns, names=[variable.name for variable in self.variables])
