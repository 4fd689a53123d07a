"""Entropies of all variables and conditional entropies of all pairs.

All pairwise contingency tables come from Gram products of indicator columns: matrix products are the fastest counting
in numpy, and loading compiled kernels would take longer than most data sets need. Sums of m ln m are in fixed point:
integer sums are exact, so tables that differ only in the order of their cells give the same bits, and a deterministic
relation gives exactly 0. Screening relies on both.

If cells are missing, each pair is counted in the rows that show both variables (available pairs): missing cells are
an additional state, which is then dropped from the contingency tables.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from formats.data_records import MAX_STATES, Dataset, Variable
from formats.errors import Inconsistent, UnsuitableData
from formats.records import EntropyTable
from stages.runtime.budgets import slices
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map

BLOCK_CELLS = 1024
"""Limit of the total number of states of a block's variables, and of a panel's blocks. So the product of two panels
has at most about 1024 x 1024 cells, large enough for fast matrix products.
"""

INDICATOR_ELEMENTS = 2**22
"""Elements of a panel's indicators (16 MiB of float32); it limits the rows per product. A product never covers more
than 2**24 rows: up to this, every integer is a float32, so the products are exact.
"""

TABLE_ENTRIES = 2**22
"""Largest number of rows for which m ln m is looked up in a table (32 MiB); beyond it, it is computed per cell."""


def compute_entropies(data: Dataset, jobs: int = 1, reporter: Reporter | None = None) -> EntropyTable:
    """Plug-in entropies of every variable and of every variable given every other.

    `jobs` threads work on pairs of panels; 0 means all cores. numpy's BLAS may start more, unless
    ``OMP_NUM_THREADS=1`` is set before numpy is loaded, as the command line does.

    Entropies are in nats. ``conditional[i, j]`` = H(X_i | X_j) is in [0, H(X_i)], and exactly 0 if and only if X_j
    determines X_i in the data. The same bits for any `jobs`. H(X) and H(X|Y) are over the rows in which X was not
    set. With missing cells H(X) is over the rows that show X, and H(X|Y) over the rows that show both. So H(X|Y) may
    exceed H(X); if no row shows both, it is H(X). Raises `UnsuitableData` if there are no rows, a variable was set in
    all, or a variable with holes has 256 states.

    N H(X|Y) = sum over y of [f(N_y) - sum over x of f(N_xy)] with f(m) = m ln m. Memory besides the result is about
    60 MiB per thread, for any number of rows and variables.
    """
    is_incomplete = data.is_hidden is not None
    dataset = _mark_holes(data) if is_incomplete else data
    if dataset.n_rows == 0:
        raise UnsuitableData("there are no rows to count", remedy="the table needs at least one row of data")
    information = FixedPoint.for_rows(dataset.n_rows)
    panels = _make_panels(_make_blocks(dataset, information))
    marginal = np.empty(dataset.n_variables)
    for block in itertools.chain.from_iterable(panels):
        marginal[block.variables] = _single_entropies(information, block, is_incomplete)
    conditional = np.empty((dataset.n_variables, dataset.n_variables), dtype=np.float64)
    pair_entropies = _available_entropies if is_incomplete else _pair_entropies

    def fill(pair: tuple[Panel, Panel]) -> None:
        left, right = pair
        together = _gram(dataset, left, right)
        for (rows, above), (columns, before) in itertools.product(_places(left), _places(right)):
            if left is right and above.start > before.start:
                continue
            of_rows, of_columns = pair_entropies(information, rows, columns, together[above, before])
            for found, largest in (
                (of_rows, marginal[rows.variables, None]),
                (of_columns, marginal[columns.variables]),
            ):
                # Rounding of the terms may raise H(X|Y) of independent variables above H(X). Over the rows of a pair
                # alone H(X|Y) may exceed H(X); infinity stands for a pair without rows.
                np.copyto(found, largest, where=np.isinf(found) if is_incomplete else found > largest)
            conditional[np.ix_(rows.variables, columns.variables)] = of_rows
            conditional[np.ix_(columns.variables, rows.variables)] = of_columns.T

    n_pairs = len(panels) * (len(panels) + 1) // 2
    pairs = itertools.combinations_with_replacement(panels, 2)
    for done, _ in enumerate(ordered_map(fill, pairs, jobs), start=1):
        if reporter is not None:
            reporter.progress(done, n_pairs, "pairs of blocks")
    np.fill_diagonal(conditional, 0.0)
    counted = _count_where_free(data, marginal, conditional)
    return EntropyTable(data.variables, data.n_states, marginal, conditional, data.n_rows, data.fingerprint, counted)


def _count_where_free(dataset: Dataset, marginal: np.ndarray, conditional: np.ndarray) -> np.ndarray | None:
    """Replace the entropies of each variable that was set by those over the rows in which it was not; the number of
    these rows by variable, None if none was set.
    """
    if dataset.interventions is None:
        return None
    dataset.require_free_rows()
    counted, n_states = np.full(dataset.n_variables, dataset.n_rows), dataset.n_states.tolist()
    for child in dataset.interventions.variables:
        free = np.flatnonzero(dataset.interventions.is_free(child))
        counted[child] = len(free)
        information, own = FixedPoint.for_rows(len(free)), dataset.codes[child, free].astype(np.int64)
        for other, r in enumerate(n_states):
            given = dataset.codes[other, free] if other != child else np.zeros(len(free), dtype=np.uint8)
            cells = np.bincount(given * np.int64(n_states[child]) + own, minlength=r * n_states[child])
            table = cells.reshape(-1, n_states[child])
            # f(N_y) of each state y of the other less f(N_xy) of its cells.
            terms = information.of_counts(table.sum(axis=1)).sum() - information.of_counts(table).sum()
            found = float(information.to_nats(terms))
            if other == child:
                marginal[child] = found
            else:
                conditional[child, other] = found
        np.minimum(conditional[child], marginal[child], out=conditional[child])
    return counted


def mutual_information(table: EntropyTable, names: Sequence[str], source: str) -> np.ndarray:
    """Rows times mutual information of all pairs, in nats.

    `names` gives variables and order of the result; the table may have others. `source` is the table's origin, for
    messages. Returns float64, shape (n, n): symmetric, nonnegative, 0 on the diagonal. Raises `Inconsistent` if a
    variable is not in the table.
    """
    places = {variable.name: place for place, variable in enumerate(table.variables)}
    missing = [name for name in names if name not in places]
    if missing:
        what = f"variable {missing[0]!r} is" if len(missing) == 1 else f"{len(missing)} variables are"
        others = "" if len(missing) == 1 else f", {missing[0]!r} for one"
        raise Inconsistent(f"{what} missing here{others}; variables are matched by name", source=source)
    wanted = [places[name] for name in names]
    # Over the rows of a pair H(X|Y) may exceed H(X), which is over other rows.
    shared = table.rows_of[wanted, None] * np.maximum(
        table.entropy[wanted, None] - table.conditional[np.ix_(wanted, wanted)], 0.0
    )
    # For complete rows both directions agree up to rounding.
    shared = (shared + shared.T) / 2
    np.fill_diagonal(shared, 0.0)
    return shared


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """f(m) = m ln m as integers: ``round(f(m) * 2**shift)`` for counts m of at most `n_rows`.

    The shift is the largest that surely keeps f(n_rows) below 2**61. f is superadditive, so a sum of f over the
    cells of a table is at most f(n_rows) and does not overflow.
    """

    n_rows: int
    shift: int
    total: int
    table: np.ndarray | None

    @classmethod
    def for_rows(cls, n_rows: int) -> FixedPoint:
        largest = n_rows * math.log(n_rows)
        shift = 61 - math.frexp(largest)[1]
        table = None
        if n_rows < TABLE_ENTRIES:
            table = _fixed_point_information(np.arange(n_rows + 1, dtype=np.float64), shift)
        total = _fixed_point_information(np.array([n_rows], dtype=np.float64), shift)[0]
        return cls(n_rows, shift, int(total), table)

    def of_counts(self, counts: np.ndarray) -> np.ndarray:
        """f of integral `counts` (any float type) as int64, of the same shape."""
        if self.table is not None:
            # Counts are at most n_rows; mode "clip" only saves the bounds check.
            return np.take(self.table, counts.astype(np.intp), mode="clip")
        return _fixed_point_information(counts.astype(np.float64), self.shift)

    def to_nats(self, values: np.ndarray, n_rows: np.ndarray | None = None) -> np.ndarray:
        """Entropies in nats: `values` divided by the scale and the number of rows; infinity for 0 rows."""
        if n_rows is None:
            return values / (self.n_rows * 2.0**self.shift)
        scaled = values / (np.maximum(n_rows, 1) * 2.0**self.shift)
        return np.where(n_rows > 0, scaled, np.inf)


def _fixed_point_information(counts: np.ndarray, shift: int) -> np.ndarray:
    terms = np.log(np.maximum(counts, 1.0))
    terms *= counts
    return np.rint(np.ldexp(terms, shift)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Block:
    """Variables with equal numbers of states, counted together."""

    variables: np.ndarray  # int64, shape (n,): ascending indices
    n_states: int
    counts: np.ndarray  # float64, shape (n_states, n): rows in each state of each variable
    information: np.ndarray  # int64, shape (n_states, n): f of `counts` in fixed point

    @property
    def n_indicators(self) -> int:
        """The last state of each variable needs no indicator: its counts follow from the others."""
        return (self.n_states - 1) * len(self.variables)


Panel = list[Block]
"""Blocks whose indicators are multiplied together."""


def _make_blocks(dataset: Dataset, information: FixedPoint) -> list[Block]:
    n_states = dataset.n_states
    blocks = []
    for states in np.unique(n_states).tolist():
        members = np.flatnonzero(n_states == states)
        width = max(1, BLOCK_CELLS // states)
        for start, end in slices(len(members), width):
            variables = members[start:end]
            counts = np.empty((states, len(variables)), dtype=np.float64)
            for column, variable in enumerate(variables):
                cells = dataset.codes[variable]  # counting takes eight bytes for each
                parts = (cells[one:end] for one, end in slices(len(cells), INDICATOR_ELEMENTS))
                counts[:, column] = sum(np.bincount(part, minlength=states) for part in parts)
            blocks.append(Block(variables, states, counts, information.of_counts(counts)))
    return blocks


def _make_panels(blocks: list[Block]) -> list[Panel]:
    """Merge small blocks into panels."""
    panels: list[Panel] = []
    cells = BLOCK_CELLS
    for block in blocks:
        cells += block.n_states * len(block.variables)
        if cells > BLOCK_CELLS:
            panels.append([])
            cells = block.n_states * len(block.variables)
        panels[-1].append(block)
    return panels


def _places(panel: Panel) -> Iterator[tuple[Block, slice]]:
    """Blocks of a panel, and the slice of each block's indicators."""
    start = 0
    for block in panel:
        yield block, slice(start, start + block.n_indicators)
        start += block.n_indicators


def _mark_holes(data: Dataset) -> Dataset:
    """The table with missing cells as one more state, the last one."""
    variables, codes = [], data.plain_codes.copy()
    for variable, cells, holes in zip(data.variables, codes, data.holes):
        n_states = len(variable.known_states)
        if n_states == MAX_STATES:
            raise UnsuitableData(f"{MAX_STATES} states leave no room to count missing cells", column=variable.name)
        cells[holes] = n_states
        variables.append(Variable(variable.name, (*variable.known_states, "")))
    return Dataset(tuple(variables), codes, data.fingerprint)


def _single_entropies(information: FixedPoint, block: Block, is_incomplete: bool) -> np.ndarray:
    """H(X) of the variables of a block, nats; 0 without observed cells."""
    if not is_incomplete:
        return information.to_nats(information.total - block.information.sum(axis=0))
    n_rows = block.counts[:-1].sum(axis=0)
    entropies = information.of_counts(n_rows) - block.information[:-1].sum(axis=0)
    return np.where(n_rows > 0, information.to_nats(entropies, n_rows), 0.0)


def _available_entropies(
    information: FixedPoint, rows: Block, columns: Block, together: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As `_pair_entropies`, over the rows in which neither variable is in its last state (missing)."""
    joint = _joint_counts(rows, columns, together)[:-1, :, :-1]
    cells = information.of_counts(joint).sum(axis=(0, 2))
    n_rows = joint.sum(axis=(0, 2))
    given_columns = information.of_counts(joint.sum(axis=0)).sum(axis=1) - cells
    given_rows = information.of_counts(joint.sum(axis=2)).sum(axis=0) - cells
    return information.to_nats(given_columns, n_rows), information.to_nats(given_rows, n_rows)


def _pair_entropies(
    information: FixedPoint, rows: Block, columns: Block, together: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """H(X_i|X_j) and H(X_j|X_i) in nats, both with i in `rows` along the first axis."""
    cells = information.of_counts(_joint_counts(rows, columns, together))
    of_rows = (columns.information - cells.sum(axis=0)).sum(axis=1)
    of_columns = (rows.information[:, :, None] - cells.sum(axis=2)).sum(axis=0)
    return information.to_nats(of_rows), information.to_nats(of_columns)


def _joint_counts(rows: Block, columns: Block, together: np.ndarray) -> np.ndarray:
    """Contingency tables of all pairs, float64, shape (states, n, states, n): state and variable of `rows`, then of
    `columns`.

    `together`, shape (rows.n_indicators, columns.n_indicators), has the counts of all states but the last ones, which
    follow from the marginal counts.
    """
    n_rows, n_columns = len(rows.variables), len(columns.variables)
    joint = np.empty((rows.n_states, n_rows, columns.n_states, n_columns), dtype=np.float64)
    joint[:-1, :, :-1] = together.reshape(rows.n_states - 1, n_rows, columns.n_states - 1, n_columns)
    joint[:-1, :, -1] = rows.counts[:-1, :, None] - joint[:-1, :, :-1].sum(axis=2)
    joint[-1] = columns.counts - joint[:-1].sum(axis=0)
    return joint


def _gram(dataset: Dataset, left: Panel, right: Panel) -> np.ndarray:
    """Number of rows with both indicators, float64, shape (indicators of left, indicators of right)."""
    n_left, n_right = (sum(block.n_indicators for block in panel) for panel in (left, right))
    step = max(INDICATOR_ELEMENTS // max(n_left, n_right, 1), 1024)
    total = np.zeros((n_left, n_right), dtype=np.float64)
    for start, end in slices(dataset.n_rows, step):
        ours = _indicators(dataset, left, start, end)
        theirs = ours if left is right else _indicators(dataset, right, start, end)
        total += ours @ theirs.T
    return total


def _indicators(dataset: Dataset, panel: Panel, start: int, stop: int) -> np.ndarray:
    """Indicators of states, float32, shape (indicators of the panel, rows); per block by state, then by variable."""
    n_rows = min(stop, dataset.n_rows) - start
    places = list(_places(panel))
    indicators = np.empty((places[-1][1].stop, n_rows), dtype=np.float32)
    for block, place in places:
        part = dataset.codes[block.variables, start:stop]
        of_block = indicators[place].reshape(block.n_states - 1, *part.shape)
        for state in range(block.n_states - 1):
            np.equal(part, state, out=of_block[state], casting="unsafe")
    return indicators
