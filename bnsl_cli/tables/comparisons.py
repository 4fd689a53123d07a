"""Tables of a comparison as text, LaTeX, CSV or JSON lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnsl.files.recording import write_json_lines
from formats.printable import escaped
from formats.wording import printable

from .sheets import write_csv

if TYPE_CHECKING:
    from rich.table import Table

    from stages.evaluate.comparison_tables import Section

_NUMBER = re.compile(r"(-|-?[\d,.]+(e[-+]\d+)?)( \*|  )?")

_MINUS = re.compile(r"(?<!\w)-(?=\d)")

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "<": r"$<$",
    ">": r"$>$",
    "|": "$|$",
    **{sign: f"{{{sign}}}" for sign in "[*"},  # TeX would take them as the argument of the preceding line end
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def write_sections(target: str, format_name: str, sections: Sequence[Section]) -> None:
    """Write all tables in one of the formats ``table``, ``latex``, ``csv`` and ``jsonl``."""
    if format_name == "jsonl":
        write_json_lines(target, (row for section in sections for row in section.rows))
    elif format_name == "table":
        _write_tables(target, sections)
    elif format_name == "csv":
        rows = [row for section in sections for row in section.rows]
        # Measures that are no scores have fewer columns; cells of the other columns stay empty.
        keys = list(dict.fromkeys(key for row in rows for key in row))
        write_csv(target, keys, ([row.get(key) for key in keys] for row in rows))
    else:
        from formats.streams import open_output

        text = _picture(sections) if format_name == "svg" else "\n".join(map(_latex_text, sections))
        with open_output(target) as stream:
            stream.write(escaped(text).encode())


def _write_tables(target: str, sections: Sequence[Section]) -> None:
    from .layout import add_rows, new_table, write_text

    parts: list[Table | str] = []
    for section in sections:
        cells = [list(row) for row in section.cells]
        for row, column in section.best:
            cells[row][column] += " *"
        # Blanks in place of the star keep digits aligned.
        for row, line in enumerate(cells):
            for column, text in enumerate(line):
                if section.best and column and (row, column) not in section.best:
                    line[column] = f"{text}  "
        numbers = [all(_NUMBER.fullmatch(text) for text in column) for column in zip(*cells)]
        view = new_table(*(f">{name}" if n else name for name, n in zip(map(printable, section.columns), numbers)))
        add_rows(view, cells, None)
        parts += [section.title, *([view] if cells else []), *section.notes, ""]
    if any(section.best for section in sections):
        parts.append("* best of its line")
    write_text(target, *parts)


def _picture(sections: Sequence[Section]) -> str:
    """The average ranks on an axis; bars join methods that the tests do not tell apart.

    Raises `UsageError`: there are no ranks, or the ranks of several measures or groups.
    """
    from bnsl.running.errors import UsageError
    from formats.pictures.rank_axis import rank_axis_text

    if len(sections) > 1:
        raise UsageError("a picture is of one measure and one group of runs: give one --measure, and --names.")
    [section] = sections
    if not section.rows:
        raise UsageError(f"there is nothing to draw: {section.notes[0]}.")
    ranks = [row["average_rank"] for row in section.rows]
    methods, difference = [row["method"] for row in section.rows], section.rows[0]["critical_difference"]
    return rank_axis_text(methods, ranks, section.groups, difference, [section.title, *section.notes])


def _latex_text(section: Section) -> str:
    """A table for the package booktabs with a caption; best values are bold.

    Characters that would end a comment or a line are escaped.
    """
    caption = ". ".join([section.title, *section.notes])
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex_words(caption)}.}}",
    ]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(section.columns) - 1)}}}", r"\toprule"]
    lines += [_latex_row(section.columns), r"\midrule"]
    for row, cells in enumerate(section.cells):
        lines.append(_latex_row(cells, [column for column in range(len(cells)) if (row, column) in section.best]))
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str], bold: Sequence[int] = ()) -> str:
    texts = list(map(_latex_words, cells))
    return " & ".join(rf"\textbf{{{text}}}" if i in bold else text for i, text in enumerate(texts)) + r" \\"


def _latex_words(text: str) -> str:
    return _MINUS.sub("$-$", "".join(_LATEX.get(sign, sign) for sign in printable(text)))
