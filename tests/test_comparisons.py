"""examples/common/compare.py: statistics against values worked by hand and published tables, and tables of runs."""

from __future__ import annotations

import itertools
import json
import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.places import ROOT
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st

COMMON = ROOT / "examples" / "common"
sys.path.insert(0, str(COMMON))
from rank_tests import (  # noqa: E402
    SignTest,
    adjust_holm,
    classify_delta,
    compare_ranks,
    compare_with_best,
    critical_difference,
    friedman_test,
    rank_methods,
    sign_test,
    w_score,
)

sys.path.remove(str(COMMON))


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (10.5, "very positive"),
        (10.0, "strongly positive"),
        (6.1, "strongly positive"),
        (6.0, "positive"),
        (2.0, "neutral"),
        (0.0, "neutral"),
        (-2.0, "neutral"),
        (-2.1, "negative"),
        (-9.0, "strongly negative"),
        (-1e4, "very negative"),
    ],
)
def test_delta_classes(delta, expected):
    assert classify_delta(delta) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([3, 3, 3, 3, 3], [1, 1, 1, 1, 1], SignTest(5, 0, 0, 2 / 32)),
        ([3, 1, 3, 3, 2], [1, 3, 1, 1, 2], SignTest(3, 1, 1, 10 / 16)),
        ([1, 2], [1, 2], SignTest(0, 0, 2, 1.0)),
        ([1, 2], [2, 1], SignTest(1, 1, 0, 1.0)),
    ],
)
def test_sign_test_by_hand(first, second, expected):
    assert sign_test(first, second) == pytest.approx(expected)


@pytest.mark.parametrize("trials", range(1, 9))
def test_sign_test_counts_coin_tosses(trials):
    tosses = list(itertools.product([0, 1], repeat=trials))
    for wins in range(trials + 1):
        extreme = abs(2 * wins - trials)
        expected = sum(abs(2 * sum(t) - trials) >= extreme for t in tosses) / len(tosses)
        got = sign_test([1] * wins + [0] * (trials - wins), [0] * wins + [1] * (trials - wins))
        assert got.p_value == pytest.approx(expected)


def test_ranks_by_hand():
    values = np.array([[-3.0, -1.0, -2.0], [5.0, 5.0, 1.0], [math.nan, 1.0, 2.0], [math.nan, math.nan, 0.0]])
    assert rank_methods(values).tolist() == [[3, 1, 2], [1.5, 1.5, 3], [3, 2, 1], [2.5, 2.5, 1]]
    lower = [[1, 3, 2], [2.5, 2.5, 1], [3, 1, 2], [2.5, 2.5, 1]]
    assert rank_methods(values, higher_is_better=False).tolist() == lower


def test_friedman_by_hand():
    # Four cases that agree on three methods: statistic 4 * 2, two degrees of freedom, tail exp(-4).
    assert friedman_test(np.array([[1.0, 2.0, 3.0]] * 4)) == pytest.approx((8.0, math.exp(-4)))
    assert friedman_test(np.full((5, 3), 2.0)) == (0.0, 1.0)
    assert friedman_test(np.array([[1.0, 2.0], [2.0, 1.0]])) == (0.0, 1.0)


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_friedman_with_ties_by_the_textbook(seed):
    # The statistic without ties, divided by the correction for them, as in Conover (1999).
    n, k = 12, 4
    ranks = rank_methods(np.random.default_rng(seed).integers(0, 5, (n, k)).astype(float))
    plain = 12 / (n * k * (k + 1)) * sum(total**2 for total in ranks.sum(axis=0)) - 3 * n * (k + 1)
    groups = [row.tolist().count(rank) for row in ranks for rank in set(row.tolist())]
    correction = 1 - sum(size**3 - size for size in groups) / (n * (k**3 - k))
    assert correction < 1
    assert friedman_test(ranks)[0] == pytest.approx(plain / correction)


def test_holm_by_hand():
    # Sorted 0.01 * 4, 0.02 * 3, 0.03 * 2, 0.2: the third is lifted to the second.
    assert adjust_holm([0.03, 0.01, 0.2, 0.02]) == pytest.approx([0.06, 0.04, 0.2, 0.06])
    assert adjust_holm([0.9, 0.8]) == [1.0, 1.0]
    assert adjust_holm([]) == []


# Paper 001: average ranks over 16 networks at 500, 1000 and 5000 rows, and the methods marked as not worse.
PAPER_METHODS = ("chc-star", "fastchc", "hc", "ichc", "mmhc", "2ichc")


@pytest.mark.parametrize(
    ("average_ranks", "not_worse"),
    [
        ((1.94, 4.63, 1.13, 3.84, 5.38, 4.09), {"hc", "chc-star"}),
        ((1.84, 3.78, 1.31, 4.16, 5.50, 4.41), {"hc", "chc-star"}),
        ((2.16, 3.60, 1.72, 3.94, 5.47, 4.13), {"hc", "chc-star"}),
        ((3.19, 3.31, 2.38, 4.53, 3.44, 4.16), {"hc", "chc-star", "fastchc", "mmhc"}),
        ((2.91, 3.31, 2.50, 4.50, 3.41, 4.38), {"hc", "chc-star", "fastchc", "mmhc"}),
        ((2.78, 3.09, 2.09, 4.28, 4.66, 4.09), {"hc", "chc-star", "fastchc"}),
        ((4.63, 1.19, 5.75, 3.16, 3.94, 2.34), {"fastchc", "2ichc"}),
        ((4.44, 1.19, 5.69, 3.09, 4.19, 2.41), {"fastchc", "2ichc"}),
        ((4.19, 1.00, 5.31, 2.78, 5.50, 2.22), {"fastchc", "2ichc"}),
    ],
)
def test_published_comparisons_with_the_best(average_ranks, not_worse):
    adjusted = compare_with_best(average_ranks, 16)
    assert {name for name, p in zip(PAPER_METHODS, adjusted) if p > 0.05} == not_worse


def test_methods_are_listed_best_first():
    values = np.array([[1.0, 3.0, 2.0]] * 10)
    result = compare_ranks(rank_methods(values), "xyz", 0.05)
    assert [m.method for m in result.methods] == ["y", "z", "x"]
    assert [m.average_rank for m in result.methods] == [1.0, 2.0, 3.0]
    assert result.statistic == pytest.approx(20.0)
    z, x = math.sqrt(10 / 2), 2 * math.sqrt(10 / 2)
    expected = [1.0, math.erfc(z / math.sqrt(2)), 2 * math.erfc(x / math.sqrt(2))]
    assert [m.p_value for m in result.methods] == pytest.approx(expected)
    assert [m.not_worse for m in result.methods] == [True, False, False]


def test_no_method_is_worse_unless_friedman_says_so():
    values = np.array([[5.0, 6.0, 0.0, 6.0], [3.0, 8.0, 0.0, 0.0], [4.0, 6.0, 0.0, 8.0], [6.0, 4.0, 0.0, 3.0]])
    result = compare_ranks(rank_methods(values), "wxyz", 0.05)
    assert result.p_value > 0.05 > result.methods[-1].p_value
    assert all(m.not_worse for m in result.methods)


def test_w_score_is_the_worsening_as_the_paper_words_it():
    # "W stands for worsening and thus lower values of W are better. The lowest value of W is zero [...]"
    assert w_score(-100.0, -105.0) == pytest.approx(0.05)
    assert w_score(-100.0, -110.0) > w_score(-100.0, -105.0) > w_score(-100.0, -100.0) == 0.0


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 6))
def test_ranks_sum_alike_and_friedman_ignores_scale(seed, n_cases, n_methods):
    generator = random.Random(seed)
    values = np.array([[generator.randrange(4) for _ in range(n_methods)] for _ in range(n_cases)], dtype=float)
    ranks = rank_methods(values)
    assert ranks.sum(axis=1).tolist() == [n_methods * (n_methods + 1) / 2] * n_cases
    assert np.array_equal(ranks, rank_methods(3 * values - 7))
    statistic, p_value = friedman_test(ranks)
    assert 0.0 <= statistic <= n_cases * (n_methods - 1) + 1e-9
    assert 0.0 <= p_value <= 1.0
    assert friedman_test(ranks[:, ::-1])[0] == pytest.approx(statistic)


NEMENYI = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Critical values of Demšar (2006), Table 5(a), for the level 0.05."""


@pytest.mark.parametrize("count", NEMENYI)
def test_critical_differences_of_the_published_table(count: int):
    scale = math.sqrt(count * (count + 1) / 6 / 14)
    assert critical_difference(count, 14, 0.05) == pytest.approx(NEMENYI[count] * scale, abs=1.1e-3)


RUNS = {
    "free.a.x.1": -100.0,
    "free.a.y.1": -90.0,
    "w2.a.x.1": -110.0,
    "w2.a.x.2": -112.0,
    "w2.a.y.1": -99.0,
    "free.b.x.1": -50.0,
    "free.b.y.1": -50.0,
    "w2.b.x.1": -60.0,
    "w2.b.y.1": -55.0,
}


def compared(folder: Path, *words: str, runs: dict[str, float] = RUNS) -> list[dict]:
    """The rows of compare.py on records of runs, by names BOUND.DATA.METHOD.SEED."""
    lines = (json.dumps({"network": f"{name}.net.jsonl", "bic": bic, "arcs": 3}) for name, bic in runs.items())
    (folder / "runs.jsonl").write_text("\n".join(lines))
    program = [sys.executable, str(COMMON / "compare.py"), "runs.jsonl", "--names", "bound.data.method.seed"]
    done = subprocess.run([*program, "--format", "jsonl", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_values_are_averages_over_seeds(tmp_path: Path):
    rows = compared(tmp_path, "--show", "values", "--measure", "bic", "--measure", "bic/arcs")
    found = {(row["measure"], row["bound"], row["data"], row["method"]): row["value"] for row in rows}
    assert len(rows) == 16
    assert found["bic", "w2", "a", "x"] == -111.0
    assert found["bic/arcs", "free", "a", "y"] == -30.0


def test_w_scores_are_against_the_best_run_of_the_baseline(tmp_path: Path):
    rows = compared(tmp_path, "--show", "wscores", "--baseline", "bound=free")
    found = {(row["data"], row["method"]): row["w_score"] for row in rows}
    expected = {("a", "x"): 21 / 90, ("a", "y"): 9 / 90, ("b", "x"): 10 / 50, ("b", "y"): 5 / 50}
    assert found == pytest.approx(expected)


def test_pairs_and_ranks(tmp_path: Path):
    rows = compared(tmp_path, "--show", "pairs", "--show", "ranks")
    (pair,) = (row for row in rows if row["table"] == "pairs" and row["bound"] == "w2")
    assert (pair["method"], pair["against"], pair["wins"], pair["defeats"]) == ("x", "y", 0, 2)
    assert (pair["very negative"], pair["negative"], pair["p_value"]) == (1, 1, 0.5)
    ranks = {row["method"]: row["average_rank"] for row in rows if row["table"] == "ranks" and row["bound"] == "free"}
    assert ranks == {"y": 1.25, "x": 1.75}


def test_networks_and_figures_of_a_run_are_one(tmp_path: Path):
    header = {"format": "bnsl.network", "version": 1, "variables": [{"name": "a"}, {"name": "b"}], "total": -7.5}
    families = [{"child": 0, "parents": [[]], "scores": [-3]}, {"child": 1, "parents": [[0]], "scores": [-4.5]}]
    (tmp_path / "d.m.1.net.jsonl").write_text("\n".join(map(json.dumps, [header, *families])))
    (tmp_path / "d.m.1.stats.json").write_text('{\n "seconds": 2,\n "summary": {"score": 5}\n}\n')
    measures = ["total", "arcs", "seconds", "summary.score"]
    words = [word for measure in measures for word in ("--measure", measure)]
    program = [sys.executable, str(COMMON / "compare.py"), "d.m.1.net.jsonl", "d.m.1.stats.json", "--show", "values"]
    done = subprocess.run([*program, "--format", "jsonl", *words], cwd=tmp_path, capture_output=True, check=True)
    assert [json.loads(line)["value"] for line in done.stdout.splitlines()] == [-7.5, 1, 2, 5]
    text = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [line.split() for line in text.splitlines()[1:4:2]] == [["data", "m"], ["d", "-7.5000", "*"]]


def test_a_run_without_a_value_is_refused_or_left_out(tmp_path: Path):
    program = [sys.executable, str(COMMON / "compare.py"), "runs.jsonl", "--show", "values", "--measure", "bic"]
    (tmp_path / "runs.jsonl").write_text('{"network": "a.x.1", "bic": -1}\n{"network": "a.y.1"}\n')
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "a run of 'y' on 'a' has no 'bic'" in done.stderr
    done = subprocess.run([*program, "--allow-missing"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[3].split() == ["a", "-1", "*", "-"]
