"""Average ranks on an axis as SVG: methods that do not differ significantly are joined (Demšar 2006, figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from ..wording import printable
from .arrows import number

_MARGIN, _AXIS_WIDTH, _LINE = 24.0, 420.0, 20.0
_ADVANCE = 7.2
"""Width of a character of a label in pixels, in the mean; an upper bound for most typefaces."""

_STYLE = """
  .ground { fill: #ffffff }
  .line { fill: none; stroke: #17202c; stroke-width: 1.2 }
  .lead { fill: none; stroke: #7d8896 }
  .group { stroke: #4a6fa5; stroke-width: 5; stroke-linecap: round }
  .label { fill: #17202c; font: 12px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif }
  .note { fill: #5c6774; font: 11px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181f } .line { stroke: #e6ebf2 } .lead { stroke: #76828f } .group { stroke: #6d95cf }
    .label { fill: #e6ebf2 } .note { fill: #97a3b0 }
  }
"""


def rank_axis_text(
    methods: Sequence[str],
    ranks: Sequence[float],
    groups: Sequence[tuple[int, int]],
    difference: float,
    notes: Sequence[str] = (),
) -> str:
    """The picture: rank 1 at the left, the better half of the methods named at the left, the others at the right.

    - `ranks`: ascend; `methods` in the same order.
    - `groups`: first and last place of methods that a bar joins.
    - `difference`: the critical difference, drawn above the axis; infinite if there is none to draw.
    """
    n, half = len(methods), (len(methods) + 1) // 2
    names = [f"{printable(name)} ({rank:.2f})" for name, rank in zip(methods, ranks)]
    sides = [max((_ADVANCE * len(name) for name in part), default=0.0) + 16 for part in (names[:half], names[half:])]
    left = _MARGIN + sides[0]
    step = _AXIS_WIDTH / max(1, n - 1)
    width = max(left + _AXIS_WIDTH + sides[1] + _MARGIN, 2 * _MARGIN + max((6.6 * len(t) for t in notes), default=0))

    def place(rank: float) -> float:
        return left + (rank - 1) * step

    axis = _MARGIN + 52
    rows = [_line("line", (left, axis), (left + _AXIS_WIDTH, axis))]
    for mark in range(1, n + 1):
        rows.append(_line("line", (place(mark), axis - 6), (place(mark), axis)))
        rows.append(_text("label", place(mark), axis - 12, str(mark), "middle"))
    if difference <= n - 1:
        rows.append(_line("line", (left, _MARGIN + 16), (left + difference * step, _MARGIN + 16)))
        rows += [_line("line", (x, _MARGIN + 12), (x, _MARGIN + 20)) for x in (left, left + difference * step)]
        rows.append(_text("note", left, _MARGIN + 6, f"critical difference {difference:.2f}", "start"))
    for level, (first, last) in enumerate(groups):
        bar = axis + 14 + 10 * level
        rows.append(_line("group", (place(ranks[first]) - 4, bar), (place(ranks[last]) + 4, bar)))
    below = axis + 24 + 10 * len(groups)
    for index, (name, rank) in enumerate(zip(names, ranks)):
        is_left = index < half
        height = below + _LINE * (index if is_left else n - 1 - index)
        end, anchor = (left - 8, "end") if is_left else (left + _AXIS_WIDTH + 8, "start")
        corner = f"{number(place(rank))},{number(axis)} {number(place(rank))},{number(height)}"
        rows.append(f'<polyline class="lead" points="{corner} {number(end)},{number(height)}"/>')
        rows.append(_text("label", end - 4 if is_left else end + 4, height + 4, name, anchor))
    bottom = below + _LINE * half
    for line, text in enumerate(notes):
        rows.append(_text("note", _MARGIN, bottom + 8 + 16 * line, text, "start"))
    height = bottom + 16 * len(notes) + _MARGIN
    size = f'width="{number(width)}" height="{number(height)}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" {size}>',
            f"<title>Average ranks of {n} methods</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="ground" {size}/>',
            *rows,
            "</svg>\n",
        ]
    )


def _line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def _text(kind: str, x: float, y: float, text: str, anchor: str) -> str:
    place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(printable(text))}</text>'
