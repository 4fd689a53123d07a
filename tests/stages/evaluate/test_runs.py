"""Runs identified by names, their measures, and tables of them."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluate.runs import NamePattern, Run, gather_runs, group_runs, tabulate_measure
from stages.runtime.errors import StageError

RECORDS = [
    {"network": "out/a.asobs.1.net.jsonl", "bic": -10.0},
    {"network": "out/a.obs.1.net.jsonl", "bic": -12.0},
    {"network": "b.obs.1.net.jsonl", "bic": -7.0},
    {"network": "b.obs.2.net.jsonl", "bic": -9.0},
    {"network": "b.asobs.1.net.jsonl", "bic": -6.0},
]


def runs_of(records, names: str = "data.method.seed") -> list[Run]:
    return gather_runs(records, NamePattern(names))


@pytest.mark.parametrize("text", ["data.seed", "method", "", "data..method"])
def test_names_without_data_or_method_are_refused(text: str):
    with pytest.raises(ValueError, match="must name"):
        NamePattern(text)


def test_parts_of_names():
    pattern = NamePattern("data.size.-.method.data")
    assert pattern.groups == ("size",)
    assert pattern.match("x/alarm.500.old.hc.7.net.jsonl") == {"data": "alarm.7", "size": "500", "method": "hc"}
    with pytest.raises(StageError, match=r"alarm\.500\.hc.*too few parts"):
        pattern.match("alarm.500.hc")


def test_seeds_are_averaged():
    table = tabulate_measure(runs_of(RECORDS), "bic")
    assert (table.methods, table.cases) == (("asobs", "obs"), ("a", "b"))
    assert table.values.tolist() == [[-10.0, -12.0], [-6.0, -8.0]]
    third = {"network": "b.obs.3.json", "bic": -100.0}
    assert tabulate_measure(runs_of([*RECORDS, third]), "bic", "median").values[1, 1] == -9.0


def test_networks_of_a_stream_count_like_seeds():
    records = [{"network": "a.boot.1.net.jsonl", "index": k, "bic": -float(k)} for k in (1, 2, 3)]
    assert tabulate_measure(runs_of(records), "bic").values.tolist() == [[-2.0]]


def test_missing_values_are_named_or_become_nan():
    failed = [*RECORDS, {"network": "c.obs.1", "bic": None}, {"network": "c.asobs.1", "bic": -1}]
    with pytest.raises(StageError, match=r"'obs' has no 'bic' on 'c'"):
        tabulate_measure(runs_of(failed), "bic")
    assert np.isnan(tabulate_measure(runs_of(failed), "bic", allow_missing=True).values[2, 1])


def test_records_of_a_run_add_up():
    records = [
        {"network": "a.obs.1.net.jsonl", "bic": -3.0, "arcs": 4},
        {"network": "a.obs.1.stats.json", "bic": -3.0, "summary": {"score": {"mean": -3.5}}},
    ]
    (run,) = runs_of(records)
    assert (run.value("bic"), run.value("arcs"), run.value("summary.score.mean")) == (-3.0, 4.0, -3.5)
    assert run.value("summary.score.least") is run.value("arcs.x") is None


def test_contradictions_and_words_are_refused():
    (run,) = runs_of([{"network": "a.m.1", "bic": -3.0}, {"network": "a.m.1", "bic": -4.0, "score": "bic"}])
    with pytest.raises(StageError, match="different values of 'bic'"):
        run.value("bic")
    with pytest.raises(StageError, match=r"'score' of run 'a\.m\.1' is no number"):
        run.value("score")


def test_groups_in_order_of_appearance():
    groups = group_runs(runs_of([{"network": f"a.{n}.m"} for n in ("9", "10", "9")], "data.size.method"))
    assert list(groups) == [("9",), ("10",)]


def test_products_and_quotients_of_measures():
    record = {"network": "a.hc.1", "score": {"mean": -3.0}, "tests": 4, "none": 0, "unknown": None}
    (run,) = runs_of([record])
    assert run.value("score.mean*tests") == -12.0 and run.value("tests/score.mean*tests") == pytest.approx(-16 / 3)
    assert [run.value(key) for key in ("tests/none", "tests*unknown", "absent/tests")] == [None] * 3


def test_values_that_differ_by_rounding_tie():
    records = [{"network": f"a.{m}.1", "total": -126283.23 * (1 + e)} for m, e in (("kg", 0.0), ("ils", 4e-16))]
    first, second = runs_of(records)
    assert records[0]["total"] != records[1]["total"] and first.value("total") == second.value("total")
