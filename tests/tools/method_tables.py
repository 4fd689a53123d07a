"""The README's tables of methods, made from the tables of the program.

python tests/tools/method_tables.py           exit code 1 if they are out of date
python tests/tools/method_tables.py --write   bring them up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from stages import optimize, parentsets
from stages.optimize import ON_DATA, ON_SETS

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN = "<!-- methods: begin -->"
END = "<!-- methods: end -->"

BOUNDS = {(False,): "no", (True,): "needed", (False, True): "may be"}
"""What is said of ``--tw``, by the tasks of a method."""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def optimize_row(name: str) -> list[str]:
    """Method, family, what is searched, the bound, own options, one line, source."""
    spec = optimize.METHODS[name]
    kinds = " or ".join(
        word
        for word, on_data in (("sets", False), ("data", True))
        if any(t.on_data == on_data for t in spec.ways)
    )
    bound = BOUNDS[tuple(sorted({task.bounded for task in spec.ways}))]
    common = {*ON_SETS, *ON_DATA, "sets", "start"}
    names = dict.fromkeys(o for way in spec.ways.values() for o in way.options if o not in common)
    options = []
    for option in names:
        takes = [task for task, way in spec.ways.items() if option in way.options]
        where = (
            "" if len(takes) == len(spec.ways) else f" ({'with' if takes[0].bounded else 'without'} `--tw`)"
        )
        options.append(f"`--{option.replace('_', '-')}`{where}")
    return [f"`{name}`", spec.family, kinds, bound, ", ".join(options), spec.help, spec.source]


def parentsets_row(name: str) -> list[str]:
    """Method, own options, one line, source."""
    spec = parentsets.METHODS[name]
    return [f"`{name}`", ", ".join(f"`--{option}`" for option in spec.options), spec.help, spec.source]


def tables() -> str:
    """Both tables as Markdown, between the markers."""
    heads = ["method", "family", "searches", "`--tw`", "options of its own", "what it does", "source"]
    return "\n\n".join(
        [
            BEGIN,
            "Methods of `optimize`; those without a source are this project's:",
            table(heads, map(optimize_row, optimize.METHODS)),
            "Methods of `parentsets`:",
            table(
                ["method", "options of its own", "what it does", "source"],
                map(parentsets_row, parentsets.METHODS),
            ),
            END,
        ]
    )


def current() -> str:
    """What stands between the markers now, markers included."""
    text = README.read_text()
    return text[text.index(BEGIN) : text.index(END) + len(END)]


def main() -> int:
    """Check, or with --write update."""
    if "--write" in sys.argv:
        README.write_text(README.read_text().replace(current(), tables()))
    elif current() != tables():
        print("README.md: the tables of methods are out of date; run 'make docs'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
