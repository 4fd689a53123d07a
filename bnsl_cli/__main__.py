"""Where the process begins: ``bnsl``, and ``python -m bnsl_cli``, which is the same.

Signals are handled from the first moment, before anything that takes time is imported.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from .interrupts import install_early_handlers


def start() -> NoReturn:
    """Handle signals, then load and run the command line."""
    install_early_handlers()
    replace_closed_streams()
    from .main import run

    run()


def replace_closed_streams() -> None:
    """Closed standard output fails when it is used, not before; closed standard input is empty, closed error silence.

    Else a file that is opened later would get their numbers, and be taken for them.
    """
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.dup2(os.open(os.devnull, flags), descriptor)
            stream = open(descriptor, "w" if descriptor else "r", closefd=False)  # noqa: SIM115 (as long as we run)
            setattr(sys, ("stdin", "stdout", "stderr")[descriptor], stream)


if __name__ == "__main__":
    start()
