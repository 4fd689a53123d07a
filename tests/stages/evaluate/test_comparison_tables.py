"""Tables of comparisons against figures worked by hand."""

from __future__ import annotations

import pytest

from stages.evaluate.comparison_tables import Measure, Settings, compare_runs, figure_text
from stages.evaluate.runs import NamePattern, gather_runs
from stages.runtime.errors import StageError

SCORES = {
    "one": {"asobs": -100.0, "obs": -111.0, "exact": -99.0},
    "two": {"asobs": -50.0, "obs": -50.5, "exact": -50.0},
    "three": {"asobs": -20.0, "obs": -27.0, "exact": -20.0},
}
RECORDS = [
    {"network": f"{data}.{method}.net.jsonl", "total": value, "shd": -value / 10}
    for data, scores in SCORES.items()
    for method, value in scores.items()
]


def sections(names: str = "data.method", records=RECORDS, measure: str = "total", **settings):
    pattern = NamePattern(names)
    runs = gather_runs(records, pattern)
    key = Measure(measure, measure != "shd")
    return list(compare_runs(runs, Settings(measures=[key], groups=pattern.groups, **settings)))


def test_values_mark_the_best_of_each_case():
    (found,) = sections(sections=["values"])
    assert found.columns == ("data", "asobs", "obs", "exact")
    assert found.cells[1] == ["two", "-50", "-50.5000", "-50"]
    assert found.best == {(0, 3), (1, 1), (1, 3), (2, 1), (2, 3)}
    first = {"table": "values", "measure": "total", "data": "one", "method": "asobs", "value": -100.0}
    assert found.rows[0] == first and len(found.rows) == 9


def test_mean_median_and_deviation_over_seeds():
    """By hand: of 1, 2 and 6 the mean is 3, the median 2, the variance (4 + 1 + 9) / 2 = 7."""
    seeds = [{"network": f"d.a.{seed}", "total": value} for seed, value in enumerate((1.0, 2.0, 6.0))]
    records = [*seeds, {"network": "d.b.1", "total": 4.0}]
    wanted = {"names": "data.method.seed", "records": records, "averages": ["mean", "median", "deviation"]}
    mean, ranks, median, deviation = sections(sections=["values", "ranks"], **wanted)
    assert [found.cells for found in (mean, median, deviation)] == [
        [["d", "3", "4"]],
        [["d", "2", "4"]],
        [["d", f"{7**0.5:.4f}", "-"]],
    ]
    assert [found.best for found in (mean, median, deviation)] == [{(0, 2)}, {(0, 2)}, set()]
    assert deviation.rows[0]["average"] == "deviation" and "average" not in sections(sections=["values"])[0].rows[0]
    assert deviation.title == "total, deviation over seeds" and ranks.title.startswith("Average ranks")
    with pytest.raises(StageError, match="ranks of deviations"):
        sections(sections=["ranks"], averages=["deviation"])


@pytest.mark.parametrize("measure", ["total", "shd"])
def test_ranks(measure: str):
    """By hand: exact 1, 1.5, 1.5; asobs 2, 1.5, 1.5; obs 3, 3, 3."""
    (found,) = sections(sections=["ranks"], measure=measure)
    assert [row["method"] for row in found.rows] == ["exact", "asobs", "obs"]
    assert [row["average_rank"] for row in found.rows] == pytest.approx([4 / 3, 5 / 3, 3.0])
    assert all(row["cases"] == 3 for row in found.rows)


def test_ranks_of_one_case_say_what_they_need():
    (found,) = sections(records=RECORDS[:3], sections=["ranks"])
    assert found.rows == [] and "there is 1 case of 3 methods" in found.notes[0]


def test_pairs_of_all_and_against_a_baseline():
    (found,) = sections(sections=["pairs"])
    pairs = [(row["method"], row["against"]) for row in found.rows]
    assert pairs == [("asobs", "obs"), ("asobs", "exact"), ("obs", "exact")]
    first = found.rows[0]
    assert (first["wins"], first["defeats"], first["ties"], first["p_value"]) == (3, 0, 0, 0.25)
    # differences 11, 0.5 and 7
    assert (first["very positive"], first["neutral"], first["strongly positive"]) == (1, 1, 1)
    (against,) = sections(sections=["pairs"], baseline="exact")
    assert [(row["method"], row["against"]) for row in against.rows] == [("asobs", "exact"), ("obs", "exact")]


def test_less_is_better_turns_wins_and_has_no_classes():
    (found,) = sections(sections=["pairs"], measure="shd")
    assert (found.rows[0]["wins"], found.rows[0]["defeats"]) == (3, 0)
    assert "neutral" not in found.rows[0]


def test_w_scores():
    (found,) = sections(sections=["wscores"], baseline="exact")
    shares = {(row["data"], row["method"]): row["w_score"] for row in found.rows}
    assert shares["one", "asobs"] == pytest.approx(1 / 99) and shares["two", "asobs"] == 0.0
    assert shares["three", "obs"] == pytest.approx(7 / 20)
    assert found.cells[-2] == ["(most)", "1.0101", "35.0000"]
    with pytest.raises(StageError, match="baseline"):
        sections(sections=["wscores"])
    with pytest.raises(StageError, match="not of 'shd'"):
        sections(sections=["wscores"], baseline="exact", measure="shd")


def test_w_scores_of_missing_runs_are_no_part_of_the_distribution():
    names = [record for record in RECORDS if record["network"] != "one.obs.net.jsonl"]
    (found,) = sections(records=names, sections=["wscores"], baseline="exact", allow_missing=True)
    assert found.cells[0][2] == "-"
    assert [row[2] for row in found.cells[3:]] == ["1.0000", "9.5000", "18.0000", "26.5000", "35.0000", "18.0000"]


def test_a_group_as_baseline_is_its_best_run():
    records = [
        {"network": "a.free.ils.1", "total": -10.0},
        {"network": "a.free.obs.1", "total": -11.0},
        {"network": "a.5.kg.1", "total": -12.0},
        {"network": "a.2.kg.1", "total": -15.0},
    ]
    names = "data.bound.method.seed"
    found = sections(names, records, sections=["wscores", "values"], baseline="bound=free")
    assert [row["w_score"] for row in found[0].rows] == [pytest.approx(0.2)]
    assert found[1].cells == [["a", "-10", "-12"]] and found[1].columns == ("data", "bound=free", "kg")
    assert found[2].rows[0]["bound"] == "2" and len(found) == 4
    for wrong, message in (("bound=7", "no run has bound '7'"), ("size=1", "no part"), ("x", "no run is of")):
        with pytest.raises(StageError, match=message):
            sections(names, records, sections=["values"], baseline=wrong)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "-"),
        (3.0, "3"),
        (-12345.678, "-12,345.68"),
        (0.12345, "0.1235"),
        (8.673617379884037e41, "8.67362e+41"),  # not 42 digits, most of them invented
    ],
)
def test_figures(value: float, text: str):
    assert figure_text(value) == text
