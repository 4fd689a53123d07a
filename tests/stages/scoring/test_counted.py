"""Scores that packages state by functions of counts: against our own of the same formula, and against plain loops."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from helpers.cases.selections import identify
from helpers.tables import dependent_dataset, make_dataset
from naive.parentsets import prune_dominated
from naive.scores import counted_score

from formats.discovery import UnusableError
from formats.errors import VerificationError
from stages.parentsets import ParentSetOptions
from stages.parentsets.child_search import ChildLimits
from stages.parentsets.dirichlet_bounds import superset_bound
from stages.runtime.errors import StageError
from stages.scoring import independent
from stages.scoring.definitions import counted
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import IndependentScorer
from stages.scoring.scores import SCORES
from stages.scoring.set_functions import SetFunctions, cell_numbers

log_gamma = np.vectorize(math.lgamma, otypes=[float])


def rising(start, counts):
    """``lnGamma(start + m) - lnGamma(start)``."""
    return log_gamma(start + counts) - math.lgamma(start)


def m_log_m(counts):
    return counts * np.log(np.maximum(counts, 1.0))


def regret(counts, states):
    """Logarithm of a number that grows with the counts, 0 for none."""
    return (states - 1) / 2 * np.log1p(counts)


DECLARED = {
    # Our own scores, stated by counts.
    "k2_": counted("K2", lambda counts: rising(1.0, counts), lambda counts, states: rising(states, counts)),
    "ll_": counted("LL", m_log_m, m_log_m, is_equivalent=True),
    "bdeu_": counted(
        "BDeu",
        lambda counts, states, configurations, ess: rising(ess / configurations / states, counts),
        lambda counts, configurations, ess: rising(ess / configurations, counts),
        is_equivalent=True,
    ),
    # Others: Dirichlet parameters 1/2, and 1 / states; likelihood less a regret; positive ones.
    "jeffreys": counted(
        "Jeffreys",
        lambda counts: rising(0.5, counts),
        lambda counts, states: rising(states / 2, counts),
        bounds_supersets=True,
    ),
    "perks": counted(
        "Perks",
        lambda counts, states: rising(1 / states, counts),
        lambda counts: rising(1.0, counts),
        bounds_supersets=True,
    ),
    "regret": counted(
        "Regret", m_log_m, lambda counts, states: m_log_m(counts) + regret(counts, states), bounds_supersets=True
    ),
    "squares": counted("Squares", lambda counts, rows: counts**2 / rows, lambda counts: 0.3 * counts),
    "tsallis": counted("Tsallis", lambda counts, states: counts * (states + 1), lambda counts, states: counts**1.2),
}
PLAIN = {
    "jeffreys": lambda counts, q: (
        sum(math.lgamma(n + 0.5) - math.lgamma(0.5) for n in counts)
        - math.lgamma(sum(counts) + len(counts) / 2)
        + math.lgamma(len(counts) / 2)
    ),
    "perks": lambda counts, q: (
        sum(math.lgamma(n + 1 / len(counts)) - math.lgamma(1 / len(counts)) for n in counts)
        - math.lgamma(sum(counts) + 1)
    ),
    "regret": lambda counts, q: (
        sum(n * math.log(n / sum(counts)) for n in counts if n) - (len(counts) - 1) / 2 * math.log(1 + sum(counts))
    ),
    "tsallis": lambda counts, q: (len(counts) + 1) * sum(counts) - sum(counts) ** 1.2,
}


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    for name, score in DECLARED.items():
        monkeypatch.setitem(SCORES, name, score)
        monkeypatch.setitem(independent.ADDED, name, score)


def subsets(n: int, child: int, most: int):
    others = [i for i in range(n) if i != child]
    return [parents for size in range(most + 1) for parents in combinations(others, size)]


def every_way(dataset, score: str) -> dict[str, np.ndarray]:
    """Scores of many families by all ways of counting."""
    scorer = FamilyScorer(dataset, score, 2.0)
    n = dataset.n_variables
    found = {"pairs": scorer.pairs().matrix().ravel(), "empty": scorer.pairs().empty_scores}
    for parents in ((), (1,), (3, 1), (1, 2, 3), (1, 2, 3, 4)):
        found[f"expand {parents}"] = scorer.expand(0, parents)
        found[f"reduce {parents}"] = scorer.reduce(0, parents)
    if cliques := scorer.cliques(2):
        members = np.arange(2, dtype=np.int32)
        found["cliques"] = cliques.best(members, np.arange(2, n, dtype=np.int32), np.full(n - 2, 3))[1]
    return found


TABLES = {
    "binary": dependent_dataset(1, 6, 700, most_states=2, least_states=2, noise=0.8)[0],
    "mixed": dependent_dataset(3, 6, 500, noise=0.8)[0],
    "merged": make_dataset(
        np.repeat(dependent_dataset(2, 6, 60, most_states=3)[0].plain_codes, 30, axis=1),
        dependent_dataset(2, 6, 60, most_states=3)[0].n_states.tolist(),
    ),
}


@pytest.mark.parametrize("score", ["k2", "ll", "bdeu"])
@pytest.mark.parametrize("name", TABLES)
def test_our_own_scores_by_counts_have_our_digits(name, score):
    ours, stated = every_way(TABLES[name], score), every_way(TABLES[name], f"{score}_")
    assert ours.keys() - stated.keys() <= {"cliques"}
    quantum = FamilyScorer(TABLES[name], score).quantum
    for way, scores in stated.items():
        is_scored = np.isfinite(ours[way])
        assert np.array_equal(is_scored, np.isfinite(scores))
        # Logarithms of numpy may differ in their last bits.
        assert np.abs(ours[way][is_scored] - scores[is_scored]).max(initial=0.0) <= quantum, way
    if score == "k2":
        assert np.array_equal(stated["cliques"], ours["cliques"])


@pytest.mark.parametrize("score", PLAIN)
@pytest.mark.parametrize("name", TABLES)
def test_all_families_agree_with_a_plain_loop(name, score):
    dataset = TABLES[name]
    n, n_states = dataset.n_variables, dataset.n_states.tolist()
    rows = [tuple(int(c) for c in column) for column in dataset.plain_codes.T]
    scorer, checker = FamilyScorer(dataset, score), IndependentScorer(dataset, score, 1.0)
    pairs = scorer.pairs().matrix()
    for child in range(n):
        for parents in subsets(n, child, 3):
            plain = counted_score(rows, n_states, child, parents, PLAIN[score])
            assert scorer.local_score(child, parents) == pytest.approx(plain, rel=1e-9, abs=1e-6)
            assert checker.local_score(child, parents) == pytest.approx(plain, rel=1e-9, abs=1e-6)
            if len(parents) == 1:
                assert pairs[child, parents[0]] == scorer.local_score(child, parents)
            if len(parents) == 3:
                fewer = [scorer.local_score(child, parents[:i] + parents[i + 1 :]) for i in range(3)]
                assert scorer.reduce(child, parents).tolist() == fewer


def test_sets_share_their_values_where_a_cell_adds_the_same_to_all_families():
    for name, is_shared in (("jeffreys", True), ("regret", True), ("perks", False), ("bdeu_", False)):
        scorer = FamilyScorer(TABLES["binary"], name)
        assert (cell_numbers(scorer, 3) is not None) is is_shared is (scorer.cliques(2) is not None)
        assert (scorer.set_functions(3) is not None) is is_shared
    # More than sums hold exactly.
    SCORES["jeffreys"] = counted("Large", lambda counts: 1e3 * counts, lambda counts: 1e3 * counts)
    assert FamilyScorer(TABLES["binary"], "jeffreys").set_functions(3) is None
    assert isinstance(FamilyScorer(TABLES["binary"], "regret").set_functions(3), SetFunctions)


@pytest.mark.parametrize("score", DECLARED)
@pytest.mark.parametrize("method", ["sequential", "greedy", "indep"])
def test_complete_lists_hold_every_set_that_no_subset_beats(method, score):
    dataset = dependent_dataset(5, 5, 90, most_states=3, least_states=2)[0]
    checker = IndependentScorer(dataset, score, 1.0)
    _, records = identify(dataset, ParentSetOptions(method=method, score=score, max_parents=4))
    for record in records:
        exact = {p: checker.local_score(record.child, p) for p in subsets(5, record.child, 4)}
        expected = prune_dominated({parents: round(value, 8) for parents, value in exact.items()})
        assert record.complete and set(record.parents) == set(expected)
        for parents, value in zip(record.parents, record.scores):
            assert value == pytest.approx(exact[parents], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("score", ["jeffreys", "perks", "regret"])
def test_the_bound_covers_all_supersets_and_prunes(score):
    dataset = dependent_dataset(6, 6, 60, most_states=3, least_states=2)[0]
    scorer = FamilyScorer(dataset, score)
    for child in range(6):
        allowed = np.array([y for y in range(6) if y != child], dtype=np.int32)
        bound = superset_bound(scorer, child, ChildLimits(allowed, 5, 10**9))
        exact = {parents: scorer.local_score(child, parents) for parents in subsets(6, child, 5)}
        for parents in exact:
            most = bound(parents)
            assert most >= max(value for other, value in exact.items() if set(other) >= set(parents)) - 1e-9
            assert not bound.excludes(parents, most - 1e-6)
    assert superset_bound(FamilyScorer(dataset, "squares"), 0, ChildLimits(allowed, 5, 10**9)) is None
    # A copy, and little data: larger sets cannot score more.
    codes = np.tile(np.random.default_rng(1).integers(0, 2, 25), (7, 1))
    evaluated = {}
    for is_bounded in (True, False):
        own = DECLARED[score].terms
        SCORES[score] = counted("S", own.cell, own.row, bounds_supersets=is_bounded)
        _, records = identify(
            make_dataset(codes, [2] * 7), ParentSetOptions(method="sequential", score=score, max_parents=5)
        )
        evaluated[is_bounded] = sum(record.evaluated for record in records)
    assert evaluated[True] < evaluated[False] / 2


def test_a_bound_that_does_not_hold_is_an_error():
    dataset = TABLES["binary"]
    limits = ChildLimits(np.array([1], dtype=np.int32), 1, 10**9)
    for cell, row, said in (
        (lambda counts: counts, lambda counts: np.sqrt(counts), "row(m) / m never falls, but it does at m = 2"),
        (lambda counts: np.sqrt(counts), lambda counts: counts, "(cell(m) - row(m)) / m never falls"),
    ):
        SCORES["jeffreys"] = counted("Mine", cell, row, bounds_supersets=True)
        with pytest.raises(StageError) as met:
            superset_bound(FamilyScorer(dataset, "jeffreys"), 0, limits)
        assert said in str(met.value) and "the score Mine of the package" in str(met.value)


def test_a_wrong_score_is_found_by_the_independent_check():
    dataset = TABLES["binary"]
    checker = IndependentScorer(dataset, "jeffreys", 1.0)
    score = FamilyScorer(dataset, "jeffreys").local_score(0, (1, 2))
    checker.check(0, (1, 2), score)
    with pytest.raises(VerificationError, match="but the data give"):
        checker.check(0, (1, 2), score + 0.01)
    # Scores of packages may be positive: the lists of a search pass the check.
    assert FamilyScorer(dataset, "squares").local_score(0, ()) > 0


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (lambda counts: counts[:2], r"\(cell\): an array of shape \(2,\) for counts of shape \(701,\)"),
        (
            lambda counts: np.log(counts),
            "-inf for a count of 0, which must be 0: an empty cell or configuration adds",
        ),
        (lambda counts: log_gamma(counts + 1.5), "-0.120782 for a count of 0, which must be 0"),
        (lambda counts: np.where(counts == 7, np.nan, 0 * counts), "nan for a count of 7, which must be a finite"),
        (lambda counts, states: 1 / 0, r"\(cell, states 2\): ZeroDivisionError: division by zero"),
        (lambda counts: ["a"] * len(counts), "ValueError: could not convert string to float"),
    ],
)
def test_terms_that_are_no_numbers_are_errors_of_the_package(cell, said):
    SCORES["jeffreys"] = counted("Mine", cell, lambda counts: counts)
    with pytest.raises(StageError, match=f"the score Mine of the package .* cannot be computed .*{said}"):
        FamilyScorer(TABLES["binary"], "jeffreys")


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (lambda n, r: n, "this one has n, r"),
        (lambda states: states, "this one has no counts"),
        (7, "no function with named parameters"),
        (math.hypot, "no function with named parameters|this one has"),
    ],
)
def test_parameters_are_taken_by_name(cell, said):
    with pytest.raises(UnusableError, match=f"Mine: .*({said})"):
        counted("Mine", cell, lambda counts: counts)
    assert counted("Mine", lambda counts, base=2.0: counts, lambda counts: counts).terms.shares_cells
    with pytest.raises(
        UnusableError, match="bounds_supersets does not go with a term that depends on configurations"
    ):
        counted("Mine", lambda counts: counts, lambda counts, configurations: counts, bounds_supersets=True)
