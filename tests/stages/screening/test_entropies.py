"""Entropies and conditional entropies of all pairs."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.places import TEST_DATA
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive import entropy as naive

from formats import open_entropies, write_entropies
from formats.data_records import Dataset, Variable
from formats.errors import Inconsistent, UnsuitableData
from stages.runtime.reporting import NullReporter
from stages.screening import entropies as entropy
from stages.screening.entropies import compute_entropies, mutual_information

LN2 = math.log(2)


def make_dataset(columns, n_states=None) -> Dataset:
    """A data set from columns of codes; by default with as many states as the largest code needs."""
    codes = np.array(columns, dtype=np.uint8)
    n_states = [int(column.max()) + 1 for column in codes] if n_states is None else n_states
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))
    return Dataset(variables, codes, "sha256:0")


def random_dataset(seed: int, n_variables: int, n_rows: int, most_states: int = 6) -> Dataset:
    """Dependent columns with 1 to `most_states` states."""
    rng = np.random.default_rng(seed)
    n_states = rng.integers(1, most_states + 1, n_variables)
    hidden = rng.integers(0, 4, n_rows)
    noise = rng.integers(0, 2, (n_variables, n_rows))
    return make_dataset((hidden + noise) % n_states[:, None], n_states)


def assert_equals_naive(dataset: Dataset, table) -> None:
    columns = dataset.codes.tolist()
    for i, column in enumerate(columns):
        assert table.entropy[i] == pytest.approx(naive.entropy(column), abs=1e-12)
        for j, given_column in enumerate(columns):
            expected = 0.0 if i == j else naive.conditional_entropy(column, given_column)
            assert table.conditional[i, j] == pytest.approx(expected, abs=1e-12)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# Worked by hand


def test_copy_coarsening_and_independence():
    coin, quarter = [0, 0, 1, 1], [0, 1, 2, 3]
    other_coin = [0, 1, 0, 1]
    table = compute_entropies(make_dataset([coin, quarter, other_coin, [1, 1, 0, 0]]))
    assert table.entropy == pytest.approx([LN2, 2 * LN2, LN2, LN2])
    expected = [[0, 0, LN2, 0], [LN2, 0, LN2, LN2], [LN2, 0, 0, LN2], [0, 0, LN2, 0]]
    assert table.conditional == pytest.approx(np.array(expected))
    assert (table.conditional == 0).tolist() == [[x == 0 for x in line] for line in expected]


def test_three_quarters():
    # X is 1 in three of four rows; given Y = 0 it is 0 or 1 equally often, given Y = 1 always 1.
    table = compute_entropies(make_dataset([[0, 1, 1, 1], [0, 0, 1, 1]]))
    assert table.entropy[0] == pytest.approx(math.log(4) - 0.75 * math.log(3))
    assert table.conditional[0, 1] == pytest.approx(0.5 * LN2)


def test_constants_and_unseen_states():
    dataset = make_dataset([[0, 0, 0], [2, 2, 2], [0, 1, 1]], n_states=[1, 4, 3])
    table = compute_entropies(dataset)
    assert table.entropy[:2].tolist() == [0.0, 0.0]
    assert table.conditional[:2].tolist() == [[0.0] * 3] * 2
    assert table.conditional[2, 0] == table.conditional[2, 1] == table.entropy[2] > 0


def test_a_single_row():
    table = compute_entropies(make_dataset([[0], [1]]))
    assert not table.entropy.any() and not table.conditional.any()


@pytest.mark.parametrize("seed", range(6))
def test_available_pairs(seed, monkeypatch):
    """Each pair in the rows that have both; a pair that no row has gives nothing."""
    monkeypatch.setattr(entropy, "BLOCK_CELLS", 8)
    dataset = random_dataset(seed, 7, 40)
    is_hidden = np.random.default_rng(seed).random(dataset.codes.shape) < 0.3
    is_hidden[0, :20] = is_hidden[1, 20:] = True
    codes = np.where(is_hidden, 0, dataset.codes)
    rows = Dataset(dataset.variables, codes, "sha256:1", is_hidden=is_hidden)
    table = compute_entropies(rows, jobs=2)
    assert table.variables == dataset.variables and (table.n_states == dataset.n_states).all()
    assert table.rows == 40 and table.fingerprint == "sha256:1"
    for i, j in itertools.product(range(7), repeat=2):
        own = naive.entropy(codes[i, ~is_hidden[i]].tolist())
        assert table.entropy[i] == pytest.approx(own, abs=1e-12)
        both = ~(is_hidden[i] | is_hidden[j])
        given = own
        if both.any():
            given = naive.conditional_entropy(codes[i, both].tolist(), codes[j, both].tolist())
        assert table.conditional[i, j] == pytest.approx(0.0 if i == j else given, abs=1e-12)


def test_entropy_over_the_rows_of_a_pair_may_be_the_larger(tmp_path):
    """X is a, a, a, a, b, b; in the rows that show Y it is a, b, a, b."""
    codes = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1]], dtype=np.uint8)
    is_hidden = np.array([[False] * 6, [True, True, False, False, False, False]])
    variables = make_dataset([[0, 1], [0, 1]]).variables
    table = compute_entropies(Dataset(variables, codes, "sha256:1", is_hidden=is_hidden))
    assert table.entropy[0] == pytest.approx(0.6365141682948128)
    assert table.conditional[0, 1] == pytest.approx(math.log(2)) and table.conditional[1, 0] == pytest.approx(
        math.log(2)
    )
    assert mutual_information(table, ["X0", "X1"], "here").tolist() == [[0, 0], [0, 0]]
    write_entropies(str(tmp_path / "e.arrow"), table)
    again = open_entropies(str(tmp_path / "e.arrow"))
    assert same_bits(again.conditional, table.conditional)


@pytest.mark.parametrize("seed", range(3))
def test_no_holes_are_complete_rows(seed):
    dataset = random_dataset(seed, 9, 50)
    whole = replace(dataset, is_hidden=np.zeros(dataset.codes.shape, dtype=bool))
    found, expected = compute_entropies(whole), compute_entropies(dataset)
    assert same_bits(found.entropy, expected.entropy) and same_bits(found.conditional, expected.conditional)


def test_holes_beside_256_states():
    dataset = make_dataset([list(range(256)), [0, 1] * 128])
    is_hidden = np.zeros((2, 256), dtype=bool)
    with pytest.raises(UnsuitableData, match="256 states"):
        compute_entropies(replace(dataset, is_hidden=is_hidden))


def test_no_rows():
    with pytest.raises(UnsuitableData, match="no rows"):
        compute_entropies(make_dataset(np.empty((2, 0)), n_states=[2, 2]))


def test_what_the_table_carries():
    dataset = random_dataset(1, 5, 50)
    table = compute_entropies(dataset)
    assert table.variables == dataset.variables and table.fingerprint == dataset.fingerprint
    assert table.rows == 50 and table.n_states.tolist() == dataset.n_states.tolist()
    assert (table.entropy.dtype, table.conditional.dtype) == (np.float64, np.float64)
    assert table.n_states.dtype == np.int32


def test_rounding_never_lifts_a_conditional_entropy_above_the_entropy():
    for a, b, c in itertools.product(range(1, 7), repeat=3):
        for y in (np.repeat([0, 1], [1, c]), np.repeat([0, 1, 2], [1, c, 1])):
            x = np.repeat([0, 1], [a, b])
            table = compute_entropies(make_dataset([np.tile(x, len(y)), np.repeat(y, len(x))]))
            assert table.conditional[0, 1] <= table.entropy[0] and table.conditional[1, 0] <= table.entropy[1]
            assert table.conditional[0, 1] == pytest.approx(table.entropy[0])


# Exhaustive


def test_all_tables_of_a_binary_and_a_ternary_variable_with_four_rows():
    cells = list(itertools.product(range(2), range(3)))
    for rows in itertools.combinations_with_replacement(cells, 4):
        dataset = make_dataset(list(zip(*rows)), n_states=[2, 3])
        table = compute_entropies(dataset)
        assert_equals_naive(dataset, table)
        for i, j in ((0, 1), (1, 0)):
            determined = len({row[j] for row in rows}) == len(set(rows))
            assert (table.conditional[i, j] == 0) == determined


# Random


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_random_data(seed):
    dataset = random_dataset(seed, 9, 200)
    assert_equals_naive(dataset, compute_entropies(dataset))


def test_many_states():
    dataset = random_dataset(5, 5, 400, most_states=3)
    wide = np.random.default_rng(5).integers(0, 256, (2, 400))
    dataset = make_dataset([*dataset.codes, *wide], [*dataset.n_states, 256, 256])
    assert_equals_naive(dataset, compute_entropies(dataset))


def test_blocks_of_variables_and_rows_change_no_bit(monkeypatch):
    dataset = random_dataset(6, 14, 2500, most_states=4)
    whole = compute_entropies(dataset)
    assert_equals_naive(dataset, whole)
    monkeypatch.setattr(entropy, "BLOCK_CELLS", 7)
    monkeypatch.setattr(entropy, "INDICATOR_ELEMENTS", 16)
    cut = compute_entropies(dataset)
    assert same_bits(whole.entropy, cut.entropy) and same_bits(whole.conditional, cut.conditional)


def test_without_the_table_of_logarithms(monkeypatch):
    dataset = random_dataset(7, 8, 500)
    with_table = compute_entropies(dataset)
    monkeypatch.setattr(entropy, "TABLE_ENTRIES", 0)
    without = compute_entropies(dataset)
    assert without.conditional == pytest.approx(with_table.conditional, abs=1e-14)
    assert (without.conditional == 0).tolist() == (with_table.conditional == 0).tolist()


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr(entropy, "BLOCK_CELLS", 8)
    dataset = random_dataset(8, 20, 300)
    one, three = compute_entropies(dataset), compute_entropies(dataset, jobs=3)
    assert same_bits(one.entropy, three.entropy) and same_bits(one.conditional, three.conditional)


@pytest.mark.slow
def test_large_counts_neither_overflow_nor_lose_precision():
    # 2**24 + 3 rows: past the integers that float32 holds, and past the table of logarithms.
    n, half = 2**24 + 3, 2**23
    column = np.zeros(n, dtype=np.uint8)
    column[:half] = 1
    copy = column.copy()
    copy[0] = 0
    table = compute_entropies(make_dataset([column, copy]))
    p = half / n
    assert table.entropy[0] == pytest.approx(-p * math.log(p) - (1 - p) * math.log1p(-p), rel=1e-13)
    # One row of those with copy 0 has column 1: that group's entropy times its share.
    group = n - half + 1
    log_terms = math.log(group) + (group - 1) * -math.log1p(-1 / group)
    assert table.conditional[0, 1] == pytest.approx(log_terms / n, rel=1e-6)


def test_progress_counts_every_pair_of_blocks(monkeypatch):
    calls = []

    class Recorder(NullReporter):
        def progress(self, done, total, counted, network=None, **facts):
            calls.append((done, total))

    monkeypatch.setattr(entropy, "BLOCK_CELLS", 4)
    compute_entropies(make_dataset(np.tile([0, 1, 1], (5, 1))), reporter=Recorder())
    # Blocks of 2, 2 and 1 variables make 6 pairs.
    assert calls == [(done, 6) for done in range(1, 7)]


# Properties


@st.composite
def datasets(draw):
    n_states = draw(st.lists(st.integers(1, 4), min_size=2, max_size=5))
    row = st.tuples(*(st.integers(0, r - 1) for r in n_states))
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return make_dataset(list(zip(*rows)), n_states)


@given(datasets())
def test_bounds_and_chain_rule(dataset):
    table = compute_entropies(dataset)
    assert (table.entropy <= np.log(np.minimum(dataset.n_states, dataset.n_rows)) + 1e-12).all()
    assert (table.conditional >= 0).all()
    assert (table.conditional <= table.entropy[:, None]).all()
    joint = table.entropy + table.conditional
    assert np.abs(joint - joint.T).max() < 1e-12
    mutual = table.entropy[:, None] - table.conditional
    off_diagonal = ~np.eye(len(joint), dtype=bool)
    assert np.abs((mutual - mutual.T)[off_diagonal]).max() < 1e-12


@given(datasets(), st.randoms(use_true_random=False))
def test_relabelling_permutes_the_same_bits(dataset, random):
    order = random.sample(range(dataset.n_variables), dataset.n_variables)
    renamed = [random.sample(range(int(r)), int(r)) for r in dataset.n_states]
    columns = [[renamed[i][code] for code in dataset.codes[i].tolist()] for i in order]
    there = compute_entropies(dataset)
    here = compute_entropies(make_dataset(columns, [int(dataset.n_states[i]) for i in order]))
    assert same_bits(here.entropy, there.entropy[order])
    assert same_bits(here.conditional, there.conditional[np.ix_(order, order)])


@given(datasets(), st.integers(2, 5))
def test_repeating_all_rows_changes_nothing(dataset, times):
    once = compute_entropies(dataset)
    often = compute_entropies(make_dataset(np.tile(dataset.codes, (1, times)), dataset.n_states))
    assert often.conditional == pytest.approx(once.conditional, abs=1e-12)


# Against bnlearn


def reference_pairs():
    path = TEST_DATA / "reference_entropies.json"
    return json.loads(path.read_text())["pairs"]


@pytest.mark.parametrize("pair", reference_pairs(), ids=lambda p: f"{p['data']}-{p['x']}-{p['y']}")
def test_reference_pairs(pair):
    counts = np.array(pair["counts"])
    x, y = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
    table = compute_entropies(make_dataset([x, y], counts.shape))
    expected = [pair["entropy_x"], pair["entropy_y"]]
    assert table.entropy.tolist() == pytest.approx(expected, rel=1e-9)
    assert table.conditional[0, 1] == pytest.approx(pair["x_given_y"], rel=1e-9)
    assert table.conditional[1, 0] == pytest.approx(pair["y_given_x"], rel=1e-9)
    mutual = table.entropy[0] - table.conditional[0, 1]
    assert mutual == pytest.approx(pair["mutual_information"], abs=1e-9)


def read_columns(path: Path, n_rows: int | None = None) -> Dataset:
    with gzip.open(path, "rt") as stream:
        rows = list(csv.reader(stream))[: None if n_rows is None else n_rows + 1]
    labels = [sorted(set(column[1:])) for column in zip(*rows)]
    codes = [[states.index(cell) for cell in column[1:]] for states, column in zip(labels, zip(*rows))]
    variables = tuple(Variable(name, tuple(states)) for name, states in zip(rows[0], labels))
    return Dataset(variables, np.array(codes, dtype=np.uint8), "sha256:0")


@pytest.mark.parametrize(
    ("name", "file", "n_rows"),
    [
        ("asia", "data/reference/asia.csv.gz", None),
        ("learning.test", "data/reference/learning.test.csv.gz", None),
        ("alarm", "data/reference/alarm.csv.gz", 1000),
        ("nltcs", "data/debd/nltcs.train.csv.gz", None),
    ],
)
def test_all_reference_pairs(shared, name, file, n_rows):
    reference = json.loads((shared / "reference_scores.json").read_text())["datasets"][name]
    dataset = read_columns(shared / file, n_rows)
    table = compute_entropies(dataset)
    names = [f"V{i + 1}" for i in range(16)] if name == "nltcs" else list(dataset.names)
    assert reference["pairwise"]
    for pair in reference["pairwise"]:
        x, y = names.index(pair["x"]), names.index(pair["y"])
        found = [table.entropy[x], table.entropy[y], table.conditional[x, y], table.conditional[y, x]]
        keys = ["H_x", "H_y", "H_x_given_y_loglik", "H_y_given_x_direct"]
        assert found == pytest.approx([pair[key] for key in keys], rel=1e-9)
        assert table.entropy[x] - table.conditional[x, y] == pytest.approx(pair["mi_citest"], abs=1e-9)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_mutual_information_by_name(seed):
    """In whatever order the variables are asked for, of those that are asked for only."""
    dataset = random_dataset(seed, 6, 80)
    columns, wanted = dataset.codes.tolist(), [4, 0, 3]
    found = mutual_information(compute_entropies(dataset), [f"X{v}" for v in wanted], "here")
    for i, a in enumerate(wanted):
        for j, b in enumerate(wanted):
            expected = 80 * (naive.entropy(columns[a]) - naive.conditional_entropy(columns[a], columns[b]))
            assert found[i, j] == pytest.approx(0.0 if a == b else expected, abs=1e-9)
    assert (found >= 0).all() and (found == found.T).all()


def test_mutual_information_of_unknown_variables():
    entropies = compute_entropies(random_dataset(0, 3, 20))
    with pytest.raises(Inconsistent, match="variable 'Y' is missing here; variables are matched by name"):
        mutual_information(entropies, ["X0", "Y"], "here")
    with pytest.raises(Inconsistent, match="2 variables are missing here, 'Y' for one"):
        mutual_information(entropies, ["Y", "Z"], "here")
