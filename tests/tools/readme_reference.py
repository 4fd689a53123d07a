"""The README's reference of commands, made from the real help pages.

python tests/tools/readme_reference.py           exit code 1 if the README is out of date
python tests/tools/readme_reference.py --write   bring it up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

from click.testing import CliRunner

from bnsl_cli.main import COMMANDS, cli

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN = "<!-- reference: begin (make docs) -->"
END = "<!-- reference: end -->"


def help_page(*command: str) -> str:
    """A help page as users see it on a terminal of 100 columns."""
    result = CliRunner().invoke(cli, [*command, "--help"], terminal_width=100, prog_name="bnsl")
    return "\n".join(line.rstrip() for line in result.output.splitlines())


def reference() -> str:
    """All help pages as Markdown, between the markers."""
    parts = [f"### bnsl {name}\n\n```text\n{help_page(name)}\n```" for name in COMMANDS]
    return "\n\n".join([BEGIN, *parts, END])


def current() -> str:
    """What stands between the markers now, markers included."""
    text = README.read_text()
    return text[text.index(BEGIN) : text.index(END) + len(END)]


def main() -> int:
    """Check, or with --write update."""
    if "--write" in sys.argv:
        README.write_text(README.read_text().replace(current(), reference()))
    elif current() != reference():
        print("README.md: the reference differs from the help pages; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
