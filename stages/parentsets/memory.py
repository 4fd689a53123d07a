"""What parent-set identification keeps in memory: the part that is there anyway, and what searches may hold."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from stages.runtime.errors import StageError

from .child_search import BYTES_PER_SET, UNLIMITED

if TYPE_CHECKING:
    from stages.scoring.candidate_prefilter import RowSample
    from stages.scoring.family_scorer import FamilyScorer

PROGRAM_BYTES = 240 << 20
"""Interpreter, libraries and compiled kernels; measured."""

WORKER_BYTES = 16 << 20
"""What a forked process changes of the program's memory, so that it no longer shares it; measured."""

FREE_SHARE = 0.9
"""Share of the machine's free memory that searches may take where no limit is given."""

LEAST_SETS = 10_000
"""Sets that a search may hold whatever is free."""

SLACK = 1.5
"""Results that wait for their turn take half as much as the searches that run."""


def resident_bytes(scorer: FamilyScorer, sample: RowSample | None, jobs: int) -> int:
    """Memory taken whatever the searches find: program, data, packed data and every worker's own."""
    scorers = [scorer] if sample is None else [scorer, sample.likelihood]
    total = PROGRAM_BYTES
    if jobs > 1:
        total += jobs * WORKER_BYTES
    for each in scorers:
        # The packed codes may be those of the table.
        arrays = {id(array): array.nbytes for array in (each.dataset.codes, *each.data)}
        total += sum(arrays.values())
        total += jobs * sum(array.nbytes for array in each.workspace())
    return total


def free_bytes() -> int:
    """Memory that the machine has left for us, or that our control group allows; very much where nobody knows."""
    free = UNLIMITED
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) << 10
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        free = min(
            free, int((group / "memory.max").read_text()) - int((group / "memory.current").read_text())
        )
    return max(0, free)


def most_sets(memory: int | None, resident: int, jobs: int) -> int:
    """Sets that the search of one child may hold, so that `jobs` of them fit into `memory` bytes.

    Without a limit they may take what the machine has left, nearly.

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


def format_bytes(size: float) -> str:
    """A size in the unit that suits it: 870 MiB, 1.5 GiB."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
