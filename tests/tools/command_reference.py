"""REFERENCE.md, the help pages of all commands, made from the real ones.

python tests/tools/command_reference.py           exit code 1 if it is out of date
python tests/tools/command_reference.py --write   bring it up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from bnsl_cli.main import COMMANDS, cli

REFERENCE = Path(__file__).resolve().parents[2] / "REFERENCE.md"
TITLE = """# Reference of commands

The help pages as `bnsl COMMAND --help` shows them, written by `make docs`; do not edit. What the program is and how
to begin is told in the [README](README.md)."""


def help_page(*command: str) -> str:
    """A help page as users see it on a terminal of 100 columns."""
    result = CliRunner().invoke(cli, [*command, "--help"], terminal_width=100, prog_name="bnsl")
    return "\n".join(line.rstrip() for line in result.output.splitlines())


def reference() -> str:
    """The whole file as Markdown."""
    overview = f"```text\n{help_page()}\n```"
    pages = [f"## bnsl {name}\n\n```text\n{help_page(name)}\n```" for name in COMMANDS]
    return "\n\n".join([TITLE, overview, *pages]) + "\n"


def main() -> int:
    """Check, or with --write update."""
    if "--write" in sys.argv:
        REFERENCE.write_text(reference())
    elif REFERENCE.read_text() != reference():
        print("REFERENCE.md differs from the help pages; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
