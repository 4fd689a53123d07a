"""A hundred and twenty random tables; `make fuzz-answers` checks 100,000."""

from __future__ import annotations

import functools
from pathlib import Path
from random import Random

import numpy as np
import pytest
from naive.scores import local_score
from naive.table_scores import TableScores, smoothed_table

from stages.scoring.family_scorer import FamilyScorer

from . import answers
from .answers import CHECKS, work
from .run import supervise
from .tables import MOST_NUMBERS, make_table

SEED = 7

N_TABLES = 120


@pytest.mark.slow
def test_answers_are_those_of_the_definitions(tmp_path: Path):
    counts = supervise(functools.partial(work, SEED), 0, N_TABLES, tmp_path)
    assert [key for key in counts if "FINDING" in key] == []
    assert {name for name in CHECKS if counts[f"{name}\tright\t"]} == set(CHECKS)
    assert counts["\ttables\t"] == N_TABLES


def test_a_wrong_score_is_found_and_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    right = FamilyScorer.local_score
    monkeypatch.setattr(FamilyScorer, "local_score", lambda *a, **k: right(*a, **k) - 1e-3)
    monkeypatch.setattr(answers, "WEIGHTS", {"parentsets": 1})
    counts = supervise(functools.partial(work, SEED), 0, 3, tmp_path)
    assert any(key.startswith("parentsets\tFINDING") for key in counts)
    place = next(tmp_path.iterdir())
    assert "bnsl parentsets" in (place / "report.txt").read_text()
    assert any(file.name.startswith("table.") for file in place.iterdir())


def test_a_table_comes_back_from_its_number():
    for number in range(200):
        table, again = make_table(SEED, number), make_table(SEED, number)
        assert table.states == again.states and np.array_equal(table.codes, again.codes)
        assert all(set(codes) == set(range(n)) for codes, n in zip(table.codes.tolist(), table.n_states))


@pytest.mark.slow
def test_all_kinds_of_tables_occur():
    tables = [make_table(SEED, number) for number in range(1000)]
    assert {table.n_variables for table in tables} >= set(range(1, 9))
    assert {1, 64, 65, 128} <= {table.n_rows for table in tables}
    assert max(table.n_rows for table in tables) >= 1 << 16
    assert max(table.n_variables for table in tables) >= 63
    states = {n for table in tables for n in table.n_states}
    assert states >= {1, 2, 3, 64, 65, 256}
    assert all(labels[0].startswith("s") for t in tables for labels in t.states if len(labels) > MOST_NUMBERS)


@pytest.mark.parametrize("name", ["ll", "bic", "aic", "bdeu", "k2"])
def test_scores_by_numpy_are_those_of_dictionaries(name: str):
    rng = Random(3)
    for number in range(60):
        table = make_table(SEED, number)
        if table.n_rows > 500:
            continue
        child, *others = rng.sample(range(table.n_variables), table.n_variables)
        parents = tuple(sorted(others[: rng.randint(0, 3)]))
        found = TableScores(table.codes, table.n_states).score(child, parents, name, 2.0)
        expected = local_score(list(zip(*table.codes.tolist())), table.n_states, child, parents, name, 2.0)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_smoothed_table_by_hand():
    """One parent of three states; no row has the last one."""
    codes = np.array([[0, 0, 0, 1], [0, 1, 1, 1]])
    without = smoothed_table(codes, (3, 2), 0.0)
    assert without.tolist() == [[1 / 3, 2 / 3], [0.0, 1.0], [0.5, 0.5]]
    smoothed = smoothed_table(codes, (3, 2), 6.0)
    assert smoothed.tolist() == [[2 / 5, 3 / 5], [1 / 3, 2 / 3], [0.5, 0.5]]
