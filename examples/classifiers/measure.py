"""Accuracy and log-loss of one way to predict a column, in cross-validation: measure.py DATA TARGET METHOD SMOOTHING.

- METHOD: of `bnsl optimize`; tan, kdb and cll are given the target. Or pyagrum, its TAN classifier on
  the same folds, with SMOOTHING rows a cell.
- SMOOTHING: "chosen" (`--smoothing-for`), or "ROWS uniform", "ROWS marginal".

All is learnt in each fold from the rows of the others: the cuts of numbers (four intervals, if there are more than
ten), the network, the smoothing, the parameters. Cells that are missing are a label of their own; labels that the
other folds do not have are missing. Column fnlwgt, a weight, is left out.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import random
import sys
from unittest.mock import MagicMock

import bnsl

FOLDS = 5
MISSING = ("", "?", "NA")
LEFT_OUT = ("fnlwgt",)


def read(path: str) -> dict[str, list]:
    """The columns of a table: numbers if all cells are, else texts; a missing cell is the text 'unknown'."""
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    columns = {name: [cell.strip() for cell in cells] for name, cells in zip(head, zip(*rows))}
    return {
        name: numbers_or_texts(["unknown" if cell in MISSING else cell for cell in cells])
        for name, cells in columns.items()
        if name not in LEFT_OUT
    }


def numbers_or_texts(cells: list[str]) -> list:
    """Numbers if all cells are."""
    for parse in (int, float):
        try:
            return [parse(cell) for cell in cells]
        except ValueError:
            continue
    return cells


def judged(training: dict, test: dict, target: str, method: str, smoothing: str) -> tuple[int, float, float]:
    """Rows, right ones, summed log-loss of the test rows."""
    options: dict = {"target": target} if method in ("tan", "kdb", "cll") else {}
    if smoothing == "chosen":
        options["smoothing_for"] = target
    else:
        rows, towards = smoothing.split()
        options |= {"smoothing": float(rows), "smooth_towards": towards}
    network = bnsl.learn(training, method=method, discretize="quantile:4", seed=1, quiet=True, **options)
    [found] = bnsl.evaluate(
        network, test=test, target=target, missing="em", unseen="missing", no_treewidth=True, quiet=True
    )
    n_rows = found["target_rows"]
    return n_rows, round(found["accuracy"] * n_rows), found["log_loss"] * n_rows


def judged_elsewhere(training: dict, test: dict, target: str, weight: float) -> tuple[int, float, float]:
    """As `judged`, of pyAgrum's TAN, on our cuts."""
    for name in ("matplotlib", "matplotlib.pylab", "matplotlib.pyplot", "pydot"):
        sys.modules.setdefault(name, MagicMock())  # for drawing only
    import pandas
    from pyagrum import skbn

    learnt = bnsl.learn(training, method="tan", target=target, discretize="quantile:4", smoothing=1, quiet=True)
    ends = {name: [end_of(label) for label in learnt.states[name]] for name in training}
    frames = []
    for part in (training, test):
        coded = {name: [code_of(cell, ends[name]) for cell in cells] for name, cells in part.items()}
        frames.append(pandas.DataFrame(coded))
    known = {name: set(frames[0][name]) for name in training if name != target}
    inside = [all(frames[1][name][row] in known[name] for name in known) for row in range(len(frames[1]))]
    frames[1] = frames[1][inside]
    classifier = skbn.createBNClassifier(learningMethod="TAN", prior="Smoothing", priorWeight=weight)
    classifier.fit(frames[0].drop(columns=[target]), frames[0][target])
    chances = classifier.predict_proba(frames[1].drop(columns=[target]))
    names = [str(name) for name in classifier.classes_]
    n_right, loss, n_rows = 0, 0.0, 0
    for row, truth in zip(chances, frames[1][target]):
        if truth in names:
            n_rows += 1
            n_right += names[max(range(len(names)), key=lambda k: row[k])] == truth
            loss -= math.log(max(float(row[names.index(truth)]), 1e-300))
    return n_rows, n_right, loss


def end_of(label: str) -> float | None:
    """The upper end of an interval; None for other labels."""
    low, dots, high = label.partition("..")
    try:
        if label.startswith("<="):
            return float(label[2:])
        if label.startswith(">"):
            return math.inf if math.isfinite(float(label[1:])) else None
        return float(high) if dots and math.isfinite(float(low)) else None
    except ValueError:
        return None


def code_of(cell: str | float, ends: list[float | None]) -> str:
    """A label, or the interval of a number."""
    if None in ends:
        return str(cell)
    return f"i{sum(float(cell) > end for end in ends if end is not None)}"


def main() -> None:
    """Print the shares over all folds."""
    path, target, method, smoothing = sys.argv[1:5]
    columns = read(path)
    order = list(range(len(columns[target])))
    random.Random(1).shuffle(order)
    parts = []
    for fold in range(FOLDS):
        inside = set(order[fold::FOLDS])
        training = {name: [c for row, c in enumerate(cells) if row not in inside] for name, cells in columns.items()}
        test = {name: [c for row, c in enumerate(cells) if row in inside] for name, cells in columns.items()}
        if method == "pyagrum":
            parts.append(judged_elsewhere(training, test, target, float(smoothing.split()[0])))
        else:
            parts.append(judged(training, test, target, method, smoothing))
    n_rows, n_right, loss = map(sum, zip(*parts))
    print(json.dumps({"rows": n_rows, "accuracy": n_right / n_rows, "log_loss": loss / n_rows}))


if __name__ == "__main__":
    main()
