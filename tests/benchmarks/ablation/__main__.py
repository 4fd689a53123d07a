"""Measure: ``python -m benchmarks.ablation [--parts ...] [--tables ...] [--seeds ...] [--limit ...]``."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Container, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..run import RESULTS, machine
from .parts import Part, all_parts
from .patches import applied, counted
from .report import markdown
from .tables import TABLES
from .tasks import TASKS, processor_clock

FILE = RESULTS / "ablation.jsonl"


class Run(NamedTuple):
    """What a run is known by; without a part (""), it is one of the full program."""

    part: str
    task: str
    table: str
    seed: int
    limit: float


def lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a file of results; none if there is no file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def measured(run: Run, path: Path, parts: dict[str, Part]) -> dict[str, Any]:
    """Do one run in this process."""
    off = parts[run.part].patches if run.part else ()
    acts = {} if run.part else {name: part.acts for name, part in parts.items() if run.task in part.tasks}
    begun = time.process_time()
    with applied(processor_clock()), applied(off), counted(acts) as counts:
        outcome = TASKS[run.task](path, run.seed, run.limit)
    return {**run._asdict(), **outcome, "seconds": time.process_time() - begun, "acts": counts}


def _send(run: Run, path: Path, parts: dict[str, Part], pipe: Any) -> None:
    pipe.send(measured(run, path, parts))


def forked(run: Run, path: Path, parts: dict[str, Part]) -> dict[str, Any]:
    """Do one run in a process of its own, which begins with all that this one has loaded."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(run, path, parts, theirs))
    process.start()
    theirs.close()
    try:
        return dict(ours.recv())
    except EOFError:
        raise RuntimeError(f"{run} failed; see the messages above") from None
    finally:
        process.join()


def wanted(arguments: argparse.Namespace, parts: dict[str, Part]) -> Iterable[Run]:
    """The runs asked for: of each part, with all seeds, beside the full program."""
    for name in arguments.parts or parts:
        part = parts[name]
        for task in part.tasks if arguments.tasks is None else set(part.tasks) & set(arguments.tasks):
            for table in arguments.tables or [part.table]:
                for off in ("", name):
                    for seed in arguments.seeds:
                        yield Run(off, task, table, seed, arguments.limit)


def _names(known: Container[str], text: str) -> list[str]:
    """Names with commas between them."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"there is no {name!r}")
    return names


def main() -> None:
    """Measure what is missing, or write the table."""
    parts = all_parts()
    parser = argparse.ArgumentParser(prog="ablation", description=__doc__)
    add = partial(parser.add_argument, metavar="NAME,...")
    add("--parts", type=partial(_names, parts), help=f"of {', '.join(parts)}; by default all")
    add("--tasks", type=partial(_names, TASKS), help=f"of {', '.join(TASKS)}; by default all that a part serves")
    add("--tables", type=partial(_names, TABLES), help=f"of {', '.join(TABLES)}; by default the first of each part")
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of the processor; default 10")
    parser.add_argument("--table", action="store_true", help="write the table of all results in Markdown")
    arguments = parser.parse_args()
    if arguments.table:
        print(markdown(lines(FILE)))
        return
    FILE.parent.mkdir(exist_ok=True)
    done = {Run(*(line[key] for key in Run._fields)): line["acts"] for line in lines(FILE)}
    warm: set[tuple[str, str]] = set()
    here = machine()
    for run in wanted(arguments, parts):
        path = TABLES[run.table].path()
        if run in done or path is None or (run.part and not done[run._replace(part="")].get(run.part, 1)):
            continue  # without a part that did not act the run would be the same
        if (run.task, run.table) not in warm:
            # Kernels are compiled and loaded here, once for all processes to come.
            TASKS[run.task](path, 0, 0.1)
            warm.add((run.task, run.table))
        outcome = forked(run, path, parts)
        done[run] = outcome["acts"]
        with FILE.open("a") as file:
            file.write(json.dumps({**outcome, "machine": here}) + "\n")
        print(*run, f"{outcome['result']:,.1f}", f"{outcome['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
