"""Counting and scoring of families against the definition, in every way of counting."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from helpers.tables import dependent_dataset, make_dataset
from hypothesis import given
from hypothesis import strategies as st
from naive.scores import local_score

from stages.kernels.counting import counting_plan
from stages.kernels.counting.add_one import score_expansions
from stages.scoring.dataset_layout import merge_equal_rows, pack_dataset, plan_segments
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import SCORES


def assert_close(value: float, expected: float) -> None:
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_bic_of_a_family_worked_by_hand():
    # Child equals its parent in 3 of 4 rows: N(0,0)=2, N(1,0)=1 (child 0 given parent 1), N(1,1)=1.
    data = make_dataset(np.array([[0, 0, 0, 1], [0, 0, 1, 1]]), [2, 2])
    scorer = FamilyScorer(data, "bic")
    likelihood = 2 * math.log(2 / 2) + math.log(1 / 2) + math.log(1 / 2)
    assert_close(scorer.local_score(0, (1,)), likelihood - math.log(4) / 2 * 2)
    assert_close(scorer.local_score(0, ()), 3 * math.log(3 / 4) + math.log(1 / 4) - math.log(4) / 2)


@pytest.mark.parametrize("score", SCORES)
def test_all_families_of_four_variables(score):
    dataset, rows = dependent_dataset(3, 4, 60)
    n_states = dataset.n_states.tolist()
    scorer = FamilyScorer(dataset, score, ess=2.5)
    for child, *parents in permutations(range(4)):
        for size in range(4):
            chosen = tuple(parents[:size])
            expected = local_score(rows, n_states, child, chosen, score, 2.5)
            assert_close(scorer.local_score(child, chosen), expected)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 700])
@pytest.mark.parametrize("noise", [0.05, 0.9])
def test_expansions_agree_with_the_definition(score, n_rows, noise):
    dataset, rows = dependent_dataset(n_rows, 7, n_rows, noise=noise)
    n_states = dataset.n_states.tolist()
    scorer = FamilyScorer(dataset, score, ess=0.7)
    rng = np.random.default_rng(n_rows)
    for size in range(5):
        child, *parents = (int(i) for i in rng.permutation(7)[: size + 1])
        scores = scorer.expand(child, tuple(parents))
        for y in range(7):
            if y == child or y in parents:
                assert scores[y] == -np.inf
            else:
                assert_close(scores[y], local_score(rows, n_states, child, (*parents, y), score, 0.7))


@pytest.mark.parametrize("word_per_row", [1e-6, 0.12, 1e6])
def test_bitmaps_and_row_lists_count_alike(word_per_row):
    # A limit far below or above the measured one sends every configuration one way or the other.
    dataset, _ = dependent_dataset(5, 6, 900, noise=0.8)
    scorer = FamilyScorer(dataset, "bdeu", ess=3.0)
    data = scorer.data
    limit = max(8, int(data.bits.shape[1] * word_per_row))
    from stages.kernels.counting.row_groups import split_rows

    n_rows = int(np.bitwise_count(data.valid).sum())
    work = scorer.workspace()._replace(wide=np.empty((2, n_rows, data.bits.shape[1]), dtype=np.uint64))
    n_wide, n_narrow, level = split_rows(
        data.bits, data.valid, data.codes, data.state_offsets, np.array([0, 1, 2], dtype=np.int32), limit,
        work.wide, work.rows, work.starts, work.small,
    )  # fmt: skip
    seen = [set(np.flatnonzero(_bits(work.wide[level, c]))) for c in range(n_wide)]
    starts = work.starts[level]
    seen += [set(work.rows[level, starts[g] : starts[g + 1]].tolist()) for g in range(n_narrow)]
    groups: dict[tuple, set] = {}
    for row in np.flatnonzero(data.weights):
        groups.setdefault(tuple(data.codes[:3, row].tolist()), set()).add(int(row))
    assert sorted(map(sorted, seen)) == sorted(map(sorted, groups.values()))


def _bits(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), bitorder="little")


def test_rare_states():
    rng = np.random.default_rng(0)
    codes = (rng.random((12, 4000)) < 0.01).astype(np.uint8)
    codes[0] = codes[1] | codes[2]
    codes[11] = rng.integers(0, 3, 4000) * codes[11]
    dataset = make_dataset(codes, [2] * 11 + [3])
    rows = [tuple(int(c) for c in codes[:, k]) for k in range(4000)]
    for score in ("bic", "bdeu"):
        scorer = FamilyScorer(dataset, score)
        assert scorer.data.is_sparse.all()
        for child, parents in ((0, (1,)), (11, (0, 1)), (3, ())):
            scores = scorer.expand(child, parents)
            for y in set(range(12)) - {child, *parents}:
                expected = local_score(rows, dataset.n_states.tolist(), child, (*parents, y), score)
                assert_close(scores[y], expected)
        assert not scorer.workspace().histogram.any()


def test_many_states_and_many_parents_do_not_overflow():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 200, size=(12, 50)).astype(np.uint8)
    dataset = make_dataset(codes, [200] * 12)
    rows = [tuple(int(c) for c in codes[:, k]) for k in range(50)]
    scorer = FamilyScorer(dataset, "bic")
    parents = tuple(range(1, 11))
    expected = local_score(rows, [200] * 12, 0, (*parents, 11), "bic")
    assert_close(scorer.expand(0, parents)[11], expected)
    assert expected < -1e25


def test_equal_rows_are_merged_by_binary_digits():
    codes = np.repeat(np.array([[0, 1, 2], [1, 0, 1]], dtype=np.uint8), [5, 1, 1000], axis=1)
    first, counts = merge_equal_rows(codes)
    assert first.tolist() == [0, 5, 6]
    assert counts.tolist() == [5, 1, 1000]
    planes = {shift: rows.tolist() for shift, rows in plan_segments(counts)}
    assert planes == {0: [0, 1], 2: [0], 3: [2], 5: [2], 6: [2], 7: [2], 8: [2], 9: [2]}
    data = pack_dataset(np.tile(codes, 10), np.array([3, 2], dtype=np.int32))
    assert int(data.weights.sum()) == 10060
    assert len(np.unique(data.word_shifts)) > 1


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 150), st.sampled_from(sorted(SCORES)))
def test_any_small_table(seed, n_variables, n_rows, score):
    dataset, rows = dependent_dataset(seed, n_variables, n_rows)
    rng = np.random.default_rng(seed)
    child, *parents = (int(i) for i in rng.permutation(n_variables)[: int(rng.integers(1, n_variables + 1))])
    expected = local_score(rows, dataset.n_states.tolist(), child, parents, score)
    assert_close(FamilyScorer(dataset, score).local_score(child, tuple(parents)), expected)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_calls_that_continue_score_as_one_call(score):
    dataset, _ = dependent_dataset(4, 9, 3000, most_states=9)
    scorer = FamilyScorer(dataset, score)
    for child, parents in ((0, ()), (1, (2,)), (3, (4, 5, 6)), (8, (0, 1, 2, 3, 4))):
        expected = scorer.expand(child, parents)
        members = np.array(parents, dtype=np.int32)
        candidates = np.flatnonzero(np.isfinite(expected)).astype(np.int32)
        tables = scorer.tables.of_expansion(child, scorer.n_configurations(parents))
        out, place, n_calls = np.full(9, -np.inf), 0, 0
        while place < len(candidates):
            place, _ = score_expansions(
                scorer.data, tables, child, members, candidates, place, 0.0, out, scorer.workspace()
            )
            n_calls += 1
        assert out.tolist() == expected.tolist()
        assert n_calls > len(candidates) // 2  # constant candidates cost nothing


def test_evaluations_are_counted():
    dataset, _ = dependent_dataset(1, 6, 40)
    scorer = FamilyScorer(dataset)
    scorer.expand(0, (1,))
    scorer.local_score(2, (3, 4))
    scorer.local_score(2, ())
    assert scorer.evaluations == 4 + 1 + 1


def test_cost_constants_are_positive():
    constants = ("WORD_COST", "CELL_COST", "LABELLED_ROW_COST")
    assert all(getattr(counting_plan, name) > 0 for name in constants)
