"""Measure the hot parts on data made here (and on real data sets where they are at hand) and print one table each.

    python tests/benchmarks/run.py [GROUP ...]

Groups: limits families scores pairs entropy orders startup; all by default.

Every ratio compares two ways within one run, turn by turn, on one thread. Each line is also appended as JSON to
``results/`` with the machine it was measured on. Compiled kernels are warmed before anything is timed.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

GROUPS = ("limits", "families", "scores", "pairs", "entropy", "orders", "startup")
RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str]:
    """What the figures depend on."""
    import numba
    import numpy

    model = platform.processor()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    versions = {"python": platform.python_version(), "numpy": numpy.__version__, "numba": numba.__version__}
    return {"processor": model, "cores": str(os.cpu_count()), **versions}


def show(title: str, rows: list[dict[str, object]]) -> None:
    """One table; the columns are the keys of the rows."""
    table = Table(title=title)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    for column in columns:
        table.add_column(column, justify="left" if column in ("case", "way") else "right")
    for row in rows:
        table.add_row(*(shown(row.get(column, "")) for column in columns))
    Console(width=150).print(table)


def shown(value: object) -> str:
    """Numbers with as many digits as mean something."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main(names: list[str]) -> None:
    """Run the groups."""
    unknown = set(names) - set(GROUPS)
    if unknown:
        sys.exit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    # Before numpy is loaded: one thread on both sides.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    tests = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(tests.parent), str(tests)]
    RESULTS.mkdir(exist_ok=True)
    here = machine()
    for name in names or GROUPS:
        group = importlib.import_module(f"benchmarks.{name}")
        rows = list(group.measure())
        show((group.__doc__ or name).splitlines()[0], rows)
        with (RESULTS / f"{name}.jsonl").open("a") as file:
            for row in rows:
                file.write(json.dumps({**row, "machine": here}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
