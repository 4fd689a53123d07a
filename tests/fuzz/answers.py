"""``python -m fuzz.answers`` (in tests/): compare answers on random tables with plain definitions.

Each table gets one to three checks, each a command line or two. What differs is saved in a folder with the command
lines and all their files, and can be made again by `--only`. Exit status: 0 no difference, 1 some.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import json
import mmap
import os
import shutil
import struct
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow

from .checks import completions, evaluate, fit, lists, optimize, parentsets, posterior, predictions, query, samples
from .checks.program import Case
from .commands import Output
from .run import supervise
from .tables import make_table

CHECKS: dict[str, Callable[[Case], None]] = {
    "parentsets": parentsets.check,
    "optimize": optimize.check,
    "lists": lists.check,
    "posterior": posterior.check,
    "query": query.check,
    "fit": fit.check,
    "evaluate": evaluate.check,
    "completions": completions.check,
    "predictions": predictions.check,
    "samples": samples.check,
}

WEIGHTS = {
    "parentsets": 4,
    "optimize": 3,
    "lists": 1,
    "posterior": 2,
    "query": 3,
    "fit": 2,
    "evaluate": 2,
    "completions": 2,
    "predictions": 2,
    "samples": 2,
}
"""How often a check is chosen, relative to the others."""

PATIENCE = 900
"""Seconds on one table after which its process is ended; kernels may be compiled meanwhile."""

SAVED_EVERY = 20


class Judge:
    """Checks tables in a folder of its own and saves what differs.

    Parameters
    ----------
    seed : int
    folder : Path
        Emptied for every table; fast if it is in memory.
    findings : Path
    output : Output
    """

    def __init__(self, seed: int, folder: Path, findings: Path, output: Output):
        self.seed, self.findings, self.output = seed, findings, output
        self.folder = folder / "table"
        self.counts: Counter[str] = Counter()
        pyarrow.set_cpu_count(1)
        warnings.simplefilter("error", RuntimeWarning)

    def chosen(self, number: int) -> list[str]:
        """The checks that a table gets."""
        rng = Random(f"{self.seed} {number} checks")
        drawn = rng.choices(list(WEIGHTS), list(WEIGHTS.values()), k=rng.choice((1, 1, 1, 2, 3)))
        return list(dict.fromkeys(drawn))

    def judge(self, number: int) -> list[str]:
        """Check one table; what differs, one text each."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        case = Case(make_table(self.seed, number), self.folder, self.output)
        found = []
        for name in self.chosen(number):
            case.rng = Random(f"{self.seed} {number} {name}")
            case.lines.clear()
            try:
                CHECKS[name](case)
            except Exception as error:  # whatever a wrong answer leads to
                self.counts[f"{name}\tFINDING\t{_signature(error)}"] += 1
                found.append(self._keep(number, name, case, error))
            else:
                self.counts[f"{name}\tright\t"] += 1
        self.counts["\ttables\t"] += 1
        return found

    def _keep(self, number: int, name: str, case: Case, error: Exception) -> str:
        """Save the files of a difference; its report."""
        place = self.findings / f"{name}-{self.seed}-{number}"
        shutil.copytree(self.folder, place, dirs_exist_ok=True)
        report = [f"seed {self.seed}, table {number}, {name}: {error}", *case.lines, ""]
        report += traceback.format_exception(error)
        text = "\n".join(report).replace(str(self.folder), ".")
        (place / "report.txt").write_text(text, errors="backslashreplace")
        return text


def _signature(error: Exception) -> str:
    """The place in the checks where a difference was found, and its words without numbers."""
    place = next(f for f in reversed(traceback.extract_tb(error.__traceback__)) if "/fuzz/checks/" in f.filename)
    words = "".join(c for c in str(error)[:60] if not c.isdigit())
    return f"{type(error).__name__} in {Path(place.filename).stem}:{place.name}: {words!r}"


def work(seed: int, first: int, end: int, folder: Path, findings: Path, progress: mmap.mmap) -> None:
    """Check every table from `first` to `end`; the shared `progress` holds the number under way.

    For a process of its own: standard output and error go to files in `folder`.
    """
    sys.stdout, sys.stderr = (open(descriptor, "w", closefd=False) for descriptor in (1, 2))  # noqa: SIM115
    judge = Judge(seed, folder, findings, Output(folder))
    gc.collect()
    gc.freeze()
    number = first

    def save() -> None:
        (folder / "counts.json").write_text(json.dumps({"next": number, "counts": judge.counts}))

    try:
        while number < end:
            progress[:8] = struct.pack("<q", number)
            number += 1
            judge.judge(number - 1)
            if number % SAVED_EVERY == 0:
                save()
    finally:
        save()


def report(counts: Counter[str]) -> int:
    """Print the number of answers by check, and every difference; the number of differences."""
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for key, count in counts.items():
        name, what, how = key.split("\t", 2)
        if what == "FINDING":
            found[f"{name}: {how}"] += count
        elif what == "right":
            right[name] += count
    for name in CHECKS:
        print(f"{name:<12}{right[name]:>10,} right")
    print(f"{'tables':<12}{counts[chr(9) + 'tables' + chr(9)]:>10,}, differences {found.total()}")
    for what, count in found.most_common():
        print(f"  {count:>6} {what}")
    return found.total()


def show_one(seed: int, number: int) -> int:
    """Check one table again and show what differs."""
    with tempfile.TemporaryDirectory(prefix="bnsl-fuzz-") as name, _own_output(Path(name)) as output:
        judge = Judge(seed, Path(name), Path(name, "findings"), output)
        found = judge.judge(number)
        shown = "\n".join([" ".join(judge.chosen(number)), str(make_table(seed, number)), *found])
    print(shown)
    return 1 if found else 0


@contextlib.contextmanager
def _own_output(folder: Path):
    """Standard output and error kept in files until the end."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    try:
        yield Output(folder)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, saved in zip((1, 2), kept):
            os.dup2(saved, descriptor)
            os.close(saved)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--only", type=int, help="check one table, and show what differs")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    if options.only is not None:
        return show_one(options.seed, options.only)
    options.findings.mkdir(parents=True, exist_ok=True)
    task = functools.partial(work, options.seed)
    counts = supervise(task, options.first, options.tables, options.findings, PATIENCE)
    return 1 if report(counts) else 0


if __name__ == "__main__":
    sys.exit(main())
