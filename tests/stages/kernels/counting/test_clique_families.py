"""Best families within cliques against all of them, scored from their definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.scores import count_family, local_score

from formats.data_records import Dataset, Variable
from stages.kernels.counting.clique_families import add_margins, code_clique_rows, count_child, sum_cells_of
from stages.scoring.clique_scorer import MOST_ENTRIES, lay_out_subsets
from stages.scoring.family_scorer import FamilyScorer

SCORES = ("bic", "aic", "ll", "bdeu", "k2")


def table_of(n_states, n_rows, seed=0):
    """Dependent columns with these numbers of states, and their rows."""
    rng = np.random.default_rng(seed)
    latent = rng.random(n_rows)
    codes = np.array([((latent + rng.random(n_rows)) / 2 * r).astype(np.uint8) for r in n_states])
    variables = tuple(Variable(f"V{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))
    return Dataset(variables, codes, "none"), codes.T.tolist()


def all_digits(members, left_out):
    """Binary digits of the members but for one variable."""
    return sum(1 << i for i, member in enumerate(members) if member != left_out)


def check_best(dataset, rows, members, most, score="bic", ess=1.0, children=None, forbidden=()):
    """The answers are families that may be, score as `FamilyScorer` says to the last bit, and none is better."""
    scorer = FamilyScorer(dataset, score, ess)
    cliques = scorer.cliques(most)
    assert cliques is not None
    children = range(dataset.n_variables) if children is None else children
    members = np.array(members, dtype=np.int32)
    assert cliques.can_count(members)
    allowed = [all_digits(members.tolist(), child) & ~sum(1 << i for i in forbidden) for child in children]
    before = scorer.evaluations
    masks, scores = cliques.best(members, np.array(children, dtype=np.int32), np.array(allowed, dtype=np.int64))
    n_families = sum(math.comb(len(members), size) for size in range(most + 1))
    assert scorer.evaluations - before == len(children) * n_families
    n_states = dataset.n_states.tolist()
    for child, may, mask, found in zip(children, allowed, masks.tolist(), scores.tolist()):
        assert mask & ~may == 0
        parents = tuple(sorted(m for i, m in enumerate(members.tolist()) if mask >> i & 1))
        assert len(parents) <= most
        assert found == scorer.local_score(child, parents)
        usable = [m for i, m in enumerate(members.tolist()) if may >> i & 1]
        families = [f for size in range(most + 1) for f in itertools.combinations(usable, size)]
        best = max(local_score(rows, n_states, child, sorted(family), score, ess) for family in families)
        assert found == pytest.approx(best, abs=1e-7)
        # Of equal families the first one of the fewest parents.
        exact = {family: scorer.local_score(child, tuple(sorted(family))) for family in families}
        assert parents == tuple(sorted(max(families, key=lambda family: (exact[family], -len(family)))))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("noise", [0.0, 0.8])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_best_of_all(seed, noise, score):
    """With little noise rows are merged and weighted."""
    dataset, rows = dependent_dataset(seed, 8, 300, most_states=4, noise=noise)
    check_best(dataset, rows, [1, 2, 4, 5, 6], 3, score, ess=2.5)
    check_best(dataset, rows, [0, 3, 7], 3, score, ess=0.1, forbidden=(1,))


@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 5000])
def test_numbers_of_rows(n_rows):
    check_best(*table_of((2,) * 7, n_rows), [0, 2, 3, 5, 6], 5)


@pytest.mark.parametrize(
    ("n_states", "members"), [((256, 2, 2, 3), [1, 2]), ((2, 255, 3), [0, 2]), ((128, 3, 1, 2), [1, 2, 3])]
)
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_many_states(n_states, members, score):
    check_best(*table_of(n_states, 700), members, 2, score)


def test_one_member_and_none_allowed():
    dataset, rows = table_of((2, 3, 2), 50)
    check_best(dataset, rows, [1], 1)
    check_best(dataset, rows, [1, 2], 2, forbidden=(0, 1))


def test_eight_members():
    """The largest clique of binary variables that is counted; one more is refused."""
    dataset, rows = table_of((2,) * 10, 400)
    check_best(dataset, rows, list(range(8)), 7, children=[8, 9, 3])
    cliques, nine = FamilyScorer(dataset).cliques(7), np.arange(9, dtype=np.int32)
    assert cliques is not None and not cliques.can_count(nine)
    with pytest.raises(ValueError, match="too many cells"):
        cliques.best(nine, np.array([9], dtype=np.int32), np.array([1]))


@pytest.mark.filterwarnings("error")
def test_cliques_beyond_the_largest_float_are_refused():
    dataset, _ = table_of((2,) * 8 + (255,), 30)
    cliques, many = FamilyScorer(dataset).cliques(3), np.full((2, 300), 8, dtype=np.int32)
    assert cliques is not None and cliques.can_count(many).tolist() == [False, False]
    assert cliques.n_fitting(many[0]) == 0


def test_sums_that_are_not_exact_are_refused():
    """A tiny sample size: logarithms so large that sums over cells lose digits."""
    dataset, _ = table_of((2,) * 5, 100)
    assert FamilyScorer(dataset, "bdeu", 1e-300).cliques(3) is None


@pytest.mark.parametrize("states", [(2, 2, 2), (3, 2, 4), (1, 5, 2)])
def test_margins_are_the_counts_of_all_subsets(states):
    """Each cell of each subset, with the child's states, against counted rows."""
    dataset, rows = table_of((*states, 3), 90)
    subsets, r = lay_out_subsets(states, len(states)), 3
    codes = np.zeros(len(rows), dtype=np.int32)
    code_clique_rows(dataset.codes, np.arange(len(states), dtype=np.int32), subsets.strides, codes)
    counts = np.zeros(int(subsets.strides[-1] * subsets.radices[-1]) * r, dtype=np.int32)
    np.add.at(counts, codes * r + dataset.codes[-1], 1)
    add_margins(counts, subsets, np.int64(r))
    totals = counts.reshape(-1, r).sum(axis=1, dtype=np.int32)
    child, ones = len(states), np.arange(len(rows) + 1, dtype=np.float64)
    for s, mask in enumerate(subsets.masks.tolist()):
        parents = [i for i in range(len(states)) if mask >> i & 1]
        cells = subsets.cells[subsets.starts[s] : subsets.starts[s + 1]]
        joint, _ = count_family(rows, child, parents)
        assert len(cells) == subsets.n_cells[s] == np.prod([states[i] for i in parents], dtype=int)
        found = counts.reshape(-1, r)[cells]
        assert sorted(found[found > 0].tolist()) == sorted(joint.values())
        first, end = subsets.starts[s], subsets.starts[s + 1]
        for width in (0, r):  # nothing or everything is left of the totals
            assert sum_cells_of(totals, counts, subsets.cells, first, end, np.int64(width), ones) == len(rows)
    assert len(subsets.whole) == np.prod(states)


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("n_rows", [20, 65, 400, 3000])
def test_children_seldom_out_of_one_state(n_rows, score):
    """Their other rows are counted; constant children, and states that are the first, the last or between others."""
    rng, n_states, frequent = np.random.default_rng(n_rows), (2, 2, 3, 4, 256, 3), (0, 1, 1, 3, 7, 2)
    latent = rng.random(n_rows)
    codes = np.array([np.full(n_rows, state, dtype=np.uint8) for state in frequent])
    for column, r in zip(codes, n_states):
        rare = latent + 0.1 * rng.random(n_rows) < 0.06
        column[rare] = rng.integers(0, r, int(rare.sum()))
    variables = tuple(Variable(f"V{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))
    dataset = Dataset(variables, codes, "none")
    assert FamilyScorer(dataset).data.is_sparse.all()
    check_best(dataset, codes.T.tolist(), [0, 1, 2], 3, score)
    check_best(dataset, codes.T.tolist(), [1, 3], 2, score)


@pytest.mark.parametrize("r", [1, 2, 3, 256])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_by_cell_and_state(r, is_sparse):
    """Against counting by hand; where a child is listed by its rarer rows, what they leave is its frequent state."""
    rng, n_rows, majority = np.random.default_rng(r), 500, min(1, r - 1)
    column = np.where(rng.random(n_rows) < 0.1, rng.integers(0, r, n_rows), majority)
    dataset = Dataset((Variable("X", tuple(map(str, range(r)))),), column[None].astype(np.uint8), "none")
    data = FamilyScorer(dataset).data
    assert data.is_sparse[0]
    data = data._replace(is_sparse=np.array([is_sparse]))
    codes, weights, rows = data.codes[0], data.weights, rng.integers(0, 5, data.codes.shape[1]).astype(np.int32)
    expected = np.zeros((5, r), dtype=np.int32)
    np.add.at(expected, (rows, codes), weights[: len(rows)])
    counts = np.zeros(5 * r, dtype=np.int32)
    width = count_child(data, np.int32(0), np.int64(r), rows, counts)
    assert width == r - is_sparse
    others = np.delete(expected, majority, axis=1) if is_sparse else expected
    assert counts[: 5 * width].reshape(5, width).tolist() == others.tolist() and not counts[5 * width :].any()


def test_the_largest_table_is_counted():
    """Six binary members and a child with 22 states take nearly all entries that are allowed; 23 states, too many."""
    dataset, rows = table_of((2,) * 6 + (22,), 60)
    assert 0.95 * MOST_ENTRIES < 3**6 * 22 <= MOST_ENTRIES
    check_best(dataset, rows, list(range(6)), 2, children=[6])
    wider, _ = table_of((2,) * 6 + (23,), 60)
    cliques = FamilyScorer(wider).cliques(2)
    assert cliques is not None and not cliques.can_count(np.arange(6, dtype=np.int32))
