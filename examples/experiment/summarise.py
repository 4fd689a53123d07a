"""One table of an experiment: reads the JSON lines of `bnsl evaluate`, run names are DATA.METHOD.SEED.net.jsonl."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from stages.evaluate.comparison import MeasureTable, compare_ranks, tabulate_measure


def read_runs(lines: Sequence[str]) -> list[dict]:
    """Records with the run's data set, method and seed beside its measures."""
    runs = []
    for line in lines:
        record = json.loads(line)
        data, method, seed = Path(record["network"]).name.split(".")[:3]
        runs.append(record | {"data": data, "method": method, "seed": int(seed)})
    return runs


def print_measure(table: MeasureTable, title: str, digits: int) -> None:
    """Means over seeds: one row per data set, one column per method."""
    print(f"{title}, mean over seeds")
    print(f"{'':12}" + "".join(f"{method:>14}" for method in table.methods))
    for case, values in zip(table.cases, table.values, strict=True):
        print(f"{case:12}" + "".join(f"{value:>14,.{digits}f}" for value in values))
    print()


def main() -> None:
    """Tables of score, held-out likelihood, arcs and treewidth, and the methods' average ranks by score."""
    runs = read_runs(sys.stdin.readlines())
    print_measure(tabulate_measure(runs, "bic"), "BIC (nats)", 2)
    print_measure(tabulate_measure(runs, "cv_loglik"), "Cross-validated log-likelihood per row (nats)", 4)
    print_measure(tabulate_measure(runs, "arcs"), "Arcs", 1)
    print_measure(tabulate_measure(runs, "treewidth_upper"), "Treewidth, upper bound", 1)
    # Every data set and seed is a case of its own here.
    cases = [run | {"data": f"{run['data']}.{run['seed']}"} for run in runs]
    table = tabulate_measure(cases, "bic")
    if min(len(table.cases), len(table.methods)) < 2:
        return
    comparison = compare_ranks(table)
    print(f"Average ranks by BIC (Friedman p = {comparison.p_value:.3g})")
    for place in comparison.methods:
        verdict = (
            "as good as the best" if place.not_worse else f"worse than the best, Holm p = {place.p_value:.3g}"
        )
        print(f"  {place.average_rank:.2f}  {place.method:8} {verdict}")


if __name__ == "__main__":
    main()
