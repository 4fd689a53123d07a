"""REFERENCE.md, made from the topics of ``bnsl help``, and the manual pages in man/, from the help of the commands.

python tests/tools/documentation.py           exit code 1 if REFERENCE.md is out of date
python tests/tools/documentation.py --write   bring it up to date
python tests/tools/documentation.py --man     write the manual pages, which the wheel takes along
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.running.pages import WIDTH
from bnsl_cli.topics import KINDS, TOPICS, topic_text

ROOT = Path(__file__).resolve().parents[2]
TITLE = """# Reference

The topics of `bnsl help`, written by `make docs`; do not edit. Start with the [README](README.md). All options of a
command: `bnsl COMMAND --help-all`, or its manual page (`man bnsl-optimize`), made with the wheel.

{topics}"""

COLUMNS = WIDTH - 2
"""What click leaves of a terminal of `WIDTH` columns."""


def overview() -> str:
    """What ``bnsl --help`` shows."""
    settings: dict[str, Any] = {**cli.context_settings, "terminal_width": COLUMNS}
    return cli.get_help(click.Context(cli, info_name="bnsl", **settings))


# ------------------------------------------------------------------------------------- REFERENCE.md


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _links(headings: dict[str, str]) -> str:
    return ", ".join(f"[{name}](#{anchor(heading)})" for name, heading in headings.items())


def reference() -> str:
    """The topics, their headings one level lower, as Markdown."""
    topics = {name: topic_text(name).strip() for name in TOPICS}
    headings = {name: text.splitlines()[0].removeprefix("# ") for name, text in topics.items()}
    kinds = [f"- {kind}: {_links({name: headings[name] for name in names})}" for kind, names in KINDS.items()]
    texts = [_lowered(text) for text in topics.values()]
    return "\n\n".join([TITLE.format(topics="\n".join(kinds)), *texts]) + "\n"


def _lowered(text: str) -> str:
    """Headings one level lower; blocks of code, where # begins a comment, as they are."""
    parts = re.split(r"(?ms)(^```.*?^```$)", text)
    return "".join(part if part.startswith("```") else re.sub(r"(?m)^#(?=#* )", "##", part) for part in parts)


# ------------------------------------------------------------------------------------- manual pages


PAGES: dict[str | None, str] = {None: "bnsl", **{name: f"bnsl-{name}" for name in COMMANDS}}
"""Manual pages by command; that of `bnsl` itself has none."""


def man_page(name: str | None) -> str:
    """The page of a command, or of `bnsl` itself, as roff; its text is laid out already."""
    about = COMMANDS[name].rstrip(".") if name else "Learn the structure of Bayesian networks from discrete data"
    usage, _, body = (cli.full_help(name, COLUMNS) if name else overview()).partition("\n\n")
    # A heading stands at the margin and ends with a colon; all else is indented.
    body = re.sub(r"(?m)^(\S[^\n]*):$", lambda found: f".fi\n.SH {found[1].upper()}\n.nf", _escaped(body))
    lines = [
        f'.TH {PAGES[name].upper()} 1 "" "bnsl" "User Commands"',
        ".SH NAME",
        f"{_escaped(PAGES[name])} \\- {_escaped(about)}",
        ".SH SYNOPSIS",
        ".nf",
        _escaped(usage.removeprefix("Usage: ")),
        ".fi",
        ".SH DESCRIPTION",
        ".nf",
        body.rstrip(),
        ".fi",
        ".SH SEE ALSO",
        ", ".join(f"\\fB{_escaped(page)}\\fP(1)" for page in PAGES.values() if page != PAGES[name]),
    ]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


# ------------------------------------------------------------------------------------------- files


def is_current() -> bool:
    """Whether REFERENCE.md is what it should be."""
    path = ROOT / "REFERENCE.md"
    return path.exists() and path.read_text() == reference()


def write_man_pages(folder: Path) -> None:
    """Write the manual pages of all commands, and of `bnsl` itself."""
    folder.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (folder / f"{page}.1").write_text(man_page(name))


def main() -> int:
    """Check, or with --write update, or with --man write the manual pages."""
    if "--man" in sys.argv:
        write_man_pages(ROOT / "man")
    elif "--write" in sys.argv:
        (ROOT / "REFERENCE.md").write_text(reference())
    elif not is_current():
        print("out of date: REFERENCE.md; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
