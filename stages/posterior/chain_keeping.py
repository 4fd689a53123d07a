"""Chains that are saved at intervals, and continued by a later run.

What is saved determines all that follows: the networks of all rungs, with the order in which children are listed, the
state of each random generator, and the samples so far. So a run that is continued draws the same networks as an
unbroken one, if the chains were saved between two samples, as they are while a run goes on. A stopped run ends
its chains within a sample; they go on from there, and later samples differ from the samples of an unbroken run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from formats.chain_records import SavedChains
from formats.proof_records import digest_of_sets
from formats.records import ParentSetTable
from formats.sets.listed_sets import offsets_of
from stages.kernels.posterior.block_moves import Walk
from stages.lists.set_lists import keep_sets
from stages.runtime.errors import StageError

WALKS = ("chosen", "children", "n_children")
"""Fields of `Walk` that are no scratch and differ from chain to chain."""


@dataclass(eq=False)
class ChainKeeper:
    """Passes the state of the chains to `keep` every `seconds`, and at the end if there is more to draw.

    - `keep`: receives the state.
    - `earlier`: the state to go on from; None to begin anew.
    """

    seconds: float
    keep: Callable[[SavedChains], None]
    earlier: SavedChains | None = None
    # Monotonic clock at which the state is due, whether it was ever passed, and whether it is of use after the run.
    due: float = field(init=False)
    has_kept: bool = field(default=False, init=False)
    is_unfinished: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.due = time.monotonic() + self.seconds

    @property
    def is_due(self) -> bool:
        """Whether the interval is over."""
        return time.monotonic() >= self.due

    def take(self, state: SavedChains) -> None:
        """Pass the state on; the next interval begins."""
        self.keep(state)
        self.has_kept = True
        self.due = time.monotonic() + self.seconds


def walk_arrays(walks: list[Walk]) -> dict[str, np.ndarray]:
    """What determines the further moves of these walks, an array over all chains for each of `WALKS`."""
    return {name: np.array([getattr(walk, name) for walk in walks]) for name in WALKS}


def check_saved(chains: SavedChains, table: ParentSetTable, n_chains: int, n_rungs: int, seed: int) -> None:
    """Raise `StageError` unless the chains are whole, of a run on these lists with these settings."""
    facts = chains.facts
    if facts.get("sets") != digest_of_sets(table):
        raise StageError(
            "the saved chains are of other parent sets, scores, prior or knowledge\n  go on with the same inputs, or "
            "begin anew without --resume"
        )
    for name, given in (("chains", n_chains), ("rungs", n_rungs), ("seed", seed)):
        if facts.get(name) != given:
            raise StageError(
                f"the saved chains are of a run with --{name} {facts.get(name)}, not {given}\n  leave the option "
                "out, or begin anew without --resume"
            )
    sets, totals = chains.arrays.get("sets"), chains.arrays.get("totals")
    if sets is None or totals is None or sets.dtype != np.int32 or totals.dtype != np.float64:
        raise damaged()
    is_whole = totals.shape[:1] == (n_chains,) and sets.shape == (*totals.shape, table.n_variables)
    if not is_whole or ((sets < table.set_offsets[:-1]) | (sets >= table.set_offsets[1:])).any():
        raise damaged()


def continued(fresh: Walk, table: ParentSetTable, arrays: dict[str, np.ndarray], number: int) -> Walk:
    """The walk of the chain `number` where it was saved; `fresh` is one of the same lists and rungs.

    Raises `StageError` if the arrays are no networks of listed sets.
    """
    saved = {name: np.array(arrays[name][number]) for name in WALKS if name in arrays}
    expected = fresh._asdict()
    if len(saved) < len(WALKS) or any(
        array.shape != expected[name].shape or array.dtype != expected[name].dtype for name, array in saved.items()
    ):
        raise damaged()
    walk = fresh._replace(**saved)
    n_rungs, n = walk.chosen.shape
    is_listed = (walk.chosen >= table.set_offsets[:-1]) & (walk.chosen < table.set_offsets[1:])
    if not is_listed.all():
        raise damaged()
    for rung in range(n_rungs):
        families = keep_sets(table, walk.chosen[rung])[1]
        arcs = families.members.astype(np.int64) * n + np.repeat(np.arange(n), families.sizes)
        counts = walk.n_children[rung]
        if not np.array_equal(counts, np.bincount(families.members, minlength=n)):
            raise damaged()
        parents = np.repeat(np.arange(n), counts)
        places = np.repeat(walk.child_offsets[:-1], counts) + np.arange(len(parents)) - offsets_of(counts)[parents]
        if not np.array_equal(np.sort(arcs), np.sort(parents * n + walk.children[rung][places])):
            raise damaged()
    return walk


def damaged() -> StageError:
    """The error of saved chains that are no chains of networks of listed sets."""
    return StageError("the saved chains are damaged\n  begin anew, without --resume")
