"""Forecast of a search for a network: memory, times, and what its bound will be about."""

from __future__ import annotations

from formats.records import Network, ParentSetTable
from stages.parentsets.memory import SLACK
from stages.runtime.memory import taken_bytes

from . import METHODS, OptimizeOptions, Task
from .bounds.claims import ALL, KEEPING_FOREST, claim_of_lists, claim_of_scores
from .bounds.subset_dp import subset_bytes, subsets_fit
from .pricing.loop import MOST_BYTES

GROWTH_BYTES = 6 << 20
"""Memory that growing lists take in a second of a thread at most; measured on tables of 16 to 1,556 columns."""

BYTES_PER_SET = 100
"""Memory of a set with its score, at most."""


def proof_text(
    options: OptimizeOptions, table: ParentSetTable | None, found: Network | None, keeps_forest: bool = False
) -> str:
    """What a run will say about the networks that it did not find.

    `table` has the listed sets of a search among these, `found` is the network of the run that was stopped for the
    forecast; `keeps_forest`: a search on data keeps a screening forest.
    """
    facts = {} if found is None else found.header.extra
    if found is not None and "bound" not in facts:
        return f"nothing: method {options.method} computes no upper bound"
    claim = facts.get("bound_relative_to")
    if table is not None:
        claim = claim or claim_of_lists(table, options)
        if options.method == "exact":
            return f"the best of {claim}, once the search ends; until then an upper bound for them"
        return f"the best of {claim}" if options.method == "forest" else f"an upper bound, at any moment, for {claim}"
    if claim is not None and claim.startswith(ALL):
        return f"an upper bound for {claim}"
    all_sets = claim_of_scores(options) + (KEEPING_FOREST if keeps_forest else "")
    return f"an upper bound for networks of the sets listed at the end; where all sets can be listed, for {all_sets}"


def memory_bytes(
    options: OptimizeOptions, n_variables: int, reading: int, on_data: bool, seconds: float | None, is_there: bool
) -> int:
    """Most memory of the run: what was taken until its first network (at least `reading` bytes), and what comes
    after it.

    - `seconds`: time of the run, None for no limit; lists that grow on data take more and more.
    - `is_there`: whether there was a network; the tables of an exact search over subsets come before it.
    """
    now, most = taken_bytes()
    most = max(reading, most)
    if not on_data:
        is_dynamic = options.method == "exact" and not is_there and subsets_fit(n_variables)
        return max(most, now + subset_bytes(n_variables)) if is_dynamic else most
    if not grows_lists(options):
        return int(SLACK * most)
    by_time = MOST_BYTES if seconds is None else int(options.jobs * seconds * GROWTH_BYTES)
    return most + min(MOST_BYTES, by_time, (n_variables << min(n_variables, 60)) * BYTES_PER_SET)


def grows_lists(options: OptimizeOptions) -> bool:
    """Whether a search on data grows candidate lists, by pricing."""
    assert options.method is not None
    return "sets" in METHODS[options.method].variants[Task(True, options.treewidth is not None)].options
