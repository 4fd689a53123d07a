"""Average ranks of hill climbers: reads RUN.json (`bnsl evaluate`) and RUN.stats.json (`bnsl optimize --stats`) of
runs called NAME.SIZE.METHOD.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from stages.evaluate.comparison import compare_ranks, tabulate_measure

MEASURES = {
    "test_loglik": ("Log-likelihood per row on the validation sets", True),
    "shd": ("Structural Hamming distance of the essential graphs", False),
    "statistics": ("Statistics computed: local scores, and tests of mmhc", False),
    "bdeu": ("BDeu of what was learnt", True),
}
"""Keys of the runs' records, titles, and whether higher values are better."""


def read_run(run: str) -> dict:
    """Measures of one run beside its network, sample size and method."""
    name, size, method = Path(run).name.split(".")
    record = json.loads(Path(f"{run}.json").read_text())
    figures = json.loads(Path(f"{run}.stats.json").read_text())
    statistics = figures["computed"] + figures.get("tests", 0)
    return record | {"data": name, "size": int(size), "method": method, "statistics": statistics}


def print_ranks(runs: Sequence[dict], key: str) -> None:
    """One line per method with its average rank for every sample size; * marks what is not worse than the best."""
    title, higher_is_better = MEASURES[key]
    sizes = sorted({run["size"] for run in runs})
    columns, friedman = {}, {}
    for size in sizes:
        table = tabulate_measure([run for run in runs if run["size"] == size], key)
        comparison = compare_ranks(table, higher_is_better)
        friedman[size] = comparison.p_value
        columns[size] = {place.method: place for place in comparison.methods}
    print(f"{title}: average rank")
    print(f"{'':10}" + "".join(f"{size:>10}" for size in sizes))
    for method in columns[sizes[0]]:
        places = [columns[size][method] for size in sizes]
        cells = [f"{place.average_rank:.2f}{'*' if place.not_worse else ' '}" for place in places]
        print(f"{method:10}" + "".join(f"{cell:>10}" for cell in cells))
    print(f"{'Friedman p':10}" + "".join(f"{friedman[size]:>10.2g}" for size in sizes))
    print()


def main() -> None:
    """All tables."""
    runs = [read_run(run) for run in sys.argv[1:]]
    n_networks = len({run["data"] for run in runs})
    if n_networks < 2 or len({run["method"] for run in runs}) < 2:
        sys.exit("ranks need two networks and two methods at least")
    print(f"{n_networks} networks; * not worse than the best method (Holm, level 0.05)\n")
    for key in MEASURES:
        print_ranks(runs, key)


if __name__ == "__main__":
    main()
