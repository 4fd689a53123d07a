"""What a prior of arcs adds to local scores: a sum over the parents, see `formats.arc_priors`.

Every gain is a multiple of the quantum of scores, so sums are exact: a family has the same score however it was
computed, and gains can be subtracted again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formats.arc_priors import ArcPrior
from formats.errors import UnsuitableData


class ArcGains:
    """The gains of arcs between the variables of a table, nats.

    Raises `UnsuitableData` if a variable with one state has an arc that gains: searches give it no arcs, since none
    changes a likelihood.
    """

    def __init__(self, prior: ArcPrior, names: Sequence[str], n_states: Sequence[int], quantum: float):
        self.n_variables = len(names)
        index = {name: variable for variable, name in enumerate(names)}
        self._of: dict[int, dict[int, float]] = {}
        for (one, other), odds in prior.log_odds().items():
            gain = round(odds / quantum) * quantum
            if not gain or one not in index or other not in index:
                continue
            parent, child = index[one], index[other]
            for variable in (parent, child):
                if gain > 0.0 and n_states[variable] < 2:
                    raise UnsuitableData(
                        f"it has one state, and the prior favours the arc {one}->{other}, which no search tries",
                        column=names[variable],
                        remedy="leave the arc out of the prior, or the column out of the data",
                    )
            self._of.setdefault(child, {})[parent] = gain

    def __bool__(self) -> bool:
        return bool(self._of)

    def row(self, child: int) -> np.ndarray:
        """The gain of each variable as a parent of `child`, float64, shape (n_variables,)."""
        gains = np.zeros(self.n_variables)
        known = self._of.get(child, {})
        gains[list(known)] = list(known.values())
        return gains

    def of_set(self, child: int, parents: Sequence[int]) -> float:
        """The gain of a parent set."""
        known = self._of.get(child)
        return sum(known.get(parent, 0.0) for parent in parents) if known else 0.0

    def largest(self, child: int, required: Sequence[int], allowed: np.ndarray, most_added: int) -> float:
        """The largest gain of a set of the required parents and at most `most_added` of the allowed ones."""
        gains = np.sort(self.row(child)[allowed])[::-1][: max(0, most_added)]
        return self.of_set(child, required) + float(gains[gains > 0.0].sum())

    def add_to_tile(self, children: tuple[int, int], parents: tuple[int, int], scores: np.ndarray) -> None:
        """Add the gains of single parents to ``scores[child - children[0], parent - parents[0]]``; ranges are first
        and end.
        """
        for child in range(*children):
            if child in self._of:
                scores[child - children[0]] += self.row(child)[slice(*parents)]
