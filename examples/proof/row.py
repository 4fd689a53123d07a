"""A row of the table: an instance, what `bnsl optimize` proved of it, and the proof checked twice.

row.py NAME SETS PROOF NETWORK    beside NETWORK a file NETWORK.seconds: user and system seconds of the run
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path


def timed(*words: str) -> tuple[str, float]:
    """Output of a command that must succeed, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(name: str, sets: str, proof: str, network: str) -> None:
    ours, seconds = timed("bnsl", "evaluate", "--json", "--no-treewidth", "--proof", proof, sets, network)
    plain, plain_seconds = timed(sys.executable, str(Path(__file__).with_name("check.py")), sets, proof, network)
    record = json.loads(ours)
    bound = float(plain.split(" scores more than ")[1].split()[0])
    assert abs(bound - record["proof_bound"]) < 1e-5, "the checkers disagree"
    with open(sets, "rb") as lines:
        n_variables = len(json.loads(next(lines))["variables"])
        n_sets = sum(len(json.loads(line)["parents"]) for line in lines)
    with open(network, "rb") as lines:
        branches = json.loads(next(lines)).get("branches", 0)
    search = sum(map(float, Path(f"{network}.seconds").read_text().split()[-2:]))
    share = record["proof_gap"] / abs(record["proof_total"])
    # Sums of floating-point scores have such an error.
    result = "optimal" if share < 1e-9 else f"gap:{share:.2g}" if share < 1e-5 else f"gap:{share:.3%}"
    checked = (os.path.getsize(proof), f"{seconds:.1f}", f"{plain_seconds:.1f}")
    print(name, n_variables, n_sets, f"{search:.1f}", branches, result, *checked)


if __name__ == "__main__":
    main(*sys.argv[1:])
