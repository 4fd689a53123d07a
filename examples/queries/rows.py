"""Processor milliseconds a row of evidence takes in a Python that runs: by us, and by pyAgrum where it is installed.

rows.py ask NETWORK.bif HOLES.csv       one network and share of empty cells, JSON
rows.py show RUN.rows.json... > TIMES   two lines for each to read; they are named NETWORK.SHARE

Asked is the distribution of one variable given the other cells of each row: of the last column, of the middle one.
Ours is one call for the table, whose reading and answers count; it gives the log-probability of each row's observed
cells, too. pyAgrum is asked a row at a time on an engine that is kept, with the variable as its only target, evidence
translated beforehand, one thread. What took less than two seconds is done three times, the least counts. Each way of
pyAgrum's stops after LIMIT seconds of rows. The probabilities of both are compared.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rates import rows_of_evidence
from single import least

WAYS = ("LazyPropagation", "VariableElimination", "ShaferShenoyInference")
LIMIT = 20
"""Processor seconds."""


def targets_of(path: str) -> dict[str, str]:
    """The columns that are asked for."""
    with open(path, newline="") as stream:
        header = next(csv.reader(stream))
    return {"last": header[-1], "middle": header[len(header) // 2]}


def ask(path: str, holes: str) -> None:
    """Write what both take, and the largest difference of a probability."""
    import bnsl

    network, found = bnsl.read(path), {}
    with open(holes) as stream:
        n_rows = sum(1 for _ in stream) - 1
    for place, target in targets_of(holes).items():
        answers: list[Any] = []

        def answer(target: str = target, answers: list[Any] = answers) -> None:
            answers.append(bnsl.query(network, table=holes, predict=[target], quiet=True))

        answer()
        found[place] = {"rows": n_rows, "ours": 1000 * least(answer) / n_rows}
        names = [f"P({target}={label})" for label in network.states[target]]
        ours = list(zip(*(answers[-1][name].to_pylist() for name in names)))
        for way in WAYS:
            own = [sys.executable, __file__, "theirs", path, holes, target, way]
            run = subprocess.run(own, capture_output=True, text=True)
            if not run.stdout:
                continue
            seconds, theirs = json.loads(run.stdout)
            found[place][way] = 1000 * seconds / len(theirs)
            known = [(a, b) for mine, other in zip(ours, theirs) if other for a, b in zip(mine, other)]
            found[place]["difference"] = max(
                [found[place].get("difference", 0.0), *(abs(a - b) for a, b in known if a is not None)]
            )
    print(json.dumps(found))


def theirs(path: str, holes: str, target: str, way: str) -> None:
    """Write pyAgrum's processor seconds and its distributions, null where it refuses the evidence.

    Nothing is written if it is not installed.
    """
    try:
        import pyagrum
    except ImportError:
        return
    model = pyagrum.loadBN(path)
    rows, node = rows_of_evidence(model, path, holes), model.idFromName(target)
    for row in rows:
        row.pop(node, None)
    engine = getattr(pyagrum, way)(model)
    engine.setNumberOfThreads(1)
    engine.setTargets({node})
    answers: list[list[float] | None] = []

    def answer() -> None:
        answers.clear()
        begin = time.process_time()
        for row in rows:
            try:
                engine.setEvidence(row)
                engine.makeInference()
                answers.append([float(p) for p in engine.posterior(node).toarray()])
            except pyagrum.IncompatibleEvidence:
                answers.append(None)
            if time.process_time() - begin > LIMIT:
                break

    seconds = least(answer)
    print(json.dumps([seconds, answers]))


def show(*paths: str) -> None:
    """Print two lines for each network."""
    lines = [["network", "hidden", "variable", "rows", "ours", *WAYS, "difference"]]
    for path in paths:
        name, hidden = Path(path).name.split(".")[:2]
        for place, run in json.loads(Path(path).read_text()).items():
            times = [f"{run[name]:.3g}" if name in run else "-" for name in ("ours", *WAYS)]
            difference = f"{run['difference']:.0e}" if "difference" in run else "-"
            lines.append([name, hidden.replace(",", "."), place, str(run["rows"]), *times, difference])
    sizes = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.rjust(size) for cell, size in zip(line, sizes)))


if __name__ == "__main__":
    {"ask": ask, "theirs": theirs, "show": show}[sys.argv[1]](*sys.argv[2:])
