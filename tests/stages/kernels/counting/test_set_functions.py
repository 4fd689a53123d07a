"""Values of sets, counted once for all members: against plain sums, and scores against those of expansions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.scores import local_score
from naive.set_functions import cell_sum, places_by_rank, rows_of_ones

from formats.data_records import Dataset, Variable
from stages.kernels.counting.set_functions import (
    insert_place,
    make_values,
    next_run,
    score_open_binary,
    score_open_by_values,
    score_row,
    sum_by_expansion,
    sum_single,
    take_values,
)
from stages.kernels.counting.set_values import (
    count_subsets,
    line_of,
    rank_base,
    rank_of,
    shared_rows,
    subset_bitmap,
    subtract_counts,
    sum_binary,
    sum_cells,
    take_counts,
    take_subset,
)
from stages.parentsets.found_sets import UNLIMITED, ChildLimits
from stages.parentsets.sequential import search_child
from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_functions import SetFunctions, cell_numbers, configuration_kinds, kept_sets, largest_size

SCORES = ("bic", "aic", "ll", "bdeu", "k2")


def places(*members: int) -> np.ndarray:
    return np.array(members, dtype=np.int64)


def others(*members: int) -> np.ndarray:
    return np.array(members, dtype=np.int32)


def table_of(n_states, n_rows=100, seed=0):
    """A data set of dependent columns in which each state occurs if there are rows enough, and its rows."""
    rng = np.random.default_rng(seed)
    latent = rng.random(n_rows)
    codes = np.array([((latent + rng.random(n_rows)) / 2 * r).astype(np.uint8) for r in n_states])
    variables = tuple(Variable(f"V{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))
    return Dataset(variables, codes, "none"), codes.T.tolist()


def functions_of(n_states=(2,) * 6, largest=4):
    dataset, rows = table_of(n_states)
    scorer = FamilyScorer(dataset)
    return SetFunctions(scorer, largest), scorer, rows


def test_ranks_are_lexicographic():
    n, largest = 7, 4
    expected = places_by_rank(n, largest)
    arrays = functions_of((2,) * n, largest)[0].arrays
    binomials, starts = arrays.binomials, arrays.starts
    assert starts.tolist() == arrays.kept[:-1].tolist() == [0, 0, 7, 28, 63] and arrays.kept[-1] == len(expected)
    for members, place in expected.items():
        assert rank_of(starts, binomials, places(*members), len(members)) == place
        for k, one in enumerate(members):
            rest = members[:k] + members[k + 1 :]
            base, row = rank_base(starts, binomials, places(*rest), len(rest), len(rest) - k)
            assert base - binomials[row, n - 1 - one] == place


def test_the_last_sets_are_kept():
    n, largest = 7, 4
    assert kept_sets(n, largest, 0, 12 * (7 + 21) + 12 * 10) == [7, 21, 10, 0]
    assert kept_sets(n, largest, 1, 20 * (7 + 21 + 35) + 8 * 9 + 7) == [7, 21, 35, 9]
    scorer = FamilyScorer(table_of((2,) * n)[0])
    arrays = SetFunctions(scorer, largest, 12 * (7 + 21) + 12 * 10).arrays
    sets = places_by_rank(n, largest)
    for size, n_kept in enumerate((7, 21, 10, 0), 1):
        own = [members for members in sets if len(members) == size]
        ranks = [rank_of(arrays.starts, arrays.binomials, places(*members), size) for members in own]
        expected = range(int(arrays.kept[size]), int(arrays.kept[size + 1]))
        assert [rank for rank in ranks if rank >= arrays.kept[size]] == list(expected) and len(expected) == n_kept
    assert len(arrays.counts) == 38


def test_subsets_and_their_bitmaps():
    functions, scorer, rows = functions_of()
    scratch, members = functions._scratch(), places(0, 2, 5)
    scratch.made[1:] = False
    for code in (5, 0, 7, 2, 7):
        subset = [int(members[i]) for i in range(3) if code >> i & 1]
        assert take_subset(members, 3, code, scratch.subset) == len(subset)
        assert scratch.subset[: len(subset)].tolist() == subset
        subset_bitmap(scorer.data.bits, functions.arrays.firsts, members, code, scratch.bitmaps, scratch.made)
        found = shared_rows(scratch.bitmaps[code], scorer.data.valid, scorer.data.word_shifts)
        assert found == rows_of_ones(rows, subset)


def test_sums_over_cells():
    """Of counts in which three digits are not yet transformed."""
    rng, sums = np.random.default_rng(1), np.zeros(5)
    table = rng.random(400)
    own = rng.integers(0, 40, 16).astype(np.int32)
    cells = (rng.random((16, 5)) * (own[:, None] + 1)).astype(np.int32)
    expected = np.zeros(5)
    for code in (0, 8):
        less = [[more for more in range(8) if more & digits == digits] for digits in range(8)]
        counts = np.zeros((16, 5), dtype=np.int32)
        counts[code : code + 8] = [cells[code:][more].sum(axis=0) for more in less]
        sum_cells(table, own, code, counts, sums)
        some = slice(code, code + 8)
        expected += (table[cells[some]] + table[own[some, None] - cells[some]]).sum(axis=0)
        assert sums == pytest.approx(expected)


def test_rows_of_counts():
    known, counts = np.array([4, 3, 1, 0, 2], dtype=np.int32), np.zeros(2, dtype=np.int32)
    assert take_counts(known, 1, counts) and counts.tolist() == [2, 0]
    assert not take_counts(known, 3, counts) and counts.tolist() == [-1, 1]
    subtract_counts(counts, np.array([1, 5], dtype=np.int32))
    assert counts.tolist() == [-2, -4]


def test_scores_of_a_row():
    of_sets, entries, is_better = (
        np.array([-3.0, -5.0, -2.0]),
        np.array([-9.0, -6.0, np.nan]),
        np.ones(3, dtype=np.bool_),
    )
    score_row(of_sets, np.array([1.0, 1.0, 1.0]), np.array([2.0, 3.0, 2.0]), 0.6, 0.5, entries, is_better)
    assert of_sets.tolist() == [-5.0, -8.0, -4.0] and is_better.tolist() == [True, False, False]
    assert entries[:2].tolist() == [-5.0, -6.0] and np.isnan(entries[2])


def all_functions(functions):
    return functions.function, *functions.of_parents.values()


def expected_of(function, rows, whole, n_states):
    table = function.table[line_of(function.products, float(np.prod([n_states[v] for v in whole])))]
    return cell_sum(rows, whole, table)


@pytest.mark.parametrize("n_rows", [1, 2, 63, 64, 65, 400])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("most_bytes", [1e9, 12 * (7 + 10)])
def test_values_of_binary_sets(most_bytes, n_rows, score):
    """With counts of subsets known, kept or not, and the further one anywhere among the members."""
    rng = np.random.default_rng(n_rows)
    dataset, rows = table_of((2,) * 7, n_rows)
    scorer = FamilyScorer(dataset, score, 4.0)
    assert cell_numbers(scorer, 5) is not None, "sums would not be exact"
    functions = SetFunctions(scorer, 5, most_bytes)
    arrays, scratch = functions.arrays, functions._scratch()
    for members in [(), (3,), (0, 4), (1, 2), (2, 3, 5), (0, 1, 6), (1, 5, 6), (0, 2, 3, 5)]:
        for n_behind in range(len(members) + 1):
            gap = len(members) - n_behind
            low, high = members[gap - 1] if gap else -1, members[gap] if n_behind else 7
            chosen = [v for v in range(low + 1, high) if rng.random() < 0.8]
            if not chosen:
                continue
            for function in all_functions(functions)[:: 1 if len(members) < 3 else 99]:
                arrays.counts[(rng.random(len(arrays.counts)) < 0.5) & (np.arange(len(arrays.counts)) >= 7)] = 0
                args = places(*members), len(members), n_behind, others(*chosen), scratch
                sum_binary(scorer.data, arrays, function, *args)
                for one, found in zip(chosen, scratch.sums.tolist()):
                    whole = tuple(sorted((*members, one)))
                    assert found == pytest.approx(expected_of(function, rows, whole, dataset.n_states))
                if members:
                    count_subsets(scorer.data, arrays, *args)
                for code in range(1 << len(members)):
                    subset = [v for k, v in enumerate(members) if code >> k & 1]
                    found = scratch.counts[code, : len(chosen)].tolist()
                    assert not members or found == [rows_of_ones(rows, [*subset, one]) for one in chosen]
    for whole in places_by_rank(7, 4):
        place = rank_of(arrays.starts, arrays.binomials, places(*whole), len(whole))
        if place >= arrays.kept[len(whole)] and arrays.counts[place]:
            assert arrays.counts[place] == rows_of_ones(rows, whole) + 1


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("most_work", [0.0, 1e9])
@pytest.mark.parametrize("most_bytes", [1e9, 700])
def test_values_of_mixed_sets(most_bytes, most_work, score):
    dataset, rows = table_of((2, 3, 2, 4, 2, 2, 3))
    scorer = FamilyScorer(dataset, score, 2.0)
    functions = SetFunctions(scorer, 4, most_bytes)
    arrays, scratch = functions.arrays, functions._scratch()
    variables, n = arrays.variables.tolist(), len(arrays.variables)
    for members in ((), (1,), (4,), (0, 1), (2, 5), (1, 2, 4)):
        chosen = [v for v in range(n) if v not in members]
        candidates, entries = others(*chosen), np.zeros(len(chosen))
        entries[2] = np.nan
        for function in all_functions(functions)[:: 1 if len(members) < 3 else 99]:
            row, found = np.empty(len(chosen)), np.empty(len(chosen))
            unknown = take_values(arrays, function.values, places(*members), len(members), candidates, row)
            assert unknown == np.isnan(row).sum()
            is_known = False
            for _ in range(100):
                is_known, _ = make_values(
                    scorer.data, arrays, function, places(*members), len(members), candidates, entries, row,
                    most_work, scratch, scorer.workspace(),
                )  # fmt: skip
                if is_known:
                    break
            assert is_known and (not np.isnan(row[2]) or unknown < len(chosen) or np.isnan(row).sum() == 1)
            take_values(arrays, function.values, places(*members), len(members), candidates, found)
            for i, one in enumerate(chosen):
                whole = tuple(sorted((*members, one)))
                value = expected_of(function, rows, [variables[v] for v in whole], dataset.n_states)
                assert np.isnan(row[i]) if i == 2 else row[i] == pytest.approx(value)
                assert np.isnan(found[i]) or found[i] == row[i]
            assert most_bytes < 1e9 or np.isnan(found).sum() == 1


def test_single_values_and_runs():
    functions, scorer, rows = functions_of((2, 3, 3, 2, 4))
    arrays, function = functions.arrays, functions.function
    value = cell_sum(rows, [int(arrays.variables[2])], function.table[0])
    assert sum_single(scorer.data, arrays, function, 2) == pytest.approx(value)
    candidates = others(1, 2, 5, 8)
    ends = [next_run(places(0, 4, 6), 3, gap, candidates, first) for gap, first in ((0, 0), (1, 0), (2, 2), (3, 3))]
    assert ends == [0, 2, 3, 4]
    scratch = functions._scratch()
    n_done, _ = sum_by_expansion(
        scorer.data, arrays, function, places(0), 1, others(1, 2), 1e9, scratch, scorer.workspace()
    )
    pair = [int(v) for v in arrays.variables[:2]]
    assert n_done == 2 and scratch.scores[pair[1]] == pytest.approx(cell_sum(rows, pair, function.table[0]))


def test_places_are_inserted_in_order():
    for order in itertools.permutations((2, 5, 7)):
        members = np.empty(3, dtype=np.int64)
        for n, place in enumerate(order):
            insert_place(members, n, place)
        assert members.tolist() == [2, 5, 7]


def test_numbers_of_cells():
    scorer = FamilyScorer(table_of((2, 2, 3, 5), 300)[0], "bdeu")
    products = {float(np.prod(s)) for k in (1, 2, 3) for s in itertools.combinations((2, 2, 3, 5), k)}
    found = cell_numbers(scorer, 3)
    assert found.tolist() == sorted(products)
    assert [line_of(found, product) for product in sorted(products)] == list(range(len(found)))
    assert cell_numbers(FamilyScorer(table_of((2, 3), 300)[0], "k2"), 2).tolist() == [1.0]
    tiny = FamilyScorer(table_of((2, 2, 2), 300)[0], "bdeu", 1e-30)
    assert cell_numbers(tiny, 2) is None and largest_size(tiny, 2, 1e9) == 0
    assert configuration_kinds(FamilyScorer(table_of((2, 3, 3, 5), 300)[0], "k2")) == [2, 3, 5]
    assert configuration_kinds(scorer) == []


def found_of(scorer, child, allowed, largest, margin, required, functions):
    limits = ChildLimits(allowed, largest, UNLIMITED, required, margin=margin, functions=functions)
    found = search_child(scorer, child, limits, Budget())
    sets, scores = found.all_sets()
    return dict(zip(sets, scores.tolist())), found.evaluated, found.complete


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", seeds(20, quick=6))
def test_searches_score_as_by_expansions(seed, score):
    """To the last bit, whatever the number of states, children in any order, sets pruned or not, required parents."""
    rng = np.random.default_rng(seed)
    n, n_rows = int(rng.integers(2, 8)), int(rng.choice([1, 2, 5, 30, 63, 64, 65, 200, 700]))
    dataset, rows = dependent_dataset(seed, n, n_rows, most_states=int(rng.choice([2, 3, 5])))
    scorer, most = FamilyScorer(dataset, score), int(rng.integers(1, n))
    most_bytes = float(rng.choice([1e9, 1000, 300, 150]))
    largest = largest_size(scorer, most, most_bytes)
    if largest > 2:
        largest = int(rng.integers(2, largest + 1))  # larger sets are scored by expansions
    functions = SetFunctions(scorer, largest, most_bytes) if largest else None
    for child in rng.permutation(n).tolist():
        varies = scorer.n_states > 1
        required = tuple(v for v in range(n) if v != child and rng.random() < rng.choice([0.0, 0.0, 0.3]))[:most]
        allowed = [
            v for v in scorer.without(np.arange(n), (child, *required)).tolist() if varies[v] and varies[child]
        ]
        allowed = [v for v in allowed if rng.random() < 0.9]
        at_most = min(most, len(allowed) + len(required))
        args = scorer, child, np.array(allowed, dtype=np.int32), at_most, float(rng.choice([0, 0, 3])), required
        found = found_of(*args, functions)
        assert found == found_of(*args, None)
        for parents, value in itertools.islice(found[0].items(), 5):
            assert value == pytest.approx(local_score(rows, dataset.n_states.tolist(), child, parents, score))


@pytest.mark.parametrize("n_rows", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1])
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("n_states", [(2, 2, 2, 2), (2, 256, 3, 2), (255, 2, 2, 17)])
def test_many_rows_and_states(n_rows, n_states, score):
    scorer = FamilyScorer(table_of(n_states, n_rows)[0], score)
    functions = scorer.set_functions(3, 1e9)
    assert functions is not None and functions.largest == 4
    for child in range(4):
        args = scorer, child, np.array([v for v in range(4) if v != child], dtype=np.int32), 3, 0.0, ()
        assert found_of(*args, functions) == found_of(*args, None)


@pytest.mark.parametrize("most_bytes", [1e9, 12 * 8])
@pytest.mark.parametrize(
    "n_states, score_open",
    [((2,) * 6, score_open_by_values), ((2,) * 6, score_open_binary), ((2, 3, 2, 2, 3, 4), score_open_by_values)],
)
def test_scores_of_one_slice_after_the_other(n_states, score_open, most_bytes):
    dataset, rows = table_of(n_states)
    scorer = FamilyScorer(dataset)
    functions = SetFunctions(scorer, 4, most_bytes)
    allowed, child = others(0, 1, 2, 4, 5), 3
    chosen = np.array([[k] for k in range(5)], dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum(4 - chosen[:, 0]))).astype(np.int64)
    entries = np.full(starts[-1], -np.inf)
    entries[1] = np.nan
    is_better, scores = np.zeros(len(entries), dtype=np.bool_), np.full(len(entries), np.nan)
    at, calls = (0, 0), 0
    while at[0] < 5:
        work = () if score_open is score_open_binary else (scorer.workspace(),)
        at = score_open(
            scorer.data, functions.arrays, functions.function, functions.function, child, others(), allowed,
            scorer.n_states[allowed].astype(np.float64), chosen, np.arange(5), at[0], bool(at[1]), 0.0, starts,
            entries, is_better, scores, scorer.penalty(child), scorer.quantum, functions._scratch(), *work,
        )  # fmt: skip
        calls += 1
        assert calls < 100
    assert calls > 5
    pairs = list(itertools.combinations(allowed.tolist(), 2))
    for place, pair in enumerate(pairs):
        if place == 1:
            assert np.isnan(scores[place]) and not is_better[place]
        else:
            assert scores[place] == entries[place] == scorer.local_score(child, pair) and is_better[place]
            assert scores[place] == pytest.approx(local_score(rows, scorer.n_states.tolist(), child, pair))


def test_sizes_that_memory_holds():
    """All but the two largest are kept."""
    scorer = FamilyScorer(table_of((2,) * 8)[0])
    assert largest_size(scorer, 3, 1e9) == 4 and largest_size(scorer, 3, 12 * (8 + 28)) == 4
    assert largest_size(scorer, 3, 12 * (8 + 28) - 1) == 3 and largest_size(scorer, 3, 12 * 8 - 1) == 0
    mixed, _ = table_of((2, 2, 3, 2))
    assert all(largest_size(FamilyScorer(mixed, score), 3, 1e9) == 4 for score in SCORES)
    k2 = FamilyScorer(mixed, "k2")
    assert largest_size(k2, 1, (12 + 2 * 8) * 4) == 2 and largest_size(k2, 1, (12 + 2 * 8) * 4 - 1) == 0
