"""Quasi-determinism screening: forests, ties, cycles, and the curve of roots."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive import screen as naive

from bnsl import optimize, parentsets
from formats.data_records import Dataset, Variable
from formats.records import EntropyTable
from stages.runtime.errors import StageError
from stages.scoring.family_scorer import FamilyScorer
from stages.screening import forests as screen
from stages.screening.entropies import compute_entropies
from stages.screening.forests import root_curve, screen_forest

LISTED = {"method": "sequential", "max_parents": 1, "seed": 1, "quiet": True}


def make_table(conditional, n_states=None, entropy=None) -> EntropyTable:
    """An entropy table with given conditional entropies, consistent with data or not."""
    conditional = np.array(conditional, dtype=np.float64)
    n = len(conditional)
    np.fill_diagonal(conditional, 0.0)
    return EntropyTable(
        tuple(Variable(f"X{i}") for i in range(n)),
        np.array([2] * n if n_states is None else n_states, dtype=np.int32),
        np.array([10.0] * n if entropy is None else entropy),
        conditional,
        100,
        "sha256:0",
    )


def random_table(seed: int, n: int) -> EntropyTable:
    """Few distinct values, so that ties and cycles are frequent."""
    rng = np.random.default_rng(seed)
    return make_table(rng.integers(0, 8, (n, n)) / 8, rng.integers(1, 4, n), rng.integers(0, 4, n) / 2)


def entropies_of_random_data(seed: int, n: int = 8, n_rows: int = 30) -> EntropyTable:
    rng = np.random.default_rng(seed)
    n_states = rng.integers(1, 4, n)
    codes = ((rng.integers(0, 3, n_rows) + rng.integers(0, 2, (n, n_rows))) % n_states[:, None]).astype(np.uint8)
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))
    return compute_entropies(Dataset(variables, codes, "sha256:0"))


def thresholds(table: EntropyTable, relative: bool) -> list[float]:
    """All values at which the forest may change, and points around them."""
    values = sorted({x for line in naive.measure(table.conditional, table.entropy, relative) for x in line})
    return [0.0, *values, *(x + 1e-6 for x in values)]


def only_parents(forest) -> dict[int, int]:
    return {child: parent for child, (parent,) in forest.parents.items()}


def n_roots(forest) -> int:
    return forest.header.n_variables - len(forest.parents)


# Worked by hand


def test_function_of_another_variable():
    # Y says which quarter, X which half: X is a function of Y.
    table = make_table([[0, 0, 0.6], [0.7, 0, 1.3], [0.6, 0.6, 0]], n_states=[2, 4, 2])
    assert only_parents(screen_forest(table, eps=0)) == {0: 1}
    # X and Z tie at 0.6: the lower index becomes the child, and Z has fewer states than Y.
    assert only_parents(screen_forest(table, eps=0.6)) == {0: 2, 2: 1}
    assert only_parents(screen_forest(table, eps=2)) == {0: 2, 2: 1}


def test_fewest_states_then_lowest_index():
    high = 5.0
    conditional = np.full((5, 5), high)
    conditional[0] = [0, 0.1, 0.3, 0.2, 0.2]
    table = make_table(conditional, n_states=[2, 3, 2, 2, 2])
    assert only_parents(screen_forest(table, eps=0.1)) == {0: 1}
    assert only_parents(screen_forest(table, eps=0.25)) == {0: 3}
    assert only_parents(screen_forest(table, eps=0.35)) == {0: 2}


def test_a_cycle_of_three_loses_its_weakest_arc():
    # 0 <- 1 <- 2 <- 0, the opposite arcs all weaker.
    table = make_table([[0, 0.1, 0.9], [0.9, 0, 0.2], [0.3, 0.9, 0]])
    assert only_parents(screen_forest(table, eps=0.25)) == {0: 1, 1: 2}
    assert only_parents(screen_forest(table, eps=0.3)) == {0: 1, 1: 2}
    equal = make_table([[0, 0.1, 0.9], [0.9, 0, 0.1], [0.1, 0.9, 0]])
    assert only_parents(screen_forest(equal, eps=0.1)) == {0: 1, 1: 2}


def test_relative_threshold():
    table = make_table([[0, 0.2], [0.9, 0]], entropy=[0.4, 1.1])
    assert only_parents(screen_forest(table, eps=0.3)) == {0: 1}
    assert only_parents(screen_forest(table, eps=0.3, relative=True)) == {}
    assert only_parents(screen_forest(table, eps=0.5, relative=True)) == {0: 1}


def test_constant_variables():
    zero = [0.0] * 4
    table = make_table([zero, [0.5] * 4, zero, [0.6] * 4], [1, 2, 1, 2], [0, 0.5, 0, 0.6])
    for relative in (False, True):
        # The first constant under the next one, the last under a variable that is not constant.
        assert only_parents(screen_forest(table, eps=0, relative=relative)) == {0: 2, 2: 1}


def test_all_constant():
    table = make_table(np.zeros((4, 4)), [1] * 4, [0] * 4)
    assert only_parents(screen_forest(table, eps=0)) == {0: 1, 1: 2, 2: 3}
    assert [x.tolist() for x in root_curve(table)] == [[0.0], [1]]


def test_what_the_forest_carries():
    table = make_table([[0, 0.25], [0.5, 0]])
    forest = screen_forest(table, roots=0.5)
    assert forest.scores == {0: -25.0}
    assert forest.header.score == "ll" and forest.header.rows == 100 and forest.header.data == "sha256:0"
    assert forest.header.variables == table.variables
    assert forest.header.extra == {"eps": 0.25, "relative": False, "roots": 0.5}
    deterministic = screen_forest(make_table([[0, 0], [0.5, 0]]), eps=0)
    assert math.copysign(1, deterministic.scores[0]) == 1.0
    assert deterministic.header.extra == {"eps": 0.0, "relative": False, "roots": None}


def test_curve_by_hand():
    table = make_table([[0, 0.1, 0.9], [0.9, 0, 0.2], [0.3, 0.9, 0]])
    eps, roots = root_curve(table)
    assert eps.tolist() == [0.0, 0.1, 0.2] and roots.tolist() == [3, 2, 1]
    assert (eps.dtype, roots.dtype) == (np.float64, np.int64)


@pytest.mark.parametrize("roots", [0.0, 0.3])
def test_too_few_roots_wanted(roots):
    with pytest.raises(StageError, match=r"at most 0 of 3 variables as roots\n.*at least 0.3334, which leaves 1"):
        screen_forest(make_table(np.ones((3, 3))), roots=roots)


def test_shares_are_floored_without_rounding_surprises():
    # 0.29 * 100 is 28.999999999999996: 29 roots are wanted, not 28.
    table = entropies_of_random_data(0, n=100, n_rows=200)
    eps, counts = root_curve(table)
    expected = eps[np.flatnonzero(counts <= 29)[0]]
    assert screen_forest(table, roots=0.29).header.extra["eps"] == expected
    assert 29 in counts and 28 in counts


def test_arguments():
    table = make_table(np.ones((2, 2)))
    with pytest.raises(ValueError):
        screen_forest(table)
    with pytest.raises(ValueError):
        screen_forest(table, eps=0.1, roots=0.5)
    for eps in (-0.1, math.nan):
        with pytest.raises(ValueError):
            screen_forest(table, eps=eps)
    for roots in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError):
            screen_forest(table, roots=roots)
    assert only_parents(screen_forest(table, eps=math.inf)) == {0: 1}
    assert only_parents(screen_forest(make_table([[0]]), eps=1)) == {}


# Exhaustive


@pytest.mark.parametrize("n_states", [(2, 2, 2), (2, 3, 2), (4, 3, 2)])
def test_all_tables_of_three_variables(n_states):
    for values in itertools.product((0.0, 1.0, 2.0), repeat=6):
        conditional = np.zeros((3, 3))
        conditional[~np.eye(3, dtype=bool)] = values
        table = make_table(conditional, n_states)
        for eps in (0.0, 1.0, 2.0):
            assert only_parents(screen_forest(table, eps=eps)) == naive.screen(conditional, n_states, eps)


# Random


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_forests_and_curve_of_random_tables(seed, relative):
    for table in (random_table(seed, 7), entropies_of_random_data(seed)):
        weights = naive.measure(table.conditional, table.entropy, relative)
        eps, counts = root_curve(table, relative)
        for threshold in thresholds(table, relative):
            forest = screen_forest(table, eps=threshold, relative=relative)
            assert only_parents(forest) == naive.screen(weights, table.n_states.tolist(), threshold)
            assert counts[np.searchsorted(eps, threshold, side="right") - 1] == n_roots(forest)
        assert eps[0] == 0 and (np.diff(eps) > 0).all() and np.diff(counts).all()


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_smallest_threshold_for_a_share_of_roots(seed):
    table = random_table(seed, 7)
    at = {eps: n_roots(screen_forest(table, eps=eps)) for eps in sorted(thresholds(table, False))}
    for wanted in range(8):
        reached = [eps for eps, count in at.items() if count <= wanted]
        if not reached:
            with pytest.raises(StageError):
                screen_forest(table, roots=wanted / 7)
            continue
        forest = screen_forest(table, roots=wanted / 7)
        assert forest.header.extra["eps"] == reached[0]
        assert n_roots(forest) == at[reached[0]]


def test_a_large_table_with_many_cycles():
    # Random matrices have long cycles; compared with the naive forest once, and the curve with forests.
    table = random_table(11, 60)
    n_states = table.n_states.tolist()
    eps, counts = root_curve(table)
    for threshold, count in zip(eps, counts):
        assert n_roots(screen_forest(table, eps=threshold)) == count
    assert only_parents(screen_forest(table, eps=0.5)) == naive.screen(table.conditional.tolist(), n_states, 0.5)
    rising = make_table(np.random.default_rng(3).random((60, 60)), np.random.default_rng(4).integers(2, 9, 60))
    counts = root_curve(rising)[1]
    # Otherwise the part of the curve that closes and opens cycles is not tested.
    assert (np.diff(counts) > 0).any()


def test_blocks_of_children_change_nothing(monkeypatch):
    table = random_table(12, 30)
    whole = only_parents(screen_forest(table, eps=0.3, relative=True))
    monkeypatch.setattr(screen, "BLOCK_ELEMENTS", 90)
    assert only_parents(screen_forest(table, eps=0.3, relative=True)) == whole


# Properties


@given(st.integers(0, 10**6), st.floats(0, 1.2), st.booleans())
def test_always_a_forest_within_the_threshold(seed, eps, relative):
    for table in (random_table(seed, 6), entropies_of_random_data(seed, 6, 12)):
        forest = screen_forest(table, eps=eps, relative=relative)
        weights = naive.measure(table.conditional, table.entropy, relative)
        assert naive.find_cycle(only_parents(forest)) is None
        for child, parent in only_parents(forest).items():
            assert child != parent and weights[child][parent] <= eps
            assert forest.scores[child] == -table.rows * table.conditional[child, parent]


@given(st.integers(0, 10**6), st.booleans())
def test_on_data_the_direction_follows_the_entropies(seed, relative):
    # H(X|Y) - H(Y|X) = H(X) - H(Y): children have the smaller entropy, so no cycle can arise and everything
    # hangs together once the threshold allows it. Relative to H(X), too, as long as X and Y are dependent.
    table = entropies_of_random_data(seed, 6, 12)
    forest = screen_forest(table, eps=1 - 1e-9 if relative else math.inf, relative=relative)
    for child, parent in only_parents(forest).items():
        assert (table.entropy[child], child) < (table.entropy[parent], parent)
    assert relative or n_roots(forest) == 1


@given(st.integers(0, 10**6))
def test_exactly_the_determined_variables_are_children_at_zero(seed):
    table = entropies_of_random_data(seed, 6, 12)
    forest = screen_forest(table, eps=0)
    determined = {i for i in range(6) if any(table.conditional[i, j] == 0 for j in range(6) if j != i)}
    assert set(forest.parents) <= determined
    assert not any(forest.scores.values())
    # A determined root determines in turn those that determine it: a group of equivalent variables.
    for root in determined - set(forest.parents):
        equivalents = [j for j in range(6) if j != root and table.conditional[root, j] == 0]
        assert all(table.conditional[j, root] == 0 and j in forest.parents for j in equivalents)


def data_of_a_tree(seed: int, n: int, n_rows: int = 60, most_states: int = 5) -> Dataset:
    """Each variable is a function of another one, up to the root, with columns and arcs in random order."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, most_states, n_rows)]
    for _ in range(n - 1):
        above = columns[int(rng.integers(len(columns)))]
        columns.append(rng.integers(0, int(rng.integers(1, most_states + 1)), most_states)[above])
    states = tuple(map(str, range(most_states)))
    variables = tuple(Variable(f"X{i}", states) for i in range(n))
    return Dataset(variables, np.array(columns, dtype=np.uint8)[rng.permutation(n)], "sha256:0")


@pytest.mark.parametrize("seed", seeds(30, quick=6))
def test_under_a_deterministic_tree_screening_at_zero_fits_as_well_as_chow_and_liu(seed):
    """Both trees have the log-likelihood of the deterministic tree, -N H(root) (Rahier et al. 2018, section 5)."""
    n = 2 + seed % 8
    dataset = data_of_a_tree(seed, n)
    table = compute_entropies(dataset)
    forest = screen_forest(table, eps=0)
    assert n_roots(forest) == 1
    (root,) = set(range(n)) - set(forest.parents)
    screened = math.fsum(forest.scores.values()) - table.rows * table.entropy[root]
    spanning = naive.spanning_tree_information(table.entropy, table.conditional)
    chow_liu = table.rows * (math.fsum(spanning) - math.fsum(table.entropy.tolist()))
    assert screened == pytest.approx(-table.rows * table.entropy.max(), abs=1e-9)
    assert screened == pytest.approx(chow_liu, abs=1e-9)
    # The best forest that the program itself finds, and the family scores of the union.
    scorer = FamilyScorer(dataset, "ll")
    sets = parentsets({v.name: dataset.codes[i] for i, v in enumerate(dataset.variables)}, score="ll", **LISTED)
    assert optimize(sets, method="forest", treewidth=1, quiet=True).score == pytest.approx(screened, abs=1e-6)
    families = [scorer.local_score(v, forest.parents.get(v, ())) for v in range(n)]
    assert math.fsum(families) == pytest.approx(screened, abs=1e-6)
