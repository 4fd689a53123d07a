"""Parts inside kernels: they are switched off by other source text in a copy of the program.

Patches of the loaded program do not reach compiled code. A task of a copy runs in a process that imports the copy,
where numba compiles the kernels; the program without a change is run as a copy too.
"""

from __future__ import annotations

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .tasks import Outcome, Task

PROJECT = Path(__file__).parents[3]
PACKAGES = ("bnsl", "formats", "stages")


class Edit(NamedTuple):
    """Other text in a source file; the old text must occur in it exactly once."""

    path: str
    old: str
    new: str

    def made(self, source: str) -> str:
        """The source with the new text."""
        if (n := source.count(self.old)) != 1:
            raise ValueError(f"{self.path}: {self.old!r} occurs {n} times")
        return source.replace(self.old, self.new)


EDITS: tuple[Edit, ...] = ()
"""Of the copies to come; patches of parts change it."""

LEFT_OUT = ""
"""Pattern of files with machine code that the copies to come go without."""


def copy_into(folder: Path, machine_code: bool) -> None:
    """Copy the program into a folder, with these edits."""

    def ignored(_: str, names: list[str]) -> list[str]:
        without = LEFT_OUT if machine_code else "*"
        return [n for n in names if n == "__pycache__" or (n.endswith(".so") and fnmatch.fnmatch(n, without))]

    for package in PACKAGES:
        shutil.copytree(PROJECT / package, folder / package, ignore=ignored)
    for edit in EDITS:
        path = folder / edit.path
        path.write_text(edit.made(path.read_text()))


def in_copy(name: str, machine_code: bool = False) -> Task:
    """The task with this name in a copy of the program, once it has run there before."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        if limit < 1.0:
            return {"result": 0.0}  # what a run warms would not reach the copy
        with tempfile.TemporaryDirectory() as folder:
            copy_into(Path(folder), machine_code)
            found = subprocess.run(
                [sys.executable, "-P", "-m", __name__, name, path, str(seed), str(limit)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(PROJECT / "tests")])},
                cwd=folder,
                stdout=subprocess.PIPE,
                check=True,
            )
        return dict(json.loads(found.stdout))

    return run


def main(name: str, path: str, seed: str, limit: str) -> None:
    """Run a task twice; print the second outcome."""
    from .patches import applied
    from .tasks import TASKS, processor_clock

    for _ in range(2):
        with applied(processor_clock()):
            outcome = TASKS[name](Path(path), int(seed), float(limit))
    print(json.dumps(outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
