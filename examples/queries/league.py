"""Tasks of the UAI competitions on files of their format: our answers and times, pyAgrum's and toulbar2's.

league.py write NETWORK.bif FOLDER             the network as .uai and .bif, and evidence as .json
league.py ask FOLDER                           one network, JSON
league.py show RUN.league.json... > TABLE      a line for each network and task to read, in milliseconds a case

PR is the probability of the evidence, MAR the distributions of all other variables, MPE the most probable states of
all variables. Observed is a fifth of the variables, drawn at random, with the states of a row drawn from the network.
Models are read beforehand; each case goes to a new engine. Ours reads the .uai file; pyAgrum gets the network as BIF,
since it has other names for the states of UAI files; of its two junction trees the faster counts. toulbar2 is asked
for MPE. The answers of all are compared.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASES = 10
LIMIT = 300
"""Seconds of wall time after which a solver is not waited for."""

SCALE = 1e7
"""Integer costs of toulbar2 per nat."""

TASKS = {"PR": ["ours", "pyagrum"], "MAR": ["ours", "pyagrum"], "MPE": ["ours", "toulbar2"]}
JUNCTION_TREES = ("LazyPropagation", "ShaferShenoyInference")


def write(path: str, folder: str) -> None:
    """Write a network and its evidence."""
    import bnsl

    network, target = bnsl.read(path), Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    network.save(target / "network.uai")
    network.save(target / "network.bif")
    names, draw = network.variables, random.Random(1)
    for case, row in enumerate(bnsl.sample(network, rows=CASES, seed=1, quiet=True).to_pylist()):
        observed = sorted(draw.sample(range(len(names)), len(names) // 5))
        states = [network.states[names[v]].index(row[names[v]]) for v in observed]
        (target / f"{case}.json").write_text(json.dumps(dict(zip(observed, states))))


def evidence_of(case: Path) -> dict[int, int]:
    """The number of each observed variable's state, by the number of the variable."""
    return {int(v): state for v, state in json.loads(case.read_text()).items()}


def timed(folder: Path, answer: Callable[[Path], Any]) -> tuple[float, list[Any]]:
    """Processor seconds a case, the second time that all are asked, and the answers."""
    cases = [folder / f"{case}.json" for case in range(CASES)]
    for case in cases:
        answer(case)
    begin = time.process_time()
    answers = [answer(case) for case in cases]
    return (time.process_time() - begin) / CASES, answers


def ours(folder: Path, task: str) -> tuple[float, list[Any]]:
    """Seconds and answers: log-probabilities (for MPE with the states, jointly), or probabilities."""
    import bnsl

    network = bnsl.read(folder / "network.uai")
    names = network.variables
    options = {"PR": {"probability": True}, "MAR": {}, "MPE": {"mpe": True}}[task]

    def answer(case: Path) -> list[dict[str, Any]]:
        seen = {names[v]: network.states[names[v]][state] for v, state in evidence_of(case).items()}
        return bnsl.query(bnsl.Network(network.record), seen, quiet=True, **options).to_pylist()

    seconds, tables = timed(folder, answer)
    if task == "PR":
        return seconds, [lines[0]["log_probability"] for lines in tables]
    if task == "MAR":
        return seconds, [[line["probability"] for line in lines] for lines in tables]
    states = [{line["variable"]: line["state"] for line in lines} for lines in tables]
    return seconds, [bnsl.query(network, row, probability=True)["log_probability"][0].as_py() for row in states]


def pyagrum(folder: Path, task: str) -> tuple[float, list[Any]]:
    """The same by the faster junction tree."""
    import pyagrum as gum

    model = gum.loadBN(str(folder / "network.bif"))

    def answer(kind: str, case: Path) -> Any:
        evidence = evidence_of(case)
        engine = getattr(gum, kind)(model)
        engine.setNumberOfThreads(1)
        engine.setEvidence(evidence)
        if task == "PR":
            return math.log(engine.evidenceProbability())
        engine.makeInference()
        free = [v for v in sorted(model.nodes()) if v not in evidence]
        return [float(p) for v in free for p in engine.posterior(v).toarray()]

    return min(timed(folder, lambda case, kind=kind: answer(kind, case)) for kind in JUNCTION_TREES)


def toulbar2(folder: Path, task: str) -> tuple[float, list[Any]]:
    """The same of toulbar2: its search alone is timed."""
    import pytoulbar2

    top, seconds = 1e15, []
    states = [int(word) for word in (folder / "network.uai").read_text().split("\n")[2].split()]

    def answer(case: Path) -> float:
        problem = pytoulbar2.CFN(top, vac=0)
        problem.Read(str(folder / "network.uai"))
        for v, seen in evidence_of(case).items():
            problem.AddFunction([v], [0 if state == seen else top for state in range(states[v])])
        begin = time.process_time()
        _, cost, _ = problem.Solve()
        seconds.append(time.process_time() - begin)
        return -cost / SCALE

    _, answers = timed(folder, answer)
    return sum(seconds[CASES:]) / CASES, answers


def ask(folder: str) -> None:
    """Write milliseconds a case of each solver, and the largest difference of its answers from ours."""
    found: dict[str, Any] = {}
    for task, solvers in TASKS.items():
        found[task], answers = {}, {}
        for solver in solvers:
            words = [sys.executable, __file__, "solve", folder, task, solver]
            try:
                run = subprocess.run(words, timeout=LIMIT, capture_output=True, text=True)
            except subprocess.TimeoutExpired:
                continue
            if run.returncode == 0:
                seconds, answers[solver] = json.loads(run.stdout.split("\n")[-2])
                found[task][solver] = 1000.0 * seconds
            elif "ModuleNotFoundError" not in run.stderr:
                print(run.stderr, file=sys.stderr)
        if len(answers) == 2:
            mine, theirs = answers.values()
            found[task]["difference"] = difference(mine, theirs)
    print(json.dumps(found))


def difference(mine: list[Any], theirs: list[Any]) -> float:
    """The largest difference of two lists of numbers, or of lists."""
    if isinstance(mine, list):
        return max((difference(a, b) for a, b in zip(mine, theirs, strict=True)), default=0.0)
    return abs(mine - theirs)


def solve(folder: str, task: str, solver: str) -> None:
    """Write the seconds and answers of one solver."""
    seconds, answers = {"ours": ours, "pyagrum": pyagrum, "toulbar2": toulbar2}[solver](Path(folder), task)
    print(json.dumps([seconds, answers]))


def show(*paths: str) -> None:
    """Print the table in Markdown."""
    print("| network | task | ours | pyAgrum | toulbar2 | difference |\n|---|---|---|---|---|---|")
    for path in paths:
        for task, run in json.loads(Path(path).read_text()).items():
            cells = [f"{run[solver]:.3g}" if solver in run else "" for solver in ("ours", "pyagrum", "toulbar2")]
            last = f"{run['difference']:.0e}" if "difference" in run else ""
            print("| " + " | ".join([Path(path).name.split(".")[0], task, *cells, last]) + " |")


if __name__ == "__main__":
    {"write": write, "ask": ask, "solve": solve, "show": show}[sys.argv[1]](*sys.argv[2:])
