"""Rows of data, made batch by batch: the command line writes them as they come, Python collects them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
    - `model`: the network that they are drawn from, if there is one.
    """

    variables: Sequence[Variable]
    batches: Iterable[np.ndarray]
    closing: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    model: BayesianNetwork | None = None

    def to_arrow(self) -> pyarrow.Table:
        """All rows as one table of states."""
        import numpy as np
        import pyarrow

        codes = np.concatenate([np.empty((len(self.variables), 0), np.int32), *self.batches], axis=1)
        columns = [
            pyarrow.DictionaryArray.from_arrays(pyarrow.array(cells, pyarrow.int32()), list(variable.known_states))
            for variable, cells in zip(self.variables, codes.astype(np.int32))
        ]
        return pyarrow.table(columns, names=[variable.name for variable in self.variables])
