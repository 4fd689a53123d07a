"""Memory of a run: what reading takes, the part independent of searches, and the sets that searches may hold."""

from __future__ import annotations

from stages.runtime.errors import StageError
from stages.runtime.memory import FREE_SHARE, PROGRAM_BYTES, format_bytes, free_bytes, taken_bytes
from stages.scoring.candidate_prefilter import RowSample
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_functions import SetFunctions

from .found_sets import BYTES_PER_SET

WORKER_BYTES = 16 << 20
"""Program memory that a forked process changes and therefore no longer shares; measured."""

VALUES_SHARE = 0.25
"""Share of the free memory that values of sets may take."""

LEAST_SETS = 10_000
"""Sets that a search may always hold, however little memory is free."""

SLACK = 1.5
"""Memory of all sets over the memory of the running searches: results that wait for their turn take half as much
again.
"""

READING_SPREAD = 0.3
"""Share by which what reading takes for a while differs between runs, since threads hold several blocks; measured."""


def reading_bytes() -> int:
    """Most memory that a run with the same data may take until it has read them; called when they are read."""
    now, most = taken_bytes()
    return most + int(READING_SPREAD * (most - now))


def resident_bytes(scorer: FamilyScorer, sample: RowSample | None, jobs: int) -> int:
    """Memory independent of what searches find: program, data, packed data and the scratch arrays of each worker."""
    scorers = [scorer, *scorer.parts.values()] if sample is None else [scorer, sample.likelihood]
    total = PROGRAM_BYTES
    if jobs > 1:
        total += jobs * WORKER_BYTES
    for each in scorers:
        # The packed codes may be the codes of the table itself.
        arrays = {id(array): array.nbytes for array in (each.dataset.codes, *each.data)}
        total += sum(arrays.values())
        total += jobs * sum(array.nbytes for array in each.workspace())
    return total


def shared_values(
    scorer: FamilyScorer, max_parents: int, memory: int | None = None, resident: int = 0
) -> SetFunctions | None:
    """Values of sets for complete enumerations, in a share of the free memory; None if the scores cannot use them."""
    free = free_bytes() if memory is None else max(0, memory - resident)
    return scorer.set_functions(max_parents, VALUES_SHARE * free)


def most_sets(memory: int | None, resident: int, jobs: int) -> int:
    """Sets that the search of one child may hold, so that `jobs` of them fit into `memory` bytes.

    Without a limit they may take `FREE_SHARE` of the machine's free memory.

    Raises
    ------
    StageError
        The limit does not even hold the data.
    """
    if memory is None:
        return max(LEAST_SETS, int(FREE_SHARE * free_bytes() / (SLACK * jobs * BYTES_PER_SET)))
    sets = int((memory - resident) / (SLACK * jobs * BYTES_PER_SET))
    if sets < 1:
        raise StageError(
            f"--memory {format_bytes(memory)} is too little: the data alone take {format_bytes(resident)}"
            f"{' with that many workers' if jobs > 1 else ''}; allow more"
        )
    return sets
