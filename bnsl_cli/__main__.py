"""Start of the process: ``bnsl`` and ``python -P -m bnsl_cli``.

Signals are handled before slow imports begin.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from bnsl.running.exit_codes import ExitCode
from bnsl.running.interrupts import install_early_handlers

from .running.packages import foreign_package

LOADING = 400_000
"""Objects made before the first garbage collection: more than loading makes, and loaded objects stay to the end."""


def start() -> NoReturn:
    """Handle signals, then load and run the command line."""
    install_early_handlers()
    put_off_collection()
    replace_closed_streams()
    leave_threads_to_jobs()
    if problem := foreign_package():
        print(f"bnsl: error: {problem}", file=sys.stderr)
        sys.exit(ExitCode.BUG)
    from .main import run

    run()


def put_off_collection() -> None:
    """Collect no garbage while the program loads (it took a tenth of the time of short runs); afterwards as usual."""
    usual = gc.get_threshold()

    def collect_as_usual(phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.set_threshold(*usual)
            gc.callbacks.remove(collect_as_usual)

    gc.set_threshold(LOADING)
    gc.callbacks.append(collect_as_usual)


def leave_threads_to_jobs() -> None:
    """Keep numpy's matrix library from starting a thread per core, unless the environment says how many.

    ``--jobs`` sets the number of working threads; idle ones would spin for a tenth of a second in every run.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def replace_closed_streams() -> None:
    """Open /dev/null in place of closed standard streams; otherwise files opened later would take their descriptors.

    Standard output is opened for reading, so that writing to it fails.
    """
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.dup2(os.open(os.devnull, flags), descriptor)
            stream = open(descriptor, "w" if descriptor else "r", closefd=False)  # noqa: SIM115 (until the process ends)
            setattr(sys, ("stdin", "stdout", "stderr")[descriptor], stream)


if __name__ == "__main__":
    start()
