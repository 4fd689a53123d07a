"""The manual pages in man/, made from the help of the commands; the wheel installs them.

python tests/tools/man_pages.py           exit code 1 if they are out of date
python tests/tools/man_pages.py --write   bring them up to date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from click.testing import CliRunner

from bnsl_cli import __version__
from bnsl_cli.main import COMMANDS, cli

FOLDER = Path(__file__).resolve().parents[2] / "man"
OVERVIEW = "Learn the structure of Bayesian networks from discrete data"


def help_page(*command: str) -> str:
    """A help page for a terminal of 78 columns."""
    return CliRunner().invoke(cli, [*command, "--help"], terminal_width=78, prog_name="bnsl").output


def man_page(name: str | None) -> str:
    """The page of a command, or of `bnsl` itself, as roff; its text is laid out already."""
    title = f"bnsl-{name}" if name else "bnsl"
    about = COMMANDS[name].help.rstrip(".") if name else OVERVIEW
    usage, _, body = help_page(*([name] if name else [])).partition("\n\n")
    # A heading stands at the margin and ends with a colon; all else is indented.
    body = re.sub(r"(?m)^(\S[^\n]*):$", lambda found: f".fi\n.SH {found[1].upper()}\n.nf", _escaped(body))
    lines = [
        f'.TH {title.upper()} 1 "" "bnsl {__version__}" "User Commands"',
        ".SH NAME",
        f"{_escaped(title)} \\- {_escaped(about)}",
        ".SH SYNOPSIS",
        ".nf",
        _escaped(usage.removeprefix("Usage: ")),
        ".fi",
        ".SH DESCRIPTION",
        ".nf",
        body.rstrip(),
        ".fi",
        ".SH SEE ALSO",
        ", ".join(f"\\fB{_escaped(page)}\\fP(1)" for page in _pages().values() if page != title),
    ]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def _pages() -> dict[str | None, str]:
    return {None: "bnsl", **{name: f"bnsl-{name}" for name in COMMANDS}}


def stale_pages() -> dict[Path, str]:
    """The files that differ from what they should be, and what that is."""
    wanted = {FOLDER / f"{page}.1": man_page(name) for name, page in _pages().items()}
    return {path: text for path, text in wanted.items() if not path.exists() or path.read_text() != text}


def main() -> int:
    """Check, or with --write update."""
    stale = stale_pages()
    if "--write" in sys.argv:
        for path, text in stale.items():
            path.write_text(text)
    elif stale:
        names = ", ".join(path.name for path in stale)
        print(f"man: out of date: {names}; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
