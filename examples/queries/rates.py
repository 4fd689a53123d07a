"""Processor seconds that 10,000 rows of queries take: `bnsl query`, and pyAgrum where it is installed.

rates.py ask NETWORK.bif MEASURES.json HOLES.csv MEMORY   one network, JSON
rates.py table RUN.time.json... > TIMES.csv               a line for each run; they are named DATA.BOUND.REMOVED
rates.py show TIMES.csv                                   the same to read, ours / pyAgrum's

Three questions are asked of each row: the probability of its observed cells; all its hidden cells (by us the states
most probable together, by pyAgrum, whose most probable states fail on much evidence, the distribution of each); the
distribution of the last column given the others. Ours is what a run of the command takes, reading and writing
included, less what it takes for one row. Theirs is one row at a time on an engine that is kept, evidence translated
beforehand; of its kinds of inference the fastest counts, and is named. Rows are asked until SECONDS have passed, and
scaled.
"""

from __future__ import annotations

import csv
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROWS = 10_000
SECONDS = 1.0
"""Enough to measure."""

LIMIT = 30
"""Seconds after which nobody waits for the first answers."""

QUESTIONS = {"probability": [], "hidden": ["--fill", "best"], "column": ["--predict"]}
WAYS = ("LazyPropagation", "ShaferShenoyInference", "VariableElimination")
Evidence = dict[int, int]


def ask(network: str, measures: str, holes: str, memory: str) -> None:
    """Write what both take."""
    with open(holes, newline="") as stream:
        header, *rows = stream.readlines()
    column = header.strip().split(",")[-1]
    known = json.loads(Path(measures).read_text())
    found: dict[str, Any] = {name: known.get(name) for name in ("treewidth_upper", "jointree_cells")}
    for question, options in QUESTIONS.items():
        chosen = [*options, column] if options[-1:] == ["--predict"] else options
        found[question] = ours(["bnsl", "query", "-q", network, *chosen, "--memory", memory], header, rows)
    own = [sys.executable, __file__, "theirs", network, holes, memory]
    for question in QUESTIONS:
        ways: dict[str, float] = {}
        for way in WAYS[: 3 if question == "column" else 2]:  # the last asks one variable at a time
            try:
                text = subprocess.run([*own, question, way], timeout=LIMIT, capture_output=True).stdout
                ways |= {way: float(text)} if text else {}
            except subprocess.TimeoutExpired:
                pass
        found[f"pyagrum_{question}"] = min(ways.values(), default=None)
        found[f"way_{question}"] = min(ways, key=ways.__getitem__, default=None)
    print(json.dumps(found))


def ours(command: list[str], header: str, rows: list[str]) -> float | None:
    """Processor seconds for ROWS rows; nothing if they are refused or take too long."""

    def run(count: int) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table, tempfile.TemporaryDirectory() as folder:
            table.writelines([header, *rows[:count]])
            table.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [*command, "--evidence", table.name, "-o", f"{folder}/answers.csv"], check=True, timeout=LIMIT
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    try:
        run(1)  # compiles what is not compiled yet
        least, count = min(run(1) for _ in range(2)), 100
        while (seconds := run(count) - least) < SECONDS and count < min(ROWS, len(rows)):
            count = min(10 * count, ROWS, len(rows))
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return seconds * ROWS / count


def theirs(network: str, holes: str, memory: str, question: str, way: str) -> None:
    """Write processor seconds for ROWS rows; nothing if it does not answer this, or is not installed."""
    try:
        import pyagrum
    except ImportError:
        return
    size = int(float(memory[:-1]) * 2**30) if memory.endswith("G") else int(memory)
    resource.setrlimit(resource.RLIMIT_AS, (size + 2**31, size + 2**31))
    model = pyagrum.loadBN(network)
    rows = rows_of_evidence(model, network, holes)
    with open(holes, newline="") as stream:
        target = model.idFromName(next(csv.reader(stream))[-1])
    engine = getattr(pyagrum, way)(model)
    engine.setNumberOfThreads(1)
    answer = answers_of(model, engine, question, target)
    begin, count = time.process_time(), 0
    while count < len(rows) and time.process_time() - begin < SECONDS:
        answer(rows[count])
        count += 1
    print((time.process_time() - begin) * ROWS / count)


def rows_of_evidence(model: Any, network: str, holes: str) -> list[Evidence]:
    """The observed cells of each row in pyAgrum's numbers."""
    found = re.findall(r"variable (\S+) \{\s*type discrete \[.*?\] \{(.*?)\};", Path(network).read_text())
    codes = {name: {label: i for i, label in enumerate(listed.replace(",", " ").split())} for name, listed in found}
    with open(holes, newline="") as stream:
        table = csv.DictReader(stream)
        return [{model.idFromName(name): codes[name][cell] for name, cell in row.items() if cell} for row in table]


def answers_of(model: Any, engine: Any, question: str, target: int) -> Callable[[Evidence], None]:
    """What asks one row."""

    def probability(row: Evidence) -> None:
        engine.setEvidence(row)
        engine.evidenceProbability()

    def hidden(row: Evidence) -> None:
        engine.setEvidence(row)
        engine.makeInference()
        for variable in model.nodes():
            if variable not in row:
                engine.posterior(variable)

    def column(row: Evidence) -> None:
        engine.setEvidence({variable: state for variable, state in row.items() if variable != target})
        engine.makeInference()
        engine.posterior(target)

    if question == "column":
        engine.setTargets({target})
        return column
    return probability if question == "probability" else hidden


def table(*paths: str) -> None:
    """Write a line for each run."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for number, path in enumerate(paths):
        run = json.loads(Path(path).read_text())
        if number == 0:
            writer.writerow(["data", "bound", "removed", *run])
        name = Path(path).name.removesuffix(".time.json").split(".")
        values = [f"{value:.3g}" if isinstance(value, float) else value for value in run.values()]
        writer.writerow([*name[:2], name[2].replace(",", "."), *values])


def show(path: str) -> None:
    """Print a line for each run."""

    def number(text: str) -> str:
        return f"{float(text):,.3g}" if text else "-"

    lines = [["data", "bound", "removed", "width", "cells", *QUESTIONS]]
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            pairs = (f"{number(row[name])} / {number(row[f'pyagrum_{name}'])}" for name in QUESTIONS)
            width, cells = row["treewidth_upper"], row["jointree_cells"]
            lines.append([row["data"], row["bound"], row["removed"], width, number(cells), *pairs])
    sizes = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.rjust(size) for cell, size in zip(line, sizes)))


if __name__ == "__main__":
    {"ask": ask, "theirs": theirs, "table": table, "show": show}[sys.argv[1]](*sys.argv[2:])
