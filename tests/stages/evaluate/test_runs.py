"""Runs identified by names, their measures, and tables of them."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluate.runs import NamePattern, Run, dependent_cases, gather_runs, group_runs, tabulate_measure
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


def test_a_seed_without_a_value_is_refused_or_counted():
    records = [
        {"network": "a.m.1", "bic": -10.0},
        {"network": "a.m.2", "bic": None},
        {"network": "a.k.1", "bic": -12},
    ]
    with pytest.raises(StageError, match=r"1 of 2 runs of 'm' on 'a' have no 'bic'\n.*--allow-missing"):
        tabulate_measure(runs_of(records), "bic")
    table = tabulate_measure(runs_of(records), "bic", allow_missing=True)
    assert table.values.tolist() == [[-10.0, -12.0]]
    assert table.left_out == ("1 of 2 runs of 'm' on 'a' have no 'bic'",)


@pytest.mark.parametrize(
    ("seconds", "measure"), [(1e200, "seconds*seconds"), (1e305, "seconds"), (1e-300, "n/seconds")]
)
def test_values_beyond_the_largest_are_refused(seconds: float, measure: str):
    (run,) = runs_of([{"network": "a.m.1", "seconds": seconds, "n": 1e10}])
    with pytest.raises(StageError, match="larger than"):
        run.value(measure)


def test_former_names_of_measures_are_read():
    old, new = runs_of([{"network": "a.m.1", "brier": 0.5}, {"network": "a.k.1", "brier_sum": 0.25}])
    assert [run.value(name) for run in (old, new) for name in ("brier", "brier_sum")] == [0.5, 0.5, 0.25, 0.25]


class TestDependentCases:
    def test_seeds_of_one_data_set_by_the_names(self):
        records = [{"network": f"{data}.m.{seed}", "bic": -1.0} for data in "ab" for seed in (1, 2)]
        pattern = NamePattern("data.method.data")
        assert "'a.1', 'a.2' begin alike" in str(dependent_cases(gather_runs(records, pattern), pattern))
        assert dependent_cases(runs_of(records), NamePattern("data.method.seed")) is None

    def test_the_same_rows_by_the_headers(self):
        records = [{"network": f"{data}.m.1", "data": "sha256:1"} for data in "ab"]
        assert "'a', 'b' were learnt from the same rows" in str(dependent_cases(gather_runs(records), None))

    def test_rows_of_their_own(self):
        pattern = NamePattern("data.method.data")
        records = [{"network": f"a.m.{k}", "data": f"sha256:{k}"} for k in (1, 2)]
        assert dependent_cases(gather_runs(records, pattern), pattern) is None
