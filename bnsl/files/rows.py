"""Rows of data that a function makes batch by batch: the command line writes them as they come, Python collects them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow

    from formats.graph_records import BayesianNetwork


def collected(variables: Any, batches: Iterable[np.ndarray]) -> pyarrow.Table:
    """Batches of codes (shape (n_variables, n_rows)) as one table of states."""
    import numpy as np
    import pyarrow

    codes = np.concatenate([np.empty((len(variables), 0), np.int32), *batches], axis=1)
    columns = [
        pyarrow.DictionaryArray.from_arrays(pyarrow.array(cells, pyarrow.int32()), list(variable.known_states))
        for variable, cells in zip(variables, codes.astype(np.int32))
    ]
    return pyarrow.table(columns, names=[variable.name for variable in variables])


class DrawnRows(NamedTuple):
    """Rows drawn from a network."""

    model: BayesianNetwork
    batches: Iterable[np.ndarray]

    def to_arrow(self) -> pyarrow.Table:
        """All rows as one table."""
        return collected(self.model.variables, self.batches)
