"""Run the module as Benchpress would on settings of two of its published configurations, and print a table.

``paper_er_bin``: random graphs of 80 variables with 4 neighbours each in the mean and at most 5 parents, 320 and 640
rows. ``paper_hepar2_bin``: a given graph, 320 rows; the file of HEPAR II belongs to Benchpress, so the graph here is
the bundled ALARM network. Both draw binary variables whose probabilities are uniform between 0.1 and 0.9, and compare
BDeu with the equivalent sample sizes 0.001, 0.01 and 0.1.

    python study.py FOLDER --seeds 5 --seconds 10 > table.md
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bnsl

MODULE = Path(__file__).parent / "bnsl"
SIZES = ("0.001", "0.01", "0.1")
STUDIES = {"paper_er_bin": (320, 640), "paper_hepar2_bin": (320,)}

Parents = Sequence[Sequence[int]]


def random_graph(rng: np.random.Generator, n: int = 80, neighbours: float = 4.0, most: int = 5) -> Parents:
    """Parents of each variable: every pair in a random order is joined with the same probability."""
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for place, child in enumerate(order):
        chosen = order[:place][rng.random(place) < neighbours / (n - 1)]
        parents[child] = sorted(rng.permutation(chosen)[:most].tolist())
    return parents


def given_graph() -> Parents:
    """Parents of each variable of the bundled ALARM network."""
    path = subprocess.run(["bnsl", "data", "--path", "alarm"], capture_output=True, text=True, check=True).stdout
    network = bnsl.read(path.strip())
    place = {name: index for index, name in enumerate(network.variables)}
    return [[place[parent] for parent in network.parents(name)] for name in network.variables]


def rows_of(parents: Parents, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Binary rows, shape (n_rows, variables); P(1 | configuration) is uniform between 0.1 and 0.9."""
    rows = np.zeros((n_rows, len(parents)), dtype=np.int64)
    done: set[int] = set()
    while len(done) < len(parents):
        for child, family in enumerate(parents):
            if child not in done and done.issuperset(family):
                table = rng.uniform(0.1, 0.9, 1 << len(family))
                code = rows[:, family] @ (1 << np.arange(len(family))) if family else np.zeros(n_rows, dtype=np.int64)
                rows[:, child] = rng.random(n_rows) < table[code]
                done.add(child)
    return rows


def write_matrix(path: Path, parents: Parents) -> None:
    """The graph as Benchpress has it: a line of names, then one line for each variable (row is parent of column)."""
    matrix = np.zeros((len(parents), len(parents)), dtype=int)
    for child, family in enumerate(parents):
        matrix[family, child] = 1
    names = ",".join(f"X{v}" for v in range(len(parents)))
    path.write_text("\n".join([names, *(",".join(map(str, row)) for row in matrix)]) + "\n")


def write_data(path: Path, rows: np.ndarray) -> None:
    """Rows below a line of names and a line of numbers of states."""
    n = rows.shape[1]
    lines = [",".join(f"X{v}" for v in range(n)), ",".join(["2"] * n), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def run_module(folder: Path, seed: int, ess: str, seconds: float) -> None:
    """Run the script with the variables that the workflow sets."""
    wildcards = {"seed": seed, "score": "bdeu", "ess": ess, "max_parents": "None", "treewidth": "None"}
    outputs = {"adjmat": "adjmat.csv", "time": "time.txt", "ntests": "ntests.txt"}
    given = {
        "snakemake_wildcards": wildcards | {"timeout": f"{seconds:g}"},
        "snakemake_input": {"data": "data.csv"},
        "snakemake_output": outputs,
    }
    arrays = "\n".join(
        f"declare -A {name}=({' '.join(f'[{key}]={value}' for key, value in entries.items())})"
        for name, entries in given.items()
    )
    script = (MODULE / "script.sh").read_text()
    subprocess.run(["bash", "-c", f"{arrays}\n{script}"], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def measures(folder: Path) -> dict[str, float]:
    """Edges found and missed, of the skeleton and of the essential graph, and the seconds of the run."""
    found, true = bnsl.read(folder / "adjmat.csv"), bnsl.read(folder / "true.csv")
    [record] = bnsl.evaluate([found], reference=true, no_treewidth=True, quiet=True)
    pairs = [{frozenset(arc) for arc in network.arcs} for network in (found, true)]
    return {
        "found": len(pairs[0] & pairs[1]) / len(pairs[1]),
        "false": len(pairs[0] - pairs[1]) / len(pairs[1]),
        "directed": record["class_true_positives"] / len(pairs[1]),
        "shd": record["shd"],
        "seconds": float((folder / "time.txt").read_text()),
    }


def main() -> None:
    """Run all settings; a setting whose result is in the folder is not run again."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    print("| configuration | rows | ess | edges found | false edges | edges found, directed alike | SHD | seconds |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for study, sizes in STUDIES.items():
        for n_rows in sizes:
            for ess in SIZES:
                results = []
                for seed in range(1, given.seeds + 1):
                    folder = given.folder / study / f"{n_rows}.{ess}.{seed}"
                    folder.mkdir(parents=True, exist_ok=True)
                    kept = folder / "measures.json"
                    if not kept.exists():
                        rng = np.random.default_rng([seed, n_rows])
                        parents = random_graph(rng) if study == "paper_er_bin" else given_graph()
                        write_matrix(folder / "true.csv", parents)
                        write_data(folder / "data.csv", rows_of(parents, n_rows, rng))
                        run_module(folder, seed, ess, given.seconds)
                        kept.write_text(json.dumps(measures(folder)))
                    results.append(json.loads(kept.read_text()))
                median = {key: statistics.median(one[key] for one in results) for key in results[0]}
                shares = " | ".join(f"{median[key]:.3f}" for key in ("found", "false", "directed"))
                print(f"| {study} | {n_rows} | {ess} | {shares} | {median['shd']:g} | {median['seconds']:.1f} |")


if __name__ == "__main__":
    main()
