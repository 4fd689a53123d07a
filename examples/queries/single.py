"""Processor seconds that a single question takes in a Python that runs: by us, and by pyAgrum where it is installed.

single.py ask NETWORK.bif                   one network, JSON
single.py show RUN.single.json... > TIMES   a line for each network to read, ours / pyAgrum's

Three questions are asked: the distributions of all variables; the same given five observed variables; the
distribution of the last variable given these. Each is asked of a new engine, so that its elimination order counts.
The last is asked, too, of an engine that is kept between questions (`kept`): KEPT times, each with five other
observed variables, so that plans are made for each; the mean counts. Of pyAgrum's kinds of inference, and for `kept`
of its new and kept engines, the fastest counts. Observed are five variables at equal distances in the file, with the
states of a row drawn from the network; the i-th question observes their i-th successors. The least of three times
counts. The probabilities of both are compared, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAYS = ("LazyPropagation", "ShaferShenoyInference", "VariableElimination")
QUESTIONS = ("all", "all_given", "one_given", "kept")
KEPT = 20
"""Questions to a kept engine: more than the plans it keeps."""
LIMIT = 120
"""Seconds after which an answer is not waited for."""


def ask(path: str) -> None:
    """Write what both take, and the largest difference of a probability."""
    import bnsl

    network = bnsl.read(path)
    names = network.variables
    row = bnsl.sample(network, rows=1, seed=1, quiet=True).to_pylist()[0]
    places = [i * len(names) // 5 for i in range(5)]
    observed = [{name: row[name] for name in (names[(i + k) % len(names)] for i in places)} for k in range(KEPT)]
    last = [next(name for name in reversed(names) if name not in evidence) for evidence in observed]
    one = [{"evidence": evidence, "variables": [name]} for evidence, name in zip(observed, last)]
    asked: dict[str, list[dict[str, Any]]] = {
        "all": [{}],
        "all_given": [{"evidence": observed[0]}],
        "one_given": one[:1],
        "kept": one,
    }
    found: dict[str, Any] = {"variables": len(names)}
    for question, parts in asked.items():
        answers: list[Any] = []

        def answer(question: str = question, parts: Any = parts, answers: list[Any] = answers) -> None:
            answers.clear()
            for options in parts:
                of = network if question == "kept" else bnsl.Network(network.record)
                answers.append(bnsl.query(of, quiet=True, **options))

        answer()
        found[question] = least(answer) / len(parts)
        ours = [line["probability"] for table in answers for line in table.to_pylist()]
        # In numbers: a BIF file has other words for labels that the format does not allow.
        numbered = [
            (
                {v: network.states[v].index(label) for v, label in part.get("evidence", {}).items()},
                part.get("variables"),
            )
            for part in parts
        ]
        for way in WAYS[: 3 if "variables" in parts[0] else 2]:
            for is_kept in (False, True) if question == "kept" else (False,):
                task = json.dumps([path, way, numbered, is_kept])
                try:
                    run = subprocess.run(
                        [sys.executable, __file__, "theirs", task], timeout=LIMIT, capture_output=True, text=True
                    )
                except subprocess.TimeoutExpired:
                    continue
                if not run.stdout:
                    continue
                seconds, theirs = json.loads(run.stdout)
                if seconds / len(parts) < found.get(f"pyagrum_{question}", (LIMIT, ""))[0]:
                    found[f"pyagrum_{question}"] = seconds / len(parts), way
                if len(theirs) == len(ours):
                    difference = max(abs(a - b) for a, b in zip(ours, theirs))
                    found["difference"] = max(found.get("difference", 0.0), difference)
    print(json.dumps(found))


def least(work: Callable[[], None]) -> float:
    """The least of three processor times; the first alone if it is long."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 2.0:
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def theirs(task: str) -> None:
    """Write pyAgrum's processor seconds and probabilities; nothing if it is not installed."""
    try:
        import pyagrum
    except ImportError:
        return
    path, way, parts, is_kept = json.loads(task)
    model = pyagrum.loadBN(path)
    nodes_of = [
        [model.idFromName(name) for name in wanted]
        if wanted
        else [node for node in sorted(model.nodes()) if model.variable(node).name() not in evidence]
        for evidence, wanted in parts
    ]
    kept = getattr(pyagrum, way)(model)
    answers: list[float] = []

    def answer() -> None:
        answers.clear()
        for (evidence, wanted), nodes in zip(parts, nodes_of):
            engine = kept if is_kept else getattr(pyagrum, way)(model)
            engine.setNumberOfThreads(1)
            engine.setEvidence(evidence)
            if wanted:
                engine.setTargets(set(nodes))
            engine.makeInference()
            answers.extend(float(p) for node in nodes for p in engine.posterior(node).toarray())

    print(json.dumps([least(answer), answers]))


def show(*paths: str) -> None:
    """Print a line for each network."""
    lines = [["network", "variables", *QUESTIONS, "difference"]]
    for path in paths:
        run = json.loads(Path(path).read_text())
        pairs = [f"{run[q]:.3g} / {run.get(f'pyagrum_{q}', ['-'])[0]:.3}" for q in QUESTIONS]
        difference = f"{run['difference']:.0e}" if "difference" in run else "-"
        lines.append([Path(path).name.split(".")[0], str(run["variables"]), *pairs, difference])
    sizes = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.rjust(size) for cell, size in zip(line, sizes)))


if __name__ == "__main__":
    {"ask": ask, "theirs": theirs, "show": show}[sys.argv[1]](*sys.argv[2:])
