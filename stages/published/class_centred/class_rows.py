"""The class of each row predicted by a network whose parameters are from all other rows (left-one-out)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stages.optimize.result import Parents

SMOOTHING = 5.0
"""Rows added to each configuration of a variable's parents, distributed as the variable is on the whole (Friedman,
Geiger and Goldszmidt 1997, who take 5)."""


class ClassRows:
    """Rows whose class is predicted from the counts of all other rows.

    Only the class's own family and the families of its children matter. The shares by which counts are smoothed are
    of all rows. `codes` is uint8, shape (n, rows); `n_states` has the shape (n,); `target` is the class.
    """

    def __init__(self, codes: np.ndarray, n_states: np.ndarray, target: int):
        self.codes, self.n_states, self.target = codes, n_states, target
        self.classes = codes[target].astype(np.int64)

    def log_likelihood(self, parents: Parents) -> float:
        """Log-likelihood of the class given the other variables, nats, under a network."""
        return self.total(self.joint(parents))

    def joint(self, parents: Parents) -> np.ndarray:
        """Logarithm of the probability of each row with each class in place of its own, less what is the same for all
        classes; float64, shape (rows, classes).
        """
        logs = self.family(self.target, parents[self.target])
        for child, family in enumerate(parents):
            if self.target in family:
                logs += self.family(child, family)
        return logs

    def total(self, logs: np.ndarray) -> float:
        """Log-likelihood of the class, nats, by the logarithms of `joint`."""
        peaks = logs.max(axis=1)
        totals = np.log(np.exp(logs - peaks[:, None]).sum(axis=1)) + peaks
        return float((logs[np.arange(len(logs)), self.classes] - totals).sum())

    def family(self, variable: int, parents: Sequence[int]) -> np.ndarray:
        """What a family adds to `joint`; it is the family of the class, or the class is among the parents.

        Only the row's own class counts the row itself, which is left out there.
        """
        n_rows, n_classes, size = len(self.classes), int(self.n_states[self.target]), int(self.n_states[variable])
        own = np.arange(n_rows), self.classes
        states = self.codes[variable].astype(np.int64)
        configurations, n_configurations = np.zeros(n_rows, np.int64), 1
        for parent in parents:
            if parent != self.target:
                configurations = configurations * int(self.n_states[parent]) + self.codes[parent]
                # Configurations that occur are numbered anew, so there are never more of them than rows.
                _, configurations = np.unique(configurations, return_inverse=True)
                n_configurations = int(configurations.max()) + 1
        marginal = (np.bincount(states, minlength=size) + 1.0) / (n_rows + size)
        cells = configurations * size + states
        if variable == self.target:
            # All classes share the row's configuration, hence its total.
            found = np.bincount(cells, minlength=n_configurations * size) + np.tile(
                SMOOTHING * marginal, n_configurations
            )
            logs: np.ndarray = np.log(found).reshape(-1, size)[configurations]
            logs[own] = np.log(found[cells] - 1.0)
            return logs
        counts = np.bincount(cells * n_classes + self.classes, minlength=n_configurations * size * n_classes)
        counts = counts.reshape(n_configurations, size, n_classes)
        totals = counts.sum(axis=1) + SMOOTHING
        weights = counts + SMOOTHING * marginal[:, None]
        logs = np.log(weights / totals[:, None]).reshape(-1, n_classes)[cells]
        left = weights[configurations, states, self.classes] - 1.0
        logs[own] = np.log(left / (totals[configurations, self.classes] - 1.0))
        return logs
