"""Cuts of cross-validation are learnt within each fold: against plain arithmetic over rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bnsl
from bnsl.tables import as_table
from formats import open_dataset
from stages.runtime.seeding import task_generator

N = 45
FOLD_OF_ROW = {folds: task_generator(0).permutation(N) % folds for folds in (3, 5)}


def table():
    rng = np.random.default_rng(1)
    x = np.round(rng.exponential(10, N), 1)
    y = (x + rng.normal(0, 8, N) > 8).astype(int)
    return {"x": x.tolist(), "y": y.tolist(), "c": rng.choice(list("aaaabbbcdefg"), N).tolist()}


def terciles(values):
    """The values that a third and two thirds of all do not exceed."""
    ordered = sorted(values)
    return sorted({ordered[math.ceil(len(ordered) * k / 3) - 1] for k in (1, 2)})


def folds_of(columns, folds):
    """For each fold its rows, the other rows, and all rows by the states that the others give."""
    for fold in range(folds):
        inside = [row for row in range(N) if FOLD_OF_ROW[folds][row] == fold]
        others = [row for row in range(N) if FOLD_OF_ROW[folds][row] != fold]
        cuts = terciles([columns["x"][row] for row in others])
        x = [sum(value > point for point in cuts) for value in columns["x"]]
        yield inside, others, {"x": x, "y": columns["y"], "c": columns["c"]}


def probability(coded, others, row, child, parent, smoothing, row_values=None):
    """P(child | parent) in a row by the counts of the others, with BDeu's prior."""
    n_child, n_parent = len(set(coded[child])), len(set(coded[parent])) if parent else 1
    values = row_values or {name: coded[name][row] for name in coded}
    same = [r for r in others if parent is None or coded[parent][r] == values[parent]]
    both = sum(coded[child][r] == values[child] for r in same)
    return (both + smoothing / n_child / n_parent) / (len(same) + smoothing / n_parent)


FAMILIES = {"x": None, "y": "x", "c": "y"}


def log_likelihood(columns, folds):
    logs = [
        math.log(probability(coded, others, row, child, parent, 1.0))
        for inside, others, coded in folds_of(columns, folds)
        for row in inside
        for child, parent in FAMILIES.items()
    ]
    return math.fsum(logs) / N


def structure(columns, **options):
    return bnsl.optimize(data=columns, require=["x->y", "y->c"], forbid=["x->c", "c->x"], quiet=True, **options)


@pytest.fixture
def arcs(tmp_path):
    (tmp_path / "arcs.csv").write_text("from,to\nx,y\ny,c\n")
    return str(tmp_path / "arcs.csv")


@pytest.mark.parametrize("folds", [3, 5])
def test_likelihood_of_folds(arcs, folds):
    columns = table()
    whole = terciles(columns["x"])
    assert any(terciles([columns["x"][r] for r in others]) != whole for _, others, _ in folds_of(columns, folds))
    [found] = bnsl.evaluate(arcs, data=columns, folds=folds, discretize="quantile:3", quiet=True)
    assert found["cv_loglik"] == pytest.approx(log_likelihood(columns, folds), rel=1e-12)


def test_cuts_of_the_file(capsys):
    columns = table()
    network = structure(columns, discretize="quantile:3")
    [anew] = bnsl.evaluate(network, data=columns, folds=5, discretize="quantile:3", quiet=True)
    assert anew["cv_loglik"] == pytest.approx(log_likelihood(columns, 5), rel=1e-12)
    [kept] = bnsl.evaluate(network, data=columns, folds=5)
    assert "hold in all folds, even if they were learnt from these rows: 'x'" in capsys.readouterr().err
    coded = {**columns, "x": [str(sum(v > p for p in terciles(columns["x"]))) for v in columns["x"]]}
    [plain] = bnsl.evaluate(structure(coded), data=coded, folds=5, quiet=True)
    assert kept["cv_loglik"] == pytest.approx(plain["cv_loglik"], rel=1e-12)
    assert kept["cv_loglik"] != anew["cv_loglik"]


def test_given_cuts_stay(arcs):
    columns = table()
    points = terciles(columns["x"])
    rule = f"x=cuts:{points[0]},{points[1]}"
    [given] = bnsl.evaluate(arcs, data=columns, folds=5, discretize=rule, quiet=True)
    coded = {**columns, "x": [str(sum(v > p for p in points)) for v in columns["x"]]}
    [plain] = bnsl.evaluate(arcs, data=coded, folds=5, quiet=True)
    assert given["cv_loglik"] == pytest.approx(plain["cv_loglik"], rel=1e-12)


def joint(coded, others, row, target, smoothing):
    """P(row with each state of the target), by state, from the counts of the others."""
    found = {}
    for state in set(coded[target]):
        values = {name: coded[name][row] for name in coded} | {target: state}
        parts = [probability(coded, others, row, c, p, smoothing, values) for c, p in FAMILIES.items()]
        found[state] = math.prod(parts)
    return found


@pytest.mark.parametrize("folds", [3, 5])
@pytest.mark.parametrize("target", ["y", "c"])
def test_predictions_of_folds(arcs, target, folds, capsys):
    columns = table()
    loss, ranks, at_top = 0.0, [], []
    for inside, others, coded in folds_of(columns, folds):
        for row in inside:
            chances = joint(coded, others, row, target, 2.0)
            truth = chances[coded[target][row]] / sum(chances.values())
            loss -= math.log(truth)
            at_top.append(max(chances.values()) / sum(chances.values()))
            ranks.append(chances.pop(coded[target][row]) / max(chances.values()))
    options = {"data": columns, "folds": folds, "smoothing": 2.0, "discretize": "x=quantile:3", "curve": True}
    [found] = bnsl.evaluate(arcs, target=target, **options)
    assert found["log_loss"] == pytest.approx(loss / N, rel=1e-12)
    assert found["target_rows"] == N
    # Equal chances of states are decided by rounding.
    surely, perhaps = (sum(rank > 1 + margin for rank in ranks) / N for margin in (1e-9, -1e-9))
    assert surely <= found["accuracy"] <= perhaps
    bins = found["target_calibration"]
    mean_top = sum(each["rows"] * each["probability"] for each in bins) / N
    assert mean_top == pytest.approx(sum(at_top) / N)
    assert {point["state"] for point in found["target_curve"]} == {str(state) for state in set(columns[target])}
    assert "rows that the parameters are from" not in capsys.readouterr().err


def test_what_does_not_go_with_predictions_of_folds(arcs):
    with pytest.raises(bnsl.UsageError, match="jobs"):
        bnsl.evaluate(arcs, data=table(), folds=3, target="y", jobs=2, quiet=True)
    options = {"data": table(), "folds": 3, "target": "x", "quiet": True}
    with pytest.raises(bnsl.BnslError, match="the states of the target 'x' would differ between folds"):
        bnsl.evaluate(arcs, discretize="x=quantile:3", **options)
    [found] = bnsl.evaluate(arcs, discretize="x=cuts:3,9", **options)
    assert found["target_rows"] == N


@pytest.mark.parametrize("target", ["x", "y", "c"])
def test_smoothing(arcs, target):
    columns = table()
    losses = {}
    for smoothing in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0):
        losses[smoothing] = 0.0
        for inside, others, coded in folds_of(columns, 5):
            for row in inside:
                chances = joint(coded, others, row, target, smoothing)
                losses[smoothing] -= math.log(chances[coded[target][row]] / sum(chances.values()))
    options = {"discretize": "quantile:3", "smoothing_for": target, "smooth_towards": "uniform", "quiet": True}
    found = bnsl.fit(arcs, columns, **options).record.header.by[-1]["options"]["smoothing"]
    assert found == min(losses, key=lambda value: losses[value])


@pytest.mark.parametrize("rule", ["hartemink:2", "width:3", "quantile:4", "median"])
def test_no_row_outside_decides(rule):
    """A cell of a fold, however extreme, moves no cut of this fold: its row changes only the other folds."""
    columns = {
        "x": [1.5, 2.25, 4.0, 8.0, 11.0, 12.5] * 8,
        "y": [0, 1] * 24,
        "c": list("aab") * 16,
        "z": [*range(24)] * 2,
    }
    found = []
    for value in (1.5, 1e6):
        given = {**columns, "x": [value, *columns["x"][1:]], "z": [value * 2, *columns["z"][1:]]}
        options = {"discretize": rule, "is_recodable": True}
        dataset = open_dataset(as_table(given), **options)
        mask = np.arange(48) >= 5
        found.append(dataset.recoded(mask))
    first, second = found
    assert [v.states for v in first.variables] == [v.states for v in second.variables]
    assert (first.plain_codes[:, 1:] == second.plain_codes[:, 1:]).all()


def test_few_numbers_among_the_others_make_intervals():
    """Marked rows that hold fewer numbers than intervals: other rows still have a state."""
    columns = {"x": [1, 1, 1, 2, 3.5, 7, 9.5], "y": [0, 1, 0, 1, 0, 1, 0]}
    dataset = open_dataset(as_table(columns), discretize="quantile:3", is_recodable=True)
    assert dataset.recoding.learnt == ("x",)
    for n, states, codes in (
        (3, ("<=1", ">1"), [0, 0, 0, 1, 1, 1, 1]),
        (4, ("<=1", ">1"), [0, 0, 0, 1, 1, 1, 1]),
        (5, ("<=1", "1..2", ">2"), [0, 0, 0, 1, 2, 2, 2]),
    ):
        coded = dataset.recoded(np.arange(7) < n)
        assert coded.variables[0].states == states and coded.plain_codes[0].tolist() == codes


@pytest.mark.parametrize("options", [{"missing": "state"}, {"missing": "drop"}, {"weights": "n"}])
def test_rows_of_the_data_set(options, tmp_path):
    """Missing cells, as a state or without their rows, and repeated rows: the fold's states cover all rows."""
    columns = table()
    columns["n"] = [1 + row % 3 for row in range(N)]
    columns["x"] = ["" if row in (3, 17) and "missing" in options else v for row, v in enumerate(columns["x"])]
    columns["c"] = ["" if row in (5, 17) and "missing" in options else v for row, v in enumerate(columns["c"])]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]))
    rules = {"discretize": "x=quantile:3", "is_recodable": True}
    dataset = open_dataset(str(path), **rules, **options)
    marked = np.arange(dataset.n_rows) >= 12
    coded = dataset.recoded(marked)
    assert dataset.recoding.learnt == ("x",) and coded.n_rows == dataset.n_rows and coded.names == dataset.names
    for variable, states in zip(dataset.variables, coded.variables):
        has_missing = variable.states[-1] == "NA"
        assert (states.states[-1] == "NA") == has_missing
    assert (coded.plain_codes.max(axis=1) < coded.n_states).all()
