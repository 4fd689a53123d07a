"""`bnsl evaluate --target`: predictions of one variable, judged; and which options go with it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from helpers.processes import run_here

NETWORK = """network n {} variable sky { type discrete [ 2 ] { blue, grey }; }
variable rain { type discrete [ 2 ] { no, yes }; }
probability ( sky ) { table 0.5, 0.5; }
probability ( rain | sky ) { (blue) 1.0, 0.0; (grey) 0.25, 0.75; }
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.bif").write_text(NETWORK)
    (tmp_path / "t.csv").write_text("sky,rain\nblue,no\ngrey,yes\ngrey,no\n?,yes\ngrey,?\n")
    (tmp_path / "wet.csv").write_text("sky,rain\nblue,yes\ngrey,yes\n")
    return tmp_path


def measures(place: Path, *arguments: object) -> dict:
    done = run_here("evaluate", "n.bif", "--target", "rain", "--json", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_measures_by_hand(place: Path):
    found = measures(place, "--test", "t.csv", "--missing", "em", "-j", "2")
    assert (found["target"], found["target_rows"], found["accuracy"]) == ("rain", 4, 0.5)
    assert found["log_loss"] == pytest.approx(-(math.log(0.75) + math.log(0.25) + math.log(0.375)) / 4)
    assert found["brier_sum"] == pytest.approx((0 + 2 * 0.25**2 + 2 * 0.75**2 + 2 * 0.625**2) / 4)
    # Predicted with 1 (right), 0.75 (right, wrong), 0.625 (wrong).
    assert found["target_calibration_error"] == pytest.approx((0 + abs(1 - 1.5) + 0.625) / 4)
    # P(yes) is 0 and 0.75 where it is no, 0.75 and 0.375 where it is yes; 'no' is predicted once and 'yes' twice.
    assert found["confusion"] == [
        {"observed": "no", "predicted": "no", "rows": 1},
        {"observed": "no", "predicted": "yes", "rows": 1},
        {"observed": "yes", "predicted": "no", "rows": 1},
        {"observed": "yes", "predicted": "yes", "rows": 1},
    ]
    assert (found["target_recall"], found["target_precision"]) == (0.5, 0.5)
    assert found["target_roc_area"] == (1 + 0.5 + 1 + 0) / 4
    table = run_here(
        "evaluate", "n.bif", "--target", "rain", "--test", "t.csv", "--missing", "em", "--format", "table", cwd=place
    )
    assert b"target_roc_area" in table.stdout and b"confusion" not in table.stdout


def test_a_state_held_impossible_has_no_finite_loss(place: Path):
    found = measures(place, "--test", "wet.csv")
    assert found["log_loss"] is None and found["surprising_rows"] == 1 and found["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("n.bif --target rain", 2, "--target needs rows: --test DATA"),
        ("n.bif --target snow --test wet.csv", 65, "no variable 'snow'"),
        ("n.bif --test wet.csv -j 2", 2, "--jobs needs --target NAME, or --test and --missing em"),
        ("n.bif --seed 1 --test wet.csv", 2, "--seed needs --folds K"),
        ("n.bif --score bdeu --test wet.csv", 2, "--score needs --data"),
        ("n.bif --drop x", 2, "--drop needs a table"),
    ],
)
def test_refused(place: Path, line: str, code: int, message: str):
    (place / "n.txt").write_text("[sky][rain|sky]\n")
    done = run_here("evaluate", *line.split(), cwd=place)
    assert done.returncode == code, done.stderr
    assert message in done.stderr.decode()


def test_rows_may_give_the_parameters_too(place: Path):
    (place / "n.txt").write_text("[sky][rain|sky]\n")
    (place / "d.csv").write_text("sky,rain\nblue,no\nblue,no\ngrey,yes\ngrey,no\ngrey,yes\n")
    words = ("evaluate", "n.txt", "--target", "rain", "--data", "d.csv", "--smoothing", "1e-9")
    done = run_here(*words, cwd=place)
    assert b"rows that gave the parameters" in done.stderr
    found = json.loads(done.stdout)
    assert (found["target_rows"], found["accuracy"]) == (5, 0.8)
    assert found["log_loss"] == pytest.approx(-(2 * math.log(2 / 3) + math.log(1 / 3)) / 5)
    same = run_here(*words, "--test", "d.csv", cwd=place)
    assert json.loads(same.stdout)["log_loss"] == found["log_loss"]
    assert b"rows that gave the parameters" in same.stderr
    (place / "e.csv").write_text("sky,rain\nblue,no\ngrey,yes\n")
    assert b"rows that gave the parameters" not in run_here(*words, "--test", "e.csv", cwd=place).stderr
