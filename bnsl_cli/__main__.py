"""Where the process begins: ``bnsl``, and ``python -m bnsl_cli``, which is the same.

Signals are handled from the first moment, before anything that takes time is imported.
"""

from __future__ import annotations

from typing import NoReturn

from .interrupts import install_early_handlers


def start() -> NoReturn:
    """Handle signals, then load and run the command line."""
    install_early_handlers()
    from .main import run

    run()


if __name__ == "__main__":
    start()
