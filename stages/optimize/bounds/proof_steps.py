"""What a search keeps for a proof of its bound: multipliers that excluded sets or bound networks; see `proofs`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .cuts import Origin

if TYPE_CHECKING:
    from .lagrangian import BoundSearch


class Prices(NamedTuple):
    """Positive multipliers."""

    origins: tuple[Origin, ...]  # the cuts
    multipliers: tuple[float, ...]  # in nats


def positive_prices(origins: list[Origin], multipliers: np.ndarray) -> Prices:
    """The cuts of a pool that have a positive multiplier."""
    used = np.flatnonzero(multipliers > 0.0).tolist()
    return Prices(tuple(origins[c] for c in used), tuple(multipliers[used].tolist()))


@dataclass(eq=False)
class TreeNode:
    """A node of a search tree: what a proof needs of it, see `formats.proof_records.Node`."""

    above: TreeNode | None = None
    before: tuple[int, ...] = ()
    exclusions: list[Prices] = field(default_factory=list)  # multipliers that excluded sets, oldest first
    best: Prices | None = None  # multipliers of its best bound
    is_solved: bool = False  # whether the residual problem was solved for the bound


def root_node(search: BoundSearch) -> TreeNode:
    """The node of all networks, after a search by multipliers."""
    root = TreeNode(best=positive_prices(search.pool.origins, search.multipliers))
    root.exclusions.extend(search.exclusions)
    if search.residual is not None:
        root.exclusions.append(search.residual)
        root.is_solved = True
    return root
