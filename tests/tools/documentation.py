"""REFERENCE.md and the manual pages in man/, made from the topics of ``bnsl help`` and the full help of the commands.

python tests/tools/documentation.py           exit code 1 if a file is out of date
python tests/tools/documentation.py --write   bring them up to date
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.running.pages import WIDTH
from bnsl_cli.topics import TOPICS, topic_text

ROOT = Path(__file__).resolve().parents[2]
TITLE = """# Reference

The topics of `bnsl help` and the full help of all commands (`bnsl COMMAND --help-all`), written by `make docs`;
do not edit. Start with the [README](README.md).

Topics: {topics}.

Commands: {commands}."""


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
    """The topics, their headings one level lower, and the help of all commands, as Markdown."""
    topics = {name: topic_text(name).strip() for name in TOPICS}
    headings = {name: text.splitlines()[0].removeprefix("# ") for name, text in topics.items()}
    title = TITLE.format(topics=_links(headings), commands=_links({name: f"bnsl {name}" for name in COMMANDS}))
    texts = [re.sub(r"(?m)^#(?=#* [A-Z])", "##", text) for text in topics.values()]
    pages = {"bnsl": overview(), **{f"bnsl {name}": cli.full_help(name, COLUMNS) for name in COMMANDS}}
    texts += [f"## {name}\n\n```text\n{page}\n```" for name, page in pages.items()]
    return "\n\n".join([title, *texts]) + "\n"


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


def stale_files() -> dict[Path, str]:
    """The files that differ from what they should be, and what that is."""
    wanted = {ROOT / "REFERENCE.md": reference()}
    wanted |= {ROOT / "man" / f"{page}.1": man_page(name) for name, page in PAGES.items()}
    return {path: text for path, text in wanted.items() if not path.exists() or path.read_text() != text}


def main() -> int:
    """Check, or with --write update."""
    stale = stale_files()
    if "--write" in sys.argv:
        for path, text in stale.items():
            path.write_text(text)
    elif stale:
        print(f"out of date: {', '.join(path.name for path in stale)}; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
