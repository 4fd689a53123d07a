"""Small data sets for tests."""

from __future__ import annotations

import numpy as np

from formats.data_records import Dataset, Variable
from formats.records import ParentSetTable


def make_dataset(codes: np.ndarray, n_states: list[int]) -> Dataset:
    """A data set of these codes (n_variables, n_rows), with states named by their codes."""
    variables = tuple(Variable(f"V{i}", tuple(str(s) for s in range(states))) for i, states in enumerate(n_states))
    return Dataset(variables, np.ascontiguousarray(codes, dtype=np.uint8), "sha256:test")


def dependent_dataset(
    seed: int, n_variables: int, n_rows: int, most_states: int = 4, noise: float = 0.3, least_states: int = 1
):
    """Random data in which every variable depends on up to two earlier ones; returns (dataset, rows).

    Rows are tuples of ints for the plain twins. With little noise many rows are equal.
    """
    rng = np.random.default_rng(seed)
    n_states = [int(rng.integers(least_states, most_states + 1)) for _ in range(n_variables)]
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    for i in range(n_variables):
        sources = rng.choice(i, size=min(i, 2), replace=False).tolist() if i else []
        signal = sum((codes[s].astype(int) * int(rng.integers(1, 4)) for s in sources), np.zeros(n_rows, int))
        fresh = rng.choice(n_states[i], size=n_rows, p=rng.dirichlet(np.full(n_states[i], 0.7)))
        codes[i] = np.where(rng.random(n_rows) < noise, fresh, signal % n_states[i])
    rows = [tuple(int(c) for c in codes[:, k]) for k in range(n_rows)]
    return make_dataset(codes, n_states), rows


def set_arrays(table: ParentSetTable) -> dict[str, np.ndarray]:
    """All arrays of a table of parent sets, by name."""
    return {name: value for name, value in vars(table).items() if isinstance(value, np.ndarray)}
