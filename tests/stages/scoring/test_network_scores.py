"""Scores counted with numpy against dictionaries of counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.evaluation import make_dataset, random_parents, random_rows
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive import networks as naive_networks
from naive import scores as naive_scores

from stages.scoring.independent import (
    MOST_EMPTY_CELLS,
    count_family,
    count_parameters,
    encode_rows,
    local_score,
    score_families,
)

SCORES = ("ll", "bic", "aic", "bdeu", "k2", "bds", "qnml", "fnml")
CLOSE = {"rel": 1e-11, "abs": 1e-9}


def score_one(rows, n_states, child, parents, score, ess=1.0):
    counts = count_family(make_dataset(rows, n_states), n_states, child, parents)
    return local_score(counts, score, ess)


# By hand: X0 = 0 0 0 1, X1 = 0 0 1 1.
FOUR_ROWS = [(0, 0), (0, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("score", "parents", "expected"),
    [
        ("ll", (), 3 * math.log(3 / 4) + math.log(1 / 4)),
        ("ll", (1,), 2 * math.log(1 / 2)),
        ("bic", (1,), 2 * math.log(1 / 2) - math.log(4)),
        ("aic", (1,), 2 * math.log(1 / 2) - 2),
        # Three of one kind and one of the other: 3! 1! / 5!.
        ("k2", (), math.log(6 / 120)),
        # 2! / 3! for X1 = 0, and 1! 1! / 3! for X1 = 1.
        ("k2", (1,), math.log(1 / 3) + math.log(1 / 6)),
        # ess 2 without parents is K2 for a binary child.
        ("bdeu", (), math.log(6 / 120)),
        # Both values of the parent have rows: as BDeu.
        ("bds", (1,), math.log(3 / 8) + math.log(1 / 8)),
        # C(2, 2) = 1 + 1/2 + 1 for each value of the parent.
        ("fnml", (1,), 2 * math.log(1 / 2) - 2 * math.log(5 / 2)),
        # C(4, 2) = 1 + 27/64 + 3/8 + 27/64 + 1, C(4, 3) = C(4, 2) + 4, C(4, 4) = C(4, 3) + 2 C(4, 2).
        ("qnml", (1,), 2 * math.log(1 / 2) - math.log(3 * 103 / 32 + 4) + math.log(103 / 32)),
    ],
)
def test_by_hand(score, parents, expected):
    assert score_one(FOUR_ROWS, [2, 2], 0, parents, score, ess=2.0) == pytest.approx(expected, rel=1e-14)


def test_deterministic_family_has_likelihood_zero_exactly():
    rows = [(i % 3, (i % 3) // 2, i % 7) for i in range(50)]
    assert score_one(rows, [3, 2, 7], 1, (0, 2), "ll") == 0.0


@pytest.mark.parametrize("score", SCORES)
def test_all_families_of_four_variables(score):
    n_states = [2, 3, 1, 4]
    rows = random_rows(1, n_states, 40)
    families = {family for parents in naive_networks.all_networks(4) for family in enumerate(parents)}
    for child, parent_set in sorted(families):
        expected = naive_scores.local_score(rows, n_states, child, parent_set, score, 3.0)
        got = score_one(rows, n_states, child, parent_set, score, 3.0)
        assert got == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_parents", [6, 12, 40, 70, 200])
def test_tables_far_larger_than_the_data(n_parents, score):
    # From 12 parents of 4 states on a table is too large, from 32 on its cells cannot be numbered in 64 bits.
    n_states = [3] + [4] * n_parents
    rows = random_rows(n_parents, n_states, 300)
    # Some rows differ in their first columns only, where codes that wrap around would lose them.
    rows += [row[: 1 + n_parents // 4] + (0,) * (n_parents - n_parents // 4) for row in rows[:100]] + rows[:50]
    expected = naive_scores.local_score(rows, n_states, 0, range(1, n_parents + 1), score, 10.0)
    assert score_one(rows, n_states, 0, range(1, n_parents + 1), score, 10.0) == pytest.approx(expected, **CLOSE)


def test_more_configurations_than_floats_hold():
    n_states = [2] + [256] * 150
    rows = random_rows(3, n_states, 5)
    scores = [score_one(rows, n_states, 0, range(1, 151), score) for score in ("ll", "bic", "aic", "bdeu")]
    assert scores == [0.0, -math.inf, -math.inf, -math.inf]
    # Each row may have any state: the regret of qNML has a limit.
    assert score_one(rows, n_states, 0, range(1, 151), "qnml") == pytest.approx(-5 * math.log(2), rel=1e-12)


@pytest.mark.parametrize("n_variables", [1, 5, 13, 32, 90])
def test_row_codes_distinguish_configurations(n_variables):
    n_states = [4] * n_variables
    rows = [row for row in random_rows(5, n_states, 200) for _ in range(2)]
    codes, n_codes = encode_rows(make_dataset(rows, n_states), n_states, range(n_variables))
    assert len(set(zip(codes.tolist(), rows))) == len(set(rows)) == len(set(codes.tolist()))
    assert codes.min() >= 0
    assert codes.max() < n_codes <= max(MOST_EMPTY_CELLS, 4 * len(rows))


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_families_of_a_network(seed):
    n_states = [2, 3, 2, 4, 3, 2]
    rows = random_rows(seed, n_states, 100)
    parents = random_parents(seed, 6, 3)
    dataset = make_dataset(rows, n_states)
    for score in SCORES:
        local_scores = score_families(parents, dataset, (score,), 2.0)[score]
        expected = [naive_scores.local_score(rows, n_states, c, p, score, 2.0) for c, p in enumerate(parents)]
        assert local_scores == pytest.approx(expected, **CLOSE)


def test_parameters_are_counted_exactly():
    assert count_parameters([(), (0,), (0, 1)], [3, 2, 4]) == 2 + 3 + 3 * 6
    assert count_parameters([range(1, 101), *[()] * 100], [3] + [256] * 100) == 2 * 256**100 + 255 * 100


def test_unknown_score_is_refused():
    with pytest.raises(ValueError, match="mdl"):
        score_one(FOUR_ROWS, [2, 2], 0, (), "mdl")


@given(st.integers(0, 10**6), st.sampled_from([(2, 2, 2, 2), (2, 3, 4, 2), (5, 2, 1, 3)]), st.integers(1, 60))
def test_equivalent_networks_score_alike(seed, n_states, n_rows):
    dataset = make_dataset(random_rows(seed, n_states, n_rows), n_states)
    classes = naive_networks.equivalence_classes(4)
    members = classes[seed % len(classes)]
    for score in ("ll", "bic", "aic", "bdeu", "qnml"):
        ends = (members[0], members[-1])
        totals = [math.fsum(score_families(m, dataset, (score,), 3.0)[score]) for m in ends]
        assert totals[0] == pytest.approx(totals[1], **CLOSE)


@given(st.integers(0, 10**6), st.permutations(range(5)), st.randoms(use_true_random=False))
def test_scores_follow_their_variables_and_ignore_labels(seed, permutation, chance):
    n_states = [2, 3, 2, 4, 3]
    rows = random_rows(seed, n_states, 50)
    parents = random_parents(seed, 5, 4)
    relabelled = [list(range(s)) for s in n_states]
    for codes in relabelled:
        chance.shuffle(codes)
    moved_rows = [tuple(relabelled[v][row[v]] for v in permutation) for row in rows]
    chance.shuffle(moved_rows)
    place = {v: i for i, v in enumerate(permutation)}
    moved_parents = [[place[p] for p in parents[v]] for v in permutation]
    before = score_families(parents, make_dataset(rows, n_states), SCORES, 2.0)
    after = score_families(moved_parents, make_dataset(moved_rows, [n_states[v] for v in permutation]), SCORES, 2.0)
    for score in SCORES:
        assert after[score] == pytest.approx(before[score][list(permutation)], **CLOSE)


@given(st.integers(0, 10**6))
def test_likelihood_never_falls_with_more_parents(seed):
    n_states = [2, 3, 2, 2]
    dataset = make_dataset(random_rows(seed, n_states, 30), n_states)
    nested = [score_families([p, (), (), ()], dataset, ("ll",))["ll"][0] for p in ((), (1,), (1, 2), (1, 2, 3))]
    assert np.all(np.diff(nested) >= -1e-9)
    assert nested[-1] <= 0.0
