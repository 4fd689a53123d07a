"""`bnsl query --evidence`: which cells are evidence, what is copied, which options it takes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from helpers.processes import run_here

NETWORK = """network n {} variable size { type discrete [ 2 ] { <=10, >10 }; }
variable colour { type discrete [ 3 ] { red, green, blue }; }
variable ripe { type discrete [ 2 ] { no, yes }; }
probability ( size ) { table 0.5, 0.5; }
probability ( colour | size ) { (<=10) 0.1, 0.8, 0.1; (>10) 0.6, 0.3, 0.1; }
probability ( ripe | colour ) { (red) 0.1, 0.9; (green) 0.8, 0.2; (blue) 0.5, 0.5; }
"""

TABLE = "id,ripe,size,colour,note\na7,yes,12.5,red,x y\nb3,no,,green,\nc1,?,3,pink,z\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "n.bif").write_text(NETWORK)
    (tmp_path / "d.csv").write_text(TABLE)
    return tmp_path


def ask(place: Path, *arguments: object) -> list[dict[str, str]]:
    done = run_here("query", "n.bif", "--evidence", "d.csv", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def test_filled_tables_keep_cells_and_columns(place: Path):
    rows = ask(place, "--fill", "best", "--na", "pink")
    assert list(rows[0]) == ["id", "ripe", "size", "colour", "note"]
    assert [list(row.values()) for row in rows] == [
        ["a7", "yes", "12.5", "red", "x y"],
        ["b3", "no", "<=10", "green", ""],
        ["c1", "no", "3", "green", "z"],
    ]


@pytest.mark.parametrize("name", ["f.parquet", "f.arrow", "f.csv.gz"])
def test_filled_tables_of_other_formats(place: Path, name: str):
    assert ask(place, "--fill", "best", "--na", "pink", "-o", name) == []
    done = run_here("convert", name, "--to", "csv", "--missing", "state", cwd=place)
    assert b"b3,no,<=10,green,NA" in done.stdout


def test_any_label_will_do_in_a_predicted_column(place: Path):
    rows = ask(place, "--predict", "colour", "--keep", "id", "--keep", "note")
    assert [(row["id"], row["note"]) for row in rows] == [("a7", "x y"), ("b3", ""), ("c1", "z")]
    assert list(rows[0])[:3] == ["id", "note", "colour"]
    assert {row["colour"] for row in rows} <= {"red", "green", "blue"}
    dropped = ask(place, "--predict", "ripe", "--unseen", "drop", "--keep", "i*")
    assert [row["id"] for row in dropped] == ["a7", "b3"]


def test_columns_left_out_are_no_evidence(place: Path):
    line = ("--predict", "ripe", "--na", "pink", "--keep", "size")
    whole, part = ask(place, *line), ask(place, *line, "--drop", "size,colour")
    assert [row["size"] for row in whole] == [row["size"] for row in part] == ["12.5", "", "3"]
    assert float(whole[0]["P(ripe=yes)"]) == pytest.approx(0.9)
    assert {row["P(ripe=yes)"] for row in part} == {part[0]["P(ripe=yes)"]}
    assert ask(place, *line, "--columns", "id,ripe,note") == part


def test_an_unknown_label_is_named_with_its_line(place: Path):
    done = run_here("query", "n.bif", "--evidence", "d.csv", cwd=place)
    assert done.returncode == 65
    assert b"d.csv:4: column 'colour': label 'pink' is none of the states 'red', 'green', 'blue'" in done.stderr
    assert b"--unseen drop" in done.stderr and b"--unseen missing" in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--evidence d.csv --missing drop", "--missing needs --data"),
        ("--evidence d.csv --discretize median", "--discretize needs --data"),
        ("--evidence d.csv --categories size", "--categories needs --data"),
        ("--evidence d.csv --max-states 5", "--max-states needs --data"),
        ("--evidence d.csv --fill best --keep id", "leave --keep out"),
        ("--evidence d.csv --predict ripe --keep ripe --na pink", "--keep 'ripe': the answers have a column"),
        ("--evidence d.csv --seed 1", "--seed needs --samples, --approximate or --fill drawn"),
        ("--samples 0 --mpe", "--mpe and --samples are two questions"),
        ("--keep id", "--keep needs rows"),
        ("-j 2", "--jobs needs rows"),
        ("--drop size", "--drop needs a table"),
        ("--smoothing 1", "--smoothing needs --data"),
        ("--approximate 10 --memory 1G", "--memory limits exact answers"),
    ],
)
def test_options_without_effect_are_refused(place: Path, line: str, message: str):
    done = run_here("query", "n.bif", *line.split(), cwd=place)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr.decode()
