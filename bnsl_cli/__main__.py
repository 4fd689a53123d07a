"""Start of the process: ``bnsl`` and ``python -P -m bnsl_cli``.

Signals are handled before slow imports begin: one that arrives meanwhile ends the process without a word.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

from bnsl.running.exit_codes import ExitCode
from bnsl.running.interrupts import install_handlers

from .running.packages import foreign_package


def start() -> NoReturn:
    """Handle signals, then load and run the command line."""
    install_handlers(lambda message: None)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    gc.set_threshold(100_000)  # at the usual 700, collections take a twelfth of the time of short runs
    replace_closed_streams()
    leave_threads_to_jobs()
    if problem := foreign_package():
        print(f"bnsl: error: {problem}", file=sys.stderr)
        sys.exit(ExitCode.BUG)
    from .main import run

    run()


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
