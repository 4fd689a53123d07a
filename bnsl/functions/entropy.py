"""`bnsl.entropy`: data to entropies and conditional entropies."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Unpack

from ..options.data import InterventionOptions, PairsOfColumns, Reading
from ..options.option import Argument, Source
from ..options.shared import Jobs
from ..results import Deliverable
from ..running.function import MessageOptions, Run, delivering
from ..tables import Table

if TYPE_CHECKING:
    from formats.records import EntropyTable


class EntropyOptions(PairsOfColumns, InterventionOptions, MessageOptions, total=False):
    """Options of `entropy`."""

    jobs: Jobs


@dataclass
class Entropies(Deliverable[Table]):
    """Entropies of variables and of pairs."""

    record: "EntropyTable"

    def for_python(self) -> Table:
        """A row for each variable."""
        from formats.tables.results.entropy_tables import entropy_table

        return Table(entropy_table(self.record))


@delivering
def entropy(
    run: Run,
    data: Annotated[Source, Argument("DATA", is_standard_input=True), "The table."] = None,
    **options: Unpack[EntropyOptions],
) -> Entropies:
    """Compute entropies of variables and conditional entropies of pairs, in nats.

    Returns
    -------
    Table
        A row for each variable: its entropy, and its conditional entropies given each variable, in the order of the
        rows.

    Examples
    --------
    >>> table = bnsl.entropy({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}, quiet=True)
    >>> [round(entropy, 4) for entropy in table["entropy"].to_pylist()]
    [0.6931, 0.6931]
    """
    from stages.screening.entropies import compute_entropies

    reading = Reading(**options)
    return Entropies(compute_entropies(reading.open(data, run.reporter), options["jobs"], run.reporter))
