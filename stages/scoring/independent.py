"""Local scores computed from their definitions by plain counting, to check the results of searches.

Nothing here is shared with the scorer of the searches (`family_scorer`, `stages.kernels.counting`, `scores`): an
error there cannot hide itself. Networks are checked in full (`stages.optimize.verify`), lists of parent sets by
samples; `stages.evaluate` reports these scores. They are in nats, higher is better; empty cells and configurations
contribute nothing.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from formats.errors import VerificationError
from formats.records import ParentSetRecord, ParentSetTable

KNOWN_SCORES = ("ll", "aic", "bic", "bdeu", "k2", "bds", "qnml", "fnml")

SCORE_TOLERANCE = 1e-9
"""Largest relative difference between the score of a search and the score recomputed here."""

ROUNDING = 1e-12
"""Largest absolute difference, as a share of N ln N; searches round their scores to between a tenth and a fifth of
it.
"""

MOST_SAMPLED = 2
"""Largest number of sets of a record drawn at random."""

SMALLEST_EVERY = 16
"""The smallest set is checked for one child out of this number; a power of two."""

SCORES_PER_CHECK = 50_000
"""Local scores of a search per set in the random sample: several hundred times the work of the check (measured on
plants and accidents), since the best set of each child is checked in any case.
"""

PART_ROWS = 1 << 18
"""Rows counted at once."""

FEW_KEYS = 16
"""Up to this many keys, one comparison per key is faster than a histogram of all rows."""

MOST_EMPTY_CELLS = 1 << 12
"""Cells that a table of counts may have even if there are fewer rows."""

SEED_STEP, CHILD_STEP = 0x85EBCA6B, 0x9E3779B1
"""Odd multipliers that spread seeds and children over 32 bits (Knuth's multiplicative hashing)."""

CODE_LIMIT = 2**54
"""Limit on row codes: one more variable of 256 states cannot overflow 64 bits."""

FEW_STATES = 1 << 12
"""Numbers of states up to which regrets follow from one another."""


@dataclass(frozen=True, eq=False)
class IndependentScorer:
    """Local scores of one data set, in nats, counted row by row."""

    dataset: Dataset
    score: str  # one of `KNOWN_SCORES`
    ess: float  # equivalent sample size of ``bdeu`` and ``bds``

    @cached_property
    def _n_states(self) -> list[int]:
        return self.dataset.n_states.tolist()

    @cached_property
    def _rounding(self) -> float:
        """Absolute difference allowed, in nats."""
        n_rows = self.dataset.n_rows
        return max(1e-6, ROUNDING * n_rows * math.log(n_rows + 1))

    def local_score(self, child: int, parents: Sequence[int]) -> float:
        """Local score from its definition, and the logarithm of what the prior of arcs multiplies."""
        counted = local_score(count_family(self.dataset, self._n_states, child, parents), self.score, self.ess)
        return counted + self._log_prior(child, parents)

    def _log_prior(self, child: int, parents: Sequence[int]) -> float:
        """ln(p / (1 - p)) of each arc, ln(q / (2 - 2 q)) of an arc where the adjacency has probability q."""
        given = self.dataset.prior
        if given is None:
            return 0.0
        name, others = self.dataset.names[child], {self.dataset.names[parent] for parent in parents}
        odds = [p / (1.0 - p) for parent, of, p in given.arcs if of == name and parent in others]
        for ends in ((one, other, q) for one, other, q in given.adjacencies if name in (one, other)):
            if (ends[0] if ends[1] == name else ends[1]) in others:
                odds.append(ends[2] / (2.0 - 2.0 * ends[2]))
        return math.fsum(map(math.log, odds))

    def check(self, child: int, parents: Sequence[int], found: float) -> None:
        """Raise `VerificationError` unless `found` is the local score of the family."""
        expected = self.local_score(child, parents)
        if not math.isclose(expected, found, rel_tol=SCORE_TOLERANCE, abs_tol=self._rounding):
            raise VerificationError(f"{self._named(child, parents)}: score {found!r}, but the data give {expected!r}")

    def check_record(
        self, record: ParentSetRecord, seed: int, n_counted: int, known: ParentSetTable | None = None
    ) -> None:
        """Check a list: its best set if it was searched, a random sample of its sets, and that no score is positive.

        The size of the sample depends on the number of local scores that the search computed, not on the clock. The
        sample includes the smallest set of every sixteenth child; the seed determines which children these are.
        Raises `VerificationError` if a check fails.

        Parameters
        ----------
        seed : int
            The seed of the run; the sample depends on it and on the child, and on no other random stream.
        n_counted : int
            Rows that the search counts for a score: fewer than the rows of the data if equal rows are merged.
        known : ParentSetTable, optional
            Sets with scores that were read from a file; these are not checked.
        """
        child, sets, scores = record.child, record.parents, record.scores
        highest = float(scores.max(initial=0.0))
        # Each score is the logarithm of a probability, with or without a penalty subtracted; odds of a prior may
        # exceed 1.
        if highest > self._rounding and self.dataset.prior is None:
            family = self._named(child, sets[int(np.argmax(scores))])
            raise VerificationError(f"{family}: {highest!r} is a positive log-likelihood score")
        places: Sequence[int] = range(len(sets))
        if known is not None:
            given = _sets_of(known, child)
            places = [place for place, parents in enumerate(sets) if parents not in given]
        if not places:
            return
        # Records of thousands of unsearched children are written at once.
        best = () if record.is_unsearched else (places[0],)
        for place in dict.fromkeys((*best, *self._sample(record, places, seed, n_counted))):
            self.check(child, sets[place], float(scores[place]))

    def _sample(self, record: ParentSetRecord, places: Sequence[int], seed: int, n_counted: int) -> Sequence[int]:
        """Places of the sets that are checked at random."""
        share = (record.evaluated or 0) * n_counted / (SCORES_PER_CHECK * max(1, self.dataset.n_rows))
        drawn = (seed * SEED_STEP + record.child * CHILD_STEP) & 0xFFFFFFFF
        # Rounded at random, so that for short searches only some of the children have a sample.
        n_random = min(MOST_SAMPLED, int(share + drawn / 2**32))
        chosen = random.Random(drawn).choices(places, k=n_random) if n_random else []
        # The lowest bits of odd multiples of 0, 1, 2, ... take all values.
        return [*chosen, _smallest(record, places)] if drawn % SMALLEST_EVERY == 0 else chosen

    def _named(self, child: int, parents: Sequence[int]) -> str:
        names = self.dataset.names
        return f"variable {names[child]!r} with parents {[names[parent] for parent in parents]}"


def _smallest(record: ParentSetRecord, places: Sequence[int]) -> int:
    """Place of the smallest set. Mostly the last: without a margin each other set scores more than its subsets."""
    last = places[-1]
    if record.parents[last] == record.required:
        return last
    return places[int(np.argmin(record.parents.sizes[np.asarray(places)]))]


def _sets_of(table: ParentSetTable, child: int) -> set[tuple[int, ...]]:
    first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
    return {table.parent_set(s) for s in range(first, end)}


class FamilyCounts(NamedTuple):
    """Counts of one family, sparse: only cells and parent configurations that occur."""

    joint: np.ndarray  # int64, shape (n_cells,): N_xπ of every occurring cell
    joint_marginal: np.ndarray  # int64, shape (n_cells,): N_π of each cell's parent configuration
    marginal: np.ndarray  # int64, shape (n_occurring_configurations,): N_π of every occurring parent configuration
    n_rows: int
    n_states: int  # states of the child
    n_configurations: float  # parent configurations, occurring or not; infinite if the product overflows

    @property
    def n_parameters(self) -> float:
        """Free parameters: one less than the child's states for every parent configuration."""
        return (self.n_states - 1) * self.n_configurations


def count_family(dataset: Dataset, n_states: Sequence[int], child: int, parents: Sequence[int]) -> FamilyCounts:
    """Count the cells of a family in the rows in which the child was not set; `n_states` is by variable."""
    if dataset.is_free(child) is not None:
        family = (*parents, child)
        columns = dataset.family_columns(child, parents)
        dataset = Dataset(tuple(dataset.variables[v] for v in family), np.stack(columns), "")
        n_states, child, parents = [n_states[v] for v in family], len(parents), range(len(parents))
    family = (*parents, child)
    states = [int(n_states[v]) for v in family]
    n_cells = math.prod(states)
    if n_cells <= max(dataset.n_rows, MOST_EMPTY_CELLS):
        table = _count_all(dataset, family, states, n_cells).reshape(-1, states[-1])
        sums, is_met = table.sum(axis=1), table > 0
        joint, marginal = table[is_met], sums[sums > 0]
        joint_marginal = np.broadcast_to(sums[:, None], table.shape)[is_met]
    else:
        configurations, _ = encode_rows(dataset, n_states, parents)
        cells, joint = np.unique(configurations * states[-1] + dataset.codes[child], return_counts=True)
        marginal = np.bincount(configurations)
        joint_marginal, marginal = marginal[cells // states[-1]], marginal[marginal > 0]
    # Floats overflow to infinity where integers would be too large for one.
    n_configurations = math.prod(map(float, states[:-1]))
    return FamilyCounts(joint, joint_marginal, marginal, dataset.n_rows, states[-1], n_configurations)


def log_likelihood(counts: FamilyCounts) -> float:
    """Maximum log-likelihood: the sum of N_xπ ln(N_xπ / N_π)."""
    return float(np.sum(counts.joint * np.log(counts.joint / counts.joint_marginal)))


def dirichlet_score(counts: FamilyCounts, alpha: float) -> float:
    """Log marginal likelihood with Dirichlet parameter `alpha` in every cell (Heckerman et al. 1995)."""
    # There are more cells than a float can count, or so many that the quotient underflows.
    if alpha == 0.0:
        return -math.inf
    return _log_rising(alpha, counts.joint) - _log_rising(alpha * counts.n_states, counts.marginal)


def _log_rising(start: float, counts: np.ndarray) -> float:
    """Sum over all counts m of lnΓ(start + m) − lnΓ(start)."""
    # Counts take few distinct values: one call of math.lgamma for each is affordable.
    values, times = np.unique(counts, return_counts=True)
    base = math.lgamma(start)
    return math.fsum(t * (math.lgamma(start + m) - base) for m, t in zip(values.tolist(), times.tolist()))


def local_score(counts: FamilyCounts, score: str = "bic", ess: float = 1.0) -> float:
    """Local score of a counted family.

    `ess`, the equivalent sample size, is for ``bdeu`` and ``bds``. Scores with a penalty by configurations, and BDeu,
    are minus infinity if there are too many parent configurations for a float.

    BIC takes (ln N)/2 per free parameter (Schwarz 1978), AIC takes 1 (Akaike 1974), both over all parent
    configurations, occurring or not. BDeu spreads `ess` evenly over the cells (Buntine 1991), BDs over the cells of
    the configurations with rows (Scutari 2016); K2 has the parameter 1 in every cell (Cooper & Herskovits 1992). fNML
    takes the regret of each configuration's rows (Silander et al. 2008), qNML the regret of all rows over the cells
    less that over the configurations (Silander et al. 2018). A prior of arcs is not added.
    """
    if score == "ll":
        return log_likelihood(counts)
    if score == "bic":
        return log_likelihood(counts) - 0.5 * math.log(counts.n_rows) * counts.n_parameters
    if score == "aic":
        return log_likelihood(counts) - counts.n_parameters
    if score in ("bdeu", "bds"):
        q = counts.n_configurations if score == "bdeu" else len(counts.marginal)
        return dirichlet_score(counts, ess / counts.n_states / q)
    if score == "k2":
        return dirichlet_score(counts, 1.0)
    if score in ("fnml", "qnml"):
        return log_likelihood(counts) - (factorised if score == "fnml" else quotient)(counts)
    raise ValueError(f"unknown score {score!r}")


def factorised(counts: FamilyCounts) -> float:
    """The regrets of fNML: one for the rows of each parent configuration."""
    values, times = np.unique(counts.marginal, return_counts=True)
    return math.fsum(t * log_regret(n, counts.n_states) for n, t in zip(values.tolist(), times.tolist()))


def quotient(counts: FamilyCounts) -> float:
    """The regret of qNML: of parents and child as one variable, less that of the parents as one."""
    q = min(counts.n_configurations, 1e300 / counts.n_states)
    return log_regret(counts.n_rows, counts.n_states * q) - log_regret(counts.n_rows, q)


def encode_rows(dataset: Dataset, n_states: Sequence[int], variables: Sequence[int]) -> tuple[np.ndarray, int]:
    """The configuration of some variables in each row as a number; `n_states` is by variable.

    Returns the row codes (int64, shape (n_rows,)): mixed-radix numbers of the configurations, or their ranks among
    those that occur if a dense table would be much larger than the data; and an upper bound of the codes, at most the
    larger of `MOST_EMPTY_CELLS` and four per row. The first of `variables` is the most significant.
    """
    n_rows = dataset.n_rows
    row_codes = np.zeros(n_rows, dtype=np.int64)
    n_codes = 1
    for variable in variables:
        # Ranks among the occurring codes number the same groups of rows, with at most as many codes as rows.
        if n_codes > CODE_LIMIT:
            row_codes, n_codes = _rank(row_codes)
        n_codes *= int(n_states[variable])
        row_codes *= int(n_states[variable])
        row_codes += dataset.codes[variable]
    if n_codes > max(MOST_EMPTY_CELLS, 4 * n_rows):
        return _rank(row_codes)
    return row_codes, n_codes


def _rank(row_codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Replace codes by their ranks among the distinct codes."""
    distinct, ranks = np.unique(row_codes, return_inverse=True)
    return ranks.astype(np.int64, copy=False), len(distinct)


def _count_all(dataset: Dataset, family: Sequence[int], n_states: Sequence[int], n_cells: int) -> np.ndarray:
    """Rows in each cell, the last variable running fastest; counted in parts, so that keys stay in a cache."""
    # With millions of rows, the smallest type that holds all keys is several times as fast.
    key_type = np.uint8 if n_cells < 1 << 8 else np.min_scalar_type(n_cells)
    codes, n_rows = dataset.codes, dataset.n_rows
    if n_rows < PART_ROWS:
        return np.bincount(_keys([codes[i] for i in family], n_states, key_type), minlength=n_cells)
    # Keys of one byte are counted two at a time, as numbers of two bytes; the halves are summed at the end.
    pairs = np.zeros(1 << 16 if FEW_KEYS < n_cells < 1 << 8 else 0, dtype=np.int64)
    counts = np.zeros(n_cells, dtype=np.int64)
    for start in range(0, n_rows, PART_ROWS):
        keys = _keys([codes[i, start : start + PART_ROWS] for i in family], n_states, key_type)
        if n_cells <= FEW_KEYS:
            counts += [np.count_nonzero(keys == key) for key in range(n_cells)]
        elif len(pairs) and len(keys) % 2 == 0:
            pairs += np.bincount(keys.view(np.uint16), minlength=len(pairs))
        else:
            counts += np.bincount(keys, minlength=n_cells)
    if len(pairs):
        halves = pairs.reshape(1 << 8, 1 << 8)
        counts += (halves.sum(axis=0) + halves.sum(axis=1))[:n_cells]
    return counts


def _keys(family: Sequence[np.ndarray], n_states: Sequence[int], key_type: np.typing.DTypeLike) -> np.ndarray:
    """The number of each row's cell among all cells, the last variable running fastest."""
    if len(family) == 1:
        return family[0].astype(key_type)
    keys = np.multiply(family[0], n_states[1], dtype=key_type)
    keys += family[1]
    for column, states in zip(family[2:], n_states[2:]):
        keys *= states
        keys += column
    return keys


def score_families(
    parents: Sequence[Sequence[int]], dataset: Dataset, scores: Iterable[str], ess: float = 1.0
) -> dict[str, np.ndarray]:
    """Local scores of all families by several scores, each family counted once.

    Returns float64, shape (n_variables,), for every name in `scores`.
    """
    names = list(scores)
    dataset.require_complete().require_free_rows()
    result = {name: np.empty(len(parents)) for name in names}
    n_states = dataset.n_states.tolist()
    for child, parent_set in enumerate(parents):
        counts = count_family(dataset, n_states, child, parent_set)
        for name in names:
            result[name][child] = local_score(counts, name, ess)
    return result


def count_parameters(parents: Sequence[Sequence[int]], n_states: Sequence[int]) -> int:
    """Free parameters of a network, over all parent configurations, occurring or not."""
    states = [int(s) for s in n_states]
    return sum((states[c] - 1) * math.prod(states[p] for p in pa) for c, pa in enumerate(parents))


@functools.lru_cache(maxsize=1 << 14)
def log_regret(n_rows: int, n_states: float) -> float:
    """Logarithm of the multinomial regret C(n, r), in nats.

    Up to `FEW_STATES` by C(n, r + 2) = C(n, r + 1) + (n / r) C(n, r) (Kontkanen and Myllymäki 2007), beyond it by
    its sum over numbers of states taken (Mononen and Myllymäki 2008), of which a term is the product of the ratios
    before it.
    """
    if n_states > FEW_STATES:
        k = np.arange(n_rows)
        ratios = np.log1p(-k / n_rows) + np.log(n_states - 1.0 + k) - np.log1p(k)
        return float(np.logaddexp.reduce(np.concatenate(([0.0], np.cumsum(ratios)))))
    # C(n, 2) in whole: all its terms but the first are falling powers of n over powers of n.
    steps = np.arange(1, min(n_rows, math.isqrt(100 * n_rows) + 1))
    two = 1.0 + (1.0 + float(np.exp(np.cumsum(np.log1p(-steps / n_rows))).sum()))
    logarithm, ratio = 0.0, two
    for r in range(1, int(n_states)):
        logarithm += math.log(ratio)
        ratio = 1.0 + n_rows / r / ratio
    return logarithm
