"""What a search keeps for a proof of its bound: multipliers that excluded sets or bound networks.

`proof_assembly` makes the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .cuts import Origin


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
    """A node of a search tree, as a proof needs it; see `formats.proof_records.Node`."""

    above: TreeNode | None = None
    pair: tuple[int, ...] = ()  # the first variable precedes the second
    exclusions: list[Prices] = field(default_factory=list)  # multipliers that excluded sets, oldest first
    best: Prices | None = None  # multipliers of its best bound
    is_solved: bool = False  # whether the residual problem was solved for the bound
