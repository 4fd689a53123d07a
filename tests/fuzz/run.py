"""``python -m fuzz.run`` (in tests/): try so many inputs, and report the outcomes.

Exit status: 0 nothing was found, 1 something was; findings stand in a folder, each with its smallest input.
"""

from __future__ import annotations

import argparse
import functools
import json
import mmap
import multiprocessing
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from . import worker

PATIENCE = 60
"""Seconds on one input after which a worker that hears no alarm is ended."""

WARM_UP_SECONDS = 900
"""Seconds that a worker may take before its first input, all compilation included."""

REPORT_SECONDS = 60.0


def supervise(
    work: Callable[..., None], first: int, count: int, findings: Path, patience: float = PATIENCE
) -> Counter[str]:
    """Run a worker process through the inputs; if it dies, start another behind the input at hand.

    Parameters
    ----------
    work : callable
        Takes the first input, the end, a folder, `findings`, and shared memory for the number of the input at hand.
    first, count : int
        The inputs.
    findings : Path
        Where the worker saves what fails.
    patience : float
        Seconds on one input after which the worker is ended.

    Returns
    -------
    Counter
        Sum of the counts that all workers saved.
    """
    total: Counter[str] = Counter()
    progress = mmap.mmap(-1, 8)
    shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
    begun, reported = time.monotonic(), time.monotonic()
    number, end = first, first + count
    while number < end:
        with tempfile.TemporaryDirectory(prefix="bnsl-fuzz-", dir=shared) as name:
            folder = Path(name)
            progress[:8] = struct.pack("<q", -1)
            arguments = (number, end, folder, findings, progress)
            process = multiprocessing.get_context("fork").Process(target=work, args=arguments)
            process.start()
            at, since = -1, time.monotonic() + WARM_UP_SECONDS
            while process.is_alive():
                process.join(1.0)
                now = struct.unpack("<q", progress[:8])[0]
                if now != at:
                    at, since = now, time.monotonic()
                if time.monotonic() - since > patience:
                    process.kill()
                if time.monotonic() - reported > REPORT_SECONDS:
                    reported = time.monotonic()
                    rate = (now - first) / (reported - begun)
                    print(f"{now - first:,} of {count:,} inputs, {rate:.0f}/s", file=sys.stderr, flush=True)
            at = struct.unpack("<q", progress[:8])[0]
            saved = worker.counted(folder)
            total.update(saved["counts"])
            if process.exitcode != 0:
                total[f"\tFINDING\tthe process ended with {process.exitcode} at input {at}"] += 1
                last = folder / "input"
                if last.exists():
                    (findings / f"died-{at}.bin").write_bytes(last.read_bytes())
            number = max(number, at + 1) if process.exitcode != 0 else end
    return total


def report(counts: Counter[str]) -> int:
    """Print a table of inputs by format, reader or command, and outcome; the number of findings."""
    by_reader: dict[tuple[str, str], Counter[str]] = {}
    found: Counter[str] = Counter()
    for key, count in counts.items():
        format_name, what, how = key.split("\t", 2)
        if what == "FINDING":
            found[f"{format_name}: {how}"] += count
        else:
            row = (what, "" if what.startswith("bnsl ") else format_name)
            by_reader.setdefault(row, Counter())[how] += count
    for (what, format_name), outcomes in sorted(by_reader.items()):
        reported = ", ".join(f"{how} {n:,}" for how, n in sorted(outcomes.items()))
        print(f"{what:<18}{format_name:<18}{outcomes.total():>10,}   {reported}")
    print(f"{'all':<36}{counts.total():>10,}   findings {found.total()}")
    for what, count in found.most_common():
        print(f"  {count:>6} {what}")
    return found.total()


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--commands", type=float, default=worker.COMMAND_SHARE, help="share of whole commands")
    parser.add_argument("--only", type=int, help="try one input, and show what fails")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--counts", type=Path, help="write all counts to this file")
    options = parser.parse_args()
    if options.only is not None:
        return try_one(options.seed, options.only)
    work = functools.partial(worker.main, options.seed, options.commands)
    counts = supervise(work, options.first, options.inputs, options.findings)
    if options.counts:
        options.counts.write_text(json.dumps(counts, indent=1))
    return 1 if report(counts) else 0


def try_one(seed: int, number: int) -> int:
    """Show one input and what becomes of it."""
    with tempfile.TemporaryDirectory(prefix="bnsl-fuzz-") as name:
        fuzzer = worker.Fuzzer(seed, Path(name), Path(name, "findings"))
        case = fuzzer.make(number)
        print(case)
        print(worker.try_reader(case.format, _written(fuzzer, case), fuzzer.rng(number, "reader")))
    return 0


def _written(fuzzer: worker.Fuzzer, case: worker.Case) -> Path:
    fuzzer.path.write_bytes(case.data)
    return fuzzer.path


if __name__ == "__main__":
    sys.exit(main())
