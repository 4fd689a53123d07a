"""Tables to read as CSV: whole names, figures in full."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from helpers.places import EXAMPLE_DATA
from helpers.processes import run_here

from bnsl.options.shared import Target
from bnsl_cli.tables import measure_tables, network_tables, stage_results
from formats.data_records import Variable
from formats.records import Header, NetworkRecord, ParentSetRecord

NAMES = ["a,b", 'say "x"', "a name of seventy characters " + "x" * 41]


@pytest.fixture
def read(tmp_path):
    """What a function writes to the place that it gets, as rows."""

    def write(show, *values, **settings):
        path = tmp_path / "t.csv"
        show(Target(output=str(path), format="csv"), *values, **settings)
        return list(csv.reader(io.StringIO(path.read_text())))

    return write


def test_a_network(read):
    header = Header(tuple(map(Variable, NAMES)), "bic")
    scores = np.array([-1 / 3, -2e9 / 3, -1e-9])
    rows = read(network_tables.show_network, NetworkRecord(header, ((), (0,), (1, 2)), scores))
    assert rows[0] == ["child", "parents", "local_score"]
    assert [row[:2] for row in rows[1:]] == [[NAMES[0], ""], [NAMES[1], NAMES[0]], [NAMES[2], ",".join(NAMES[1:])]]
    assert [float(row[2]) for row in rows[1:]] == scores.tolist()


@pytest.mark.parametrize("fixed", [False, True])
def test_parent_sets(read, fixed: bool):
    records = [ParentSetRecord.of(0, [(1, 2), ()], [-1.5, -2.0]), ParentSetRecord.of(1, [()], [-0.1], fixed=fixed)]
    rows = read(stage_results.show_parent_sets, list(map(Variable, NAMES)), records)
    assert rows[0] == ["child", "sets", "best_score", "best_parents", *(["fixed"] if fixed else [])]
    assert rows[1][:4] == [NAMES[0], "2", "-1.5", ",".join(NAMES[1:])]
    assert rows[2] == [NAMES[1], "1", "-0.1", "", *(["yes"] if fixed else [])]


def test_measures_of_several_networks(read):
    records = [{"network": "a", "index": 1, "bic": -1 / 3}, {"network": "a", "index": 2, "shd": 4}]
    from stages.evaluate.record_keys import MEASURE_KEYS

    rows = read(measure_tables.show_measures, records, MEASURE_KEYS)
    assert rows == [["network", "index", "bic", "shd"], ["a", "1", repr(-1 / 3), ""], ["a", "2", "", "4"]]


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (["evaluate", str(EXAMPLE_DATA / "asia.bif")], ["network", "variables"]),
        (["screen", "--eps", "0.1", "TABLE"], ["child", "parents"]),
        (["parentsets", "--max-parents", "1", "TABLE"], ["child", "sets"]),
        (["formats"], ["format", "suffix"]),
        (["data"], ["file", "about"]),
        (["help", "methods"], ["command", "method"]),
    ],
)
def test_a_name_that_ends_in_csv_asks_for_it(tmp_path, words, columns):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "0,1\n1,0\n" * 20)
    target = tmp_path / "out.csv"
    words = [table if word == "TABLE" else word for word in words]
    for more in ([], ["--format", "csv"]):
        done = run_here(*words, *more, "-o", target)
        assert not done.returncode, done.stderr
        assert next(csv.reader(io.StringIO(target.read_text())))[:2] == columns
