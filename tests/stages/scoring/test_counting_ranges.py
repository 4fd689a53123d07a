"""Every method of counting at the edges of its ranges: states, rows and variables, against counting with numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.selections import identify
from helpers.tables import make_dataset

from formats.data_records import Dataset
from stages.parentsets import METHODS, ParentSetOptions
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import IndependentScorer

KINDS = (2, 3, 63, 64, 65, 66, 90, 104, 128, 255, 256)
"""Numbers of states on both sides of a word, of a byte and of the limits of kernels."""


def uniform(rng: np.random.Generator, states: int, n_rows: int) -> np.ndarray:
    return rng.integers(0, states, n_rows)


def skewed(rng: np.random.Generator, states: int, n_rows: int) -> np.ndarray:
    """Nearly always in one state, so that the rows of the others are listed; the last state occurs."""
    column = np.where(rng.random(n_rows) < 0.02, rng.integers(0, states, n_rows), states // 2)
    column[-1] = states - 1
    return column


def few(rng: np.random.Generator, states: int, n_rows: int) -> np.ndarray:
    """Of few of the states, so that some cells have many rows."""
    return rng.choice([0, states // 2, states - 1], n_rows)


def repeated(columns: np.ndarray, rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Rows that occur many times over, which are merged and weighted."""
    weights = rng.dirichlet(np.full(columns.shape[1], 0.3))
    return columns[:, rng.choice(columns.shape[1], n_rows, p=weights)]


def dataset_of(states: list[int], n_rows: int, column=uniform, seed: int = 0, n_distinct: int = 0) -> Dataset:
    """Independent columns but for the second half, which depends on the first; merged rows where `n_distinct`."""
    rng = np.random.default_rng(seed)
    columns = np.array([column(rng, r, n_distinct or n_rows) for r in states])
    for i in range(len(states) // 2, len(states)):
        source = columns[i - len(states) // 2]
        columns[i] = np.where(rng.random(columns.shape[1]) < 0.5, source % states[i], columns[i])
    if n_distinct:
        columns = repeated(columns, rng, n_rows)
    return make_dataset(columns, states)


class Twin:
    """A scorer and the plain counting that it has to agree with."""

    def __init__(self, dataset: Dataset, score: str = "bic"):
        self.scorer = FamilyScorer(dataset, score, 2.0)
        self.plain = IndependentScorer(dataset, score, 2.0)

    def check_expansion(self, child: int, parents: tuple[int, ...], candidates: list[int] | None = None) -> None:
        n = self.scorer.n_variables
        chosen = [y for y in (candidates or range(n)) if y != child and y not in parents]
        scores = self.scorer.expand(child, parents, np.array(chosen, dtype=np.int32))
        for y in chosen:
            self.plain.check(child, sorted((*parents, y)), scores[y])
        assert np.isinf(np.delete(scores, chosen)).all()

    def check_reductions(self, child: int, parents: tuple[int, ...]) -> None:
        for i in range(len(parents)):
            fewer = parents[:i] + parents[i + 1 :]
            self.plain.check(child, fewer, self.scorer.local_score(child, fewer))

    def check_pairs(self, children: list[int] | None = None) -> None:
        pairs = self.scorer.pairs()
        matrix = pairs.matrix()
        for child in children or range(self.scorer.n_variables):
            self.plain.check(child, (), pairs.empty_scores[child])
            for y in range(self.scorer.n_variables):
                if y != child:
                    self.plain.check(child, (y,), matrix[child, y])


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize(("column", "n_distinct"), [(uniform, 0), (skewed, 0), (few, 0), (few, 70)])
def test_every_pair_of_kinds_of_states(score, column, n_distinct):
    """Of child, parent and candidate."""
    n = len(KINDS)
    twin = Twin(dataset_of([*KINDS, *KINDS], 8000 if n_distinct else 333, column, 1, n_distinct), score)
    assert bool(twin.scorer.data.word_shifts.any()) == bool(n_distinct)
    assert bool(twin.scorer.data.is_sparse.any()) or column is not skewed
    twin.check_pairs()
    for child in range(n):
        twin.check_expansion(child, ())
        for parent in range(n, 2 * n):
            twin.check_expansion(child, (parent,), candidates=list(range((child + parent) % 3, 2 * n, 3)))


@pytest.mark.parametrize("column", [uniform, skewed, few])
def test_many_states_beside_few(column):
    """Two and three parents: inclusion and exclusion for the few states, other methods for the many."""
    states = [2, 2, 3, 2, 63, 64, 65, 66, 128, 256, 2, 3]
    twin = Twin(dataset_of(states, 500, column, 2))
    for child in (0, 2, 4, 6, 9):
        for parents in itertools.combinations((1, 3, 7, 10, 11), 2):
            twin.check_expansion(child, parents)
        for parents in ((1, 3, 10), (1, 5, 10), (1, 3, 11), (7, 8, 10), (1, 3, 10, 11)):
            twin.check_expansion(child, tuple(sorted(set(parents) - {child})))
            twin.check_reductions(child, tuple(sorted(set(parents) - {child})))


@pytest.mark.parametrize("n_rows", [*range(1, 66), 127, 128, 129, 255, 256, 257])
def test_few_rows(n_rows):
    states = [2, 3, 65, 256, 2, 90, 4]
    for column in (uniform, skewed) if n_rows % 8 in (0, 1, 7) else (uniform,):
        twin = Twin(dataset_of(states, n_rows, column, n_rows), ("bic", "bdeu", "k2", "aic", "ll")[n_rows % 5])
        twin.check_pairs([n_rows % 7])
        for child, parents in ((0, (1,)), (2, (4,)), (3, ()), (4, (0, 6)), (5, (3,)), (6, (0, 1, 4))):
            twin.check_expansion(child, parents)
        twin.check_reductions(6, (0, 1, 4))


@pytest.mark.parametrize("n_rows", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 150_001])
@pytest.mark.parametrize("n_distinct", [0, 200])
def test_rows_beyond_two_bytes(n_rows, n_distinct):
    """Counts and row numbers need more than 16 bits; the commonest of merged rows has a weight beyond them."""
    twin = Twin(dataset_of([2, 3, 65, 256, 2, 2, 4], n_rows, few if n_distinct else uniform, 3, n_distinct))
    twin.check_pairs([0, 2, 3])
    for child, parents in ((0, (1,)), (2, (4,)), (4, (0, 6)), (6, (0, 1, 4, 5))):
        twin.check_expansion(child, parents)
    twin.check_reductions(6, (0, 1, 4, 5))


@pytest.mark.parametrize("n_variables", [63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257])
def test_many_variables(n_variables):
    """The words of a set of variables are full, or one longer; the last variable is child, parent and candidate."""
    states = [2 + i % 2 for i in range(n_variables)]
    last = n_variables - 1
    twin = Twin(dataset_of(states, 130, skewed if n_variables % 2 else uniform, n_variables))
    twin.check_pairs([0, last])
    for child, parents in ((last, ()), (last, (0, last - 1)), (0, (last,)), (1, (62, last - 1, last))):
        twin.check_expansion(child, tuple(sorted(set(parents) - {child})))
    twin.check_reductions(0, tuple(range(last - 4, last + 1)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("states", "n_rows", "n_distinct"),
    [([2, 3, 65, 256, 2, 90, 2, 3], 300, 0), ([2] * 6 + [64, 66], 3000, 60), ([2, 3] * 35, 65, 0)],
)
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_all_scores_of_lists(method, states, n_rows, n_distinct, score):
    """Whatever kernels select the sets."""
    dataset = dataset_of(states, n_rows, few, 6, n_distinct)
    plain = IndependentScorer(dataset, score, 1.0)
    options = ParentSetOptions(method=method, score=score, max_parents=3, evaluations=120, seed=1)
    _, records = identify(dataset, options)
    for record in records:
        for parents, value in zip(record.parents, record.scores):
            plain.check(record.child, parents, value)
