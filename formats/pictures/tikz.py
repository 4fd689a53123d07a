"""A drawing of a network as a TikZ picture, to be read by a LaTeX document with ``\\input``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..graph_records import Drawing, Strength, screened_of, strengths_of
from ..wording import plural, printable
from .arrows import curves, head, head_opacity, line_opacity, line_width, number, shortened

PIXEL = 0.75
"""Points (1/72 inch) of a pixel."""

_ESCAPES = {c: rf"\{c}" for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}

_STYLES = (
    r"  box/.style={draw={rgb,255:red,74;green,111;blue,165}, fill={rgb,255:red,238;green,243;blue,250},",
    r"    rounded corners=3.5bp, inner sep=0pt, font=\sffamily\fontsize{9}{11}\selectfont},",
    r"  screened/.style={fill=none, dashed},",
    r"  arc/.style={draw={rgb,255:red,125;green,136;blue,150}, line width=0.9bp},",
    r"  head/.style={fill={rgb,255:red,92;green,103;blue,117}}]",
)


def tikz_text(drawing: Drawing) -> str:
    """The picture in the size of the SVG one; it needs ``\\usepackage{tikz}`` alone. Names are escaped for LaTeX."""
    names = drawing.network.header.names
    rows = [
        f"% Bayesian network: {plural(len(names), 'variable')}, {plural(len(drawing.arcs), 'arc')}.",
        r"% \usepackage{tikz}, with T1 fonts (\usepackage[T1]{fontenc}) where names have quotation marks.",
        f"\\begin{{tikzpicture}}[x={PIXEL:g}bp, y=-{PIXEL:g}bp,",
        *_STYLES,
        *_arcs(drawing),
        *_boxes(drawing),
        r"\end{tikzpicture}",
    ]
    return "\n".join(rows) + "\n"


def _arcs(drawing: Drawing) -> Iterator[str]:
    """Lines and heads; lines as wide as the arcs are strong, heads as opaque as their directions are sure."""
    strengths = strengths_of(drawing.network)
    for arc, line, undirected in zip(drawing.arcs, drawing.lines, drawing.undirected):
        strength = strengths.get(arc, Strength(1.0, 1.0))
        look, shade, width = "", head_opacity(strength), 1.2
        if arc in strengths:
            width = line_width(strength)
            look = f", line width={PIXEL * width:.2f}bp, opacity={line_opacity(strength):.2f}"
        drawn = line if undirected else shortened(line, shade)
        yield f"  \\draw[arc{look}] {_curve(drawn)};"
        if not undirected:
            corners = " -- ".join(map(_point, head(line, width)))
            yield f"  \\path[head, opacity={shade:.2f}] {corners} -- cycle;"


def _curve(line: np.ndarray) -> str:
    if len(line) == 2:
        return f"{_point(line[0])} -- {_point(line[1])}"
    pieces = (f"controls {_point(one)} and {_point(two)} .. {_point(end)}" for one, two, end in curves(line))
    return " .. ".join([_point(line[0]), *pieces])


def _boxes(drawing: Drawing) -> Iterator[str]:
    screened = screened_of(drawing.network)
    for v, label in enumerate(drawing.labels):
        look = "box, screened" if v in screened else "box"
        width = f"minimum width={PIXEL * float(drawing.width[v]):.4g}bp"
        size = f"minimum height={PIXEL * float(drawing.height[v]):g}bp"
        centre = _point(np.array([drawing.x[v], drawing.y[v]]))
        yield f"  \\node[{look}, {width}, {size}] at {centre} {{{_latex(label)}}};"


def _point(point: np.ndarray) -> str:
    return f"({number(point[0])},{number(point[1])})"


def _latex(text: str) -> str:
    """Text as LaTeX shows it, in one line."""
    return "".join(_ESCAPES.get(c, c) for c in printable(text))
