"""The columns of Perez Urcia and Mauá (2015): reads NAME.INIT.stats.json of `bnsl optimize --obs --stats`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

APPROACHES = {"random": "Random", "dfs": "DFS-based", "fas": "FAS-based"}


def main() -> None:
    """One line per data set and kind of initial order; means over restarts with standard deviations."""
    columns = ("Best score", "Avg. initial score", "Avg. best score", "Avg. it.")
    print(f"{'Data set':14} {'Density':>7} {'Approach':10}", "".join(f"{title:>26}" for title in columns))
    previous = None
    for path in map(Path, sys.argv[1:]):
        name, init = path.name.split(".")[:2]
        figures = json.loads(path.read_text())
        summary = figures["summary"]
        means = [
            f"{summary[key]['mean']:.2f} ± {summary[key]['deviation']:.2f}"
            for key in ("initial_score", "score", "iterations")
        ]
        shown = (name, f"{figures['density']:.2f}") if name != previous else ("", "")
        previous = name
        cells = "".join(f"{cell:>26}" for cell in (f"{summary['score']['best']:.2f}", *means))
        print(f"{shown[0]:14} {shown[1]:>7} {APPROACHES[init]:10}", cells)


if __name__ == "__main__":
    main()
