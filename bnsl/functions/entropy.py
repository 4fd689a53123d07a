"""`bnsl.entropy`: data to entropies and conditional entropies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..options.data import DataOptions, data_options_with
from ..options.declared import argument
from ..options.shared import jobs_option
from ..running.function import Run, function
from ..tables import Table

if TYPE_CHECKING:
    from formats.records import EntropyTable


def _finish(table: EntropyTable) -> Table:
    from formats.tables.results.entropies import entropy_table

    return Table(entropy_table(table))


@function(finish=_finish)
def entropy(
    data: Any = argument("DATA", is_standard_input=True),
    data_options: DataOptions = data_options_with("pairs", is_alone=True, counts_families=True),
    jobs: int = jobs_option(),
    *,
    run: Run,
) -> EntropyTable:
    """Compute entropies of variables and conditional entropies of pairs, in nats.

    Returns
    -------
    Table
        For each variable its entropy, and its conditional entropies in the order of the rows.

    Examples
    --------
    >>> table = bnsl.entropy({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}, quiet=True)
    >>> [round(entropy, 4) for entropy in table["entropy"].to_pylist()]
    [0.6931, 0.6931]
    """
    from stages.screening.entropies import compute_entropies

    return compute_entropies(data_options.open(data, run.reporter), jobs, run.reporter)
