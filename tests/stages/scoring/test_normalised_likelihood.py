"""fNML, qNML and BDs: regrets against exact numbers, all ways of counting against plain twins, bounds."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers.processes import run_here
from helpers.tables import dependent_dataset, make_dataset
from naive.scores import local_score, log_regret

from stages.parentsets.dirichlet_bounds import enumeration_bound, superset_bound
from stages.parentsets.found_sets import ChildLimits
from stages.scoring import independent
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import IndependentScorer
from stages.scoring.normalised_likelihood import EXPANDED, quotient_regret, regret, regrets
from stages.scoring.set_functions import cell_numbers

SCORES = ("bds", "qnml", "fnml")


@pytest.mark.parametrize(("n_rows", "n_states"), [(1, 2), (2, 3), (3, 4), (5, 3), (6, 2)])
def test_the_twin_is_the_definition(n_rows, n_states):
    """The sum over all sequences of their largest likelihood."""
    total = 0.0
    for rows in itertools.product(range(n_states), repeat=n_rows):
        total += math.prod((n / n_rows) ** n for n in Counter(rows).values())
    assert log_regret(n_rows, n_states) == pytest.approx(math.log(total), rel=1e-13)


@pytest.mark.parametrize("n_states", [1, 2, 3, 7, 60, 256, 999, 1001, 5000, 3 * 4**60])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 11, 60, 350])
def test_regrets_are_exact_numbers(n_rows, n_states):
    exact = pytest.approx(log_regret(n_rows, n_states), rel=1e-12, abs=1e-12)
    assert regret(n_rows, float(n_states)) == exact
    assert independent.log_regret(n_rows, float(n_states)) == exact
    if n_states <= 256:
        assert regrets(np.array([0.0, n_rows]), n_states).tolist() == [0.0, exact]


def test_many_rows():
    """Where C(n, 2) is expanded, it agrees with its sum; all ways agree on many states."""
    counts = np.array([EXPANDED - 1.0, EXPANDED, EXPANDED + 1, 4_096, 65_537, 3e6])
    for n_states in (2, 5, 256):
        expanded = regrets(counts, n_states)
        for n, found in zip(counts.astype(int).tolist(), expanded.tolist()):
            assert found == pytest.approx(regret(n, float(n_states)), rel=1e-12)
            assert found == pytest.approx(independent.log_regret(n, float(n_states)), rel=1e-12)


def test_a_family_bears_no_more_than_any_state_in_any_row():
    for q in (1e3, 1e10, 1e200, math.inf):
        assert quotient_regret(1000, 3, q) < 1000 * math.log(3) * (1 + 1e-9)
    assert quotient_regret(1000, 3, math.inf) == pytest.approx(1000 * math.log(3), rel=1e-9)


TABLES = {
    "binary": dependent_dataset(1, 5, 300, most_states=2, least_states=2, noise=0.8)[0],
    "mixed": dependent_dataset(3, 5, 200, noise=0.8)[0],
    # Equal rows are counted once; the last state of the first variable does not occur.
    "merged": make_dataset(
        np.repeat(dependent_dataset(2, 5, 40, most_states=3)[0].plain_codes, 5, axis=1),
        (dependent_dataset(2, 5, 40, most_states=3)[0].n_states + np.eye(5, dtype=int)[0]).tolist(),
    ),
}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("name", TABLES)
def test_all_ways_of_counting_agree_with_the_twin(name, score):
    dataset = TABLES[name]
    n, n_states = dataset.n_variables, dataset.n_states.tolist()
    rows = [tuple(int(c) for c in column) for column in dataset.plain_codes.T]
    scorer, checker = FamilyScorer(dataset, score, 2.5), IndependentScorer(dataset, score, 2.5)
    pairs = scorer.pairs().matrix()
    for child in range(n):
        others = [v for v in range(n) if v != child]
        for size in range(n):
            for parents in itertools.combinations(others, size):
                plain = pytest.approx(local_score(rows, n_states, child, parents, score, 2.5), rel=1e-10, abs=1e-8)
                assert scorer.local_score(child, parents) == plain
                assert checker.local_score(child, parents) == plain
                if size == 1:
                    assert pairs[child, parents[0]] == scorer.local_score(child, parents)


def test_sets_share_their_values_only_under_fnml_and_where_sums_are_exact():
    few_rows = make_dataset(np.array([[0, 1], [0, 1], [1, 0]], dtype=np.uint8), [200, 2, 2])
    for dataset, score, is_shared in (
        (TABLES["binary"], "fnml", True),
        (TABLES["binary"], "qnml", False),
        (few_rows, "fnml", False),
    ):
        scorer = FamilyScorer(dataset, score)
        assert (cell_numbers(scorer, 3) is not None) is is_shared is (scorer.cliques(2) is not None)
        assert is_shared or scorer.set_functions(3) is None


@pytest.mark.parametrize("name", TABLES)
def test_best_families_in_cliques_are_the_best_of_all(name):
    dataset = TABLES[name]
    scorer = FamilyScorer(dataset, "fnml")
    members, children = np.arange(3, dtype=np.int32), np.array([3, 4], dtype=np.int32)
    _, scores = scorer.cliques(2).best(members, children, np.full(2, 7))
    for child, score in zip(children.tolist(), scores.tolist()):
        sets = [p for size in range(3) for p in itertools.combinations(range(3), size)]
        assert score == max(scorer.local_score(child, parents) for parents in sets)


@pytest.mark.parametrize("score", SCORES)
def test_bounds_cover_all_supersets(score):
    dataset = dependent_dataset(6, 6, 40, most_states=3, least_states=2)[0]
    scorer = FamilyScorer(dataset, score)
    assert (superset_bound(scorer, 0, ChildLimits(np.arange(1, 6, dtype=np.int32), 5, 10**9)) is None) is (
        score == "qnml"
    )
    n_excluded = 0
    for child in range(6):
        allowed = np.array([y for y in range(6) if y != child], dtype=np.int32)
        bound = enumeration_bound(scorer, child, ChildLimits(allowed, 5, 10**9))
        sets = [p for size in range(6) for p in itertools.combinations(allowed.tolist(), size)]
        exact = {parents: scorer.local_score(child, parents) for parents in sets}
        for parents in sets:
            larger = [value for other, value in exact.items() if set(other) > set(parents)]
            assert bound(parents) >= max(larger, default=-math.inf) - 1e-9
            n_excluded += bound.excludes(parents, max(exact.values()))
        assert bound.of_larger_sets((), allowed) >= max(value for other, value in exact.items() if other) - 1e-9
    assert n_excluded


def test_a_code_is_no_posterior(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "x,y,x\ny,y,x\nx,x,y\n" * 9)
    for score in ("qnml", "fnml"):
        lists = run_here("parentsets", "d.csv", "--score", score, "-o", "d.sets.jsonl", cwd=tmp_path)
        assert lists.returncode == 0, lists.stderr
        result = run_here("posterior", "d.sets.jsonl", cwd=tmp_path)
        assert result.returncode == 1 and "is the length of a code" in result.stderr.decode()


@pytest.mark.parametrize("method", ["greedy", "indep"])
def test_selections_that_know_no_occurring_configurations(tmp_path, method):
    (tmp_path / "d.csv").write_text("a,b,c\n" + "x,y,x\ny,y,x\nx,x,y\n" * 9)
    result = run_here("parentsets", "d.csv", "--score", "bds", f"--{method}", cwd=tmp_path)
    assert result.returncode != 0 and "BDs counts the configurations that have rows" in result.stderr.decode()
