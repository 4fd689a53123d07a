"""Start of the process: ``bnsl`` and ``python -m bnsl_cli``.

Signals are handled before slow imports begin.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .running.interrupts import install_early_handlers


def start() -> NoReturn:
    """Handle signals, then load and run the command line."""
    install_early_handlers()
    replace_closed_streams()
    from .main import run

    run()


def replace_closed_streams() -> None:
    """Open /dev/null in place of closed standard streams, whose descriptors files opened later would take.

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
