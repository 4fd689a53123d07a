"""Rows of data, made batch by batch: the command line writes each batch at once, Python collects them all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..results import Deliverable

if TYPE_CHECKING:
    import numpy as np

    from formats.data_records import Variable
    from formats.records import Parameters

    from ..native_tables import StateValues
    from ..tables import Table


@dataclass
class Rows(Deliverable["Table"]):
    """Rows of data.

    - `batches`: codes of states, shape (n_variables, n_rows); may be read once.
    - `closing`: the closing line.
    - `figures`: figures of the run.
    - `model`: the parameters that the rows are drawn by, if there are any.
    - `source`: the table of pandas that the rows are made from, if it is one.
    - `learnt`: the values that states have in the table learnt from.
    """

    variables: Sequence[Variable]
    batches: Iterable[np.ndarray]
    closing: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    model: Parameters | None = None
    source: Any = None
    learnt: Mapping[str, StateValues] = field(default_factory=dict)

    def for_python(self) -> Table:
        """All rows as one table; states have the values learnt from, or are categories in their order."""
        import numpy as np
        import pyarrow

        from formats.tables.arrow_arrays import array_of, text_array

        from ..native_tables import table_of
        from ..tables import is_pandas

        codes = np.concatenate([np.empty((len(self.variables), 0), np.int32), *self.batches], axis=1)
        columns = {
            variable.name: self.learnt[variable.name].of_codes(cells)
            if variable.name in self.learnt
            else pyarrow.DictionaryArray.from_arrays(array_of(cells), text_array(variable.known_states), ordered=True)
            for variable, cells in zip(self.variables, codes.astype(np.int32))
        }
        # Where rows were left out or repeated, none has the label of another.
        labels = self.source.index if is_pandas(self.source) and len(self.source) == codes.shape[1] else None
        return table_of(columns, labels)
