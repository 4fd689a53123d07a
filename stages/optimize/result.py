"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search returns.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        Index into the table's sets chosen for every variable.
    facts : dict
        Header entries: ``restarts``, ``orders`` (evaluated), ``bound``, ``gap``, and under a treewidth bound
        ``elimination`` (an elimination order that certifies the width).
    stats : dict
        Figures for ``--stats`` (durations, rates, per-restart columns); never written to the network.
    """

    chosen: np.ndarray
    facts: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
