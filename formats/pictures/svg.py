"""A drawing of a network as SVG, with light or dark colours by the viewer's preference."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from ..graph_records import (
    ONE_SIDED,
    SCREENED_WORDS,
    Arc,
    Clusters,
    Differences,
    Drawing,
    Strength,
    screened_of,
    strengths_of,
)
from ..records import NetworkRecord
from ..wording import plural, printable
from .arrows import LEAST_WIDTH, head, head_opacity, line_opacity, line_width, link_width, number, path, shortened
from .boxes import COLUMN_GAP, ROW_HEIGHT, SHARE_WIDTH, bar_start, bars, column_widths, percent, table
from .text_widths import BOX_HEIGHT, BOX_PADDING

MARGIN = 24.0
FIRST_VIEW = 2000.0
"""Longer side of a picture of clusters where a viewer does not zoom, pixels."""
TITLE = 15.0
"""Size of titles of frames in that view, about."""
LEGEND = (0.25, 0.5, 0.75, 1)
"""Probabilities of the lines in the legend."""
LEGEND_WORDS = ("probability of an arc in either direction;", "the paler a head, the less sure its direction")
LEGEND_WIDTH, LEGEND_HEIGHT = 290.0, 62.0
NOTE_ADVANCE = 6.6
"""Width of a character of a note in pixels, in the mean; an upper bound for most typefaces."""
UNDECIDED_WORDS = "no head: neither data nor knowledge decides the direction"
NOTE_HEIGHT = 20.0

_STYLE = """
  .ground { fill: #ffffff }
  .arc { fill: none; stroke: #7d8896 }
  .note { fill: #5c6774; font: 11px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif }
  .head { fill: #5c6774 }
  .box { fill: #eef3fa; stroke: #4a6fa5; stroke-width: 1.1 }
  .screened { fill: none; stroke-dasharray: 4 3 }
  .link { fill: none; stroke: #7d8896; opacity: 0.6 } .frame { fill: #fbfcfe; stroke: #a9b6c8; stroke-width: 1.5 }
  .title { fill: #17202c; font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif;
    font-weight: bold }
  .cell { fill: #17202c; font: 10px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif }
  .room { fill: #d9e2ef } .bar { fill: #4a6fa5 }
  .label { fill: #17202c; font: 12px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif;
    text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181f } .arc { stroke: #76828f } .head { fill: #97a3b0 }
    .note { fill: #97a3b0 }
    .box { fill: #202a38; stroke: #6d95cf } .screened { fill: none } .label, .cell { fill: #e6ebf2 }
    .link { stroke: #76828f } .frame { fill: #181d26; stroke: #4a586b } .title { fill: #e6ebf2 }
    .room { fill: #323b49 } .bar { fill: #6d95cf }
  }
"""

_STYLE_OF_MARKS = """
  .added { stroke: #0072b2; stroke-width: 2.4 } .head.added { fill: #0072b2; stroke: none }
  .missing { stroke: #d55e00; stroke-width: 2; stroke-dasharray: 8 5 } .head.missing { fill: #d55e00; stroke: none }
  .reversed { stroke: #b0478d; stroke-width: 2; stroke-dasharray: 10 3 2 3 }
  .head.reversed { fill: #b0478d; stroke: none }
  .one-sided { stroke: #00805d; stroke-width: 2; stroke-dasharray: 2 4 }
  @media (prefers-color-scheme: dark) {
    .added { stroke: #56b4e9 } .head.added { fill: #56b4e9 } .missing { stroke: #f08a3c }
    .head.missing { fill: #f08a3c } .reversed { stroke: #e39ac4 } .head.reversed { fill: #e39ac4 }
    .one-sided { stroke: #2fc49b }
  }
"""
"""Added where arcs have `MARKS`; colours that colour-blind people tell apart (Okabe and Ito 2008), and dashes."""


def svg_text(drawing: Drawing) -> str:
    """The picture; the tooltip of a box shows its name, parents and local score."""
    names = drawing.network.header.names
    left, top, right, bottom = extent(drawing)
    left, top, bottom = left - MARGIN, top - MARGIN, bottom + MARGIN
    own, height = right + MARGIN - left, bottom - top
    found = drawing.differences
    loose = (
        drawing.undirected
        if found is None
        else [u and m != ONE_SIDED for u, m in zip(drawing.undirected, found.marks)]
    )
    notes = [UNDECIDED_WORDS] if any(loose) else []
    notes += [SCREENED_WORDS] if screened_of(drawing.network) else []
    clusters = drawing.clusters
    notes += list(_notes_on(clusters)) if clusters else []
    has_legend = bool(drawing.arcs and strengths_of(drawing.network))
    marked = list(_marks_shown(drawing.differences))
    words = [*notes, *(LEGEND_WORDS if has_legend else ()), *(" " * 7 + word for _, word in marked)]
    widest = max([NOTE_ADVANCE * len(each) for each in words] + [LEGEND_WIDTH * has_legend])
    width = max(own, (clusters.title_size / TITLE if clusters else 1.0) * widest + 2 * MARGIN if words else 0.0)
    left -= (width - own) / 2
    large = clusters.title_size / TITLE if clusters else 1.0
    legend: list[str] = []
    foot, x, y = 0.0, *((0.0, NOTE_HEIGHT) if clusters else (left + MARGIN, bottom))
    if has_legend:
        legend = list(_legend(x, y + 8))
        foot += LEGEND_HEIGHT
    for mark, word in marked:
        legend.append(f'<path class="{f"arc {mark}".strip()}" d="M{number(x)},{number(y + foot)}h36"/>')
        legend.append(_note(x + 44, y + foot + 4, _xml(word)))
        foot += NOTE_HEIGHT
    for note in notes:
        legend.append(_note(x, y + foot + 4, note))
        foot += NOTE_HEIGHT
    if legend and clusters:
        place = f"translate({number(left + MARGIN)} {number(bottom)}) scale({large:.3g})"
        legend = [f'<g transform="{place}">', *legend, "</g>"]
    height += large * (foot + NOTE_HEIGHT * (clusters is not None))
    shown = min(1.0, FIRST_VIEW / max(width, height)) if clusters else 1.0
    box = f"{number(left)} {number(top)} {number(width)} {number(height)}"
    called = "Bayesian network" if found is None else "Differences of two networks"
    ground = f'x="{number(left)}" y="{number(top)}" width="{number(width)}" height="{number(height)}"'
    rows = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{number(shown * width)}" '
        f'height="{number(shown * height)}">',
        f"<title>{called}: {plural(len(names), 'variable')}, {plural(len(drawing.arcs), 'arc')}</title>",
        f"<style>{_STYLE}{_STYLE_OF_MARKS if found else ''}</style>",
        '<marker id="arrow" viewBox="0 0 10 8" refX="9.5" refY="4" markerWidth="9" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0,0L10,4L0,8L2.5,4Z"/></marker>',
        f'<rect class="ground" {ground}/>',
        *(_frames(clusters) if clusters else ()),
        *_arcs(drawing),
        *_boxes(drawing),
        *legend,
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def extent(drawing: Drawing) -> tuple[float, float, float, float]:
    """Left, top, right and lower border of all boxes, arcs and frames; zeros if there are none."""
    boxes = [(drawing.x, drawing.y, drawing.width, drawing.height)]
    lines = drawing.lines
    if (clusters := drawing.clusters) is not None:
        boxes.append(clusters[1:5])
        lines = tuple(link.line for link in clusters.links)
    across = [x + sign * width / 2 for x, _, width, _ in boxes for sign in (-1, 1)] + [line[:, 0] for line in lines]
    down = [y + sign * height / 2 for _, y, _, height in boxes for sign in (-1, 1)]
    aside, below = (np.concatenate(each) if len(drawing.x) else np.zeros(1) for each in (across, down))
    return float(aside.min()), float(below.min()), float(aside.max()), float(below.max())


def _notes_on(clusters: Clusters) -> Iterator[str]:
    yield "frames: clusters, by the variable with the most arcs in them; lines between frames: arcs between clusters,"
    weaker = f"; {plural(clusters.n_omitted, 'weaker link')} left out" if clusters.n_omitted else ""
    yield f"the wider the more{weaker}"


def _frames(clusters: Clusters) -> Iterator[str]:
    """Frames with their titles, and the links between them behind."""
    size = clusters.title_size
    for link in clusters.links:
        words = f"{clusters.titles[link.upper]} - {clusters.titles[link.lower]}\n{plural(link.n_arcs, 'arc')}"
        width = link_width(link, clusters)
        yield f"<g><title>{_xml(words)}</title>"
        yield f'<path class="link" stroke-width="{width:.1f}" d="{path(link.line)}"/></g>'
    for x, y, width, height, title in zip(*(a.tolist() for a in clusters[1:5]), clusters.titles):
        left, top = x - width / 2, y - height / 2
        yield (
            f'<rect class="frame" x="{number(left)}" y="{number(top)}" width="{number(width)}" '
            f'height="{number(height)}" rx="8"/>'
            f'<text class="title" x="{number(left + size / 2)}" y="{number(top + 1.2 * size)}" '
            f'font-size="{number(size)}">{_xml(title)}</text>'
        )


def _marks_shown(found: Differences | None) -> Iterator[tuple[str, str]]:
    """The marks of differences that the picture has, and what they mean."""
    if found is not None:
        yield from ((mark, word) for mark, word in found.words.items() if mark in found.marks)


def _marked_arc(drawing: Drawing, i: int, mark: str, word: str) -> str:
    """A line with the look of its mark, and a tooltip with its meaning."""
    line, look = drawing.lines[i], f"arc {mark}".strip()
    parent, child = (drawing.network.header.names[variable] for variable in drawing.arcs[i])
    sign, tip = "-", ""
    if not drawing.undirected[i]:
        corners = "L".join(f"{number(x)},{number(y)}" for x, y in head(line, LEAST_WIDTH).tolist())
        sign, tip = "\u2192", f'<path class="{f"head {mark}".strip()}" d="M{corners}Z"/>'
        line = shortened(line, 1.0)
    title = _xml(f"{parent} {sign} {child}: {word}")
    return f'<g><title>{title}</title><path class="{look}" d="{path(line)}"/>{tip}</g>'


def _arcs(drawing: Drawing) -> Iterator[str]:
    strengths = strengths_of(drawing.network)
    of = drawing.clusters and drawing.clusters.of
    found = drawing.differences
    for i, (arc, line, undirected) in enumerate(zip(drawing.arcs, drawing.lines, drawing.undirected)):
        if of is not None and of[arc[0]] != of[arc[1]]:
            continue
        if found is not None:
            yield _marked_arc(drawing, i, found.marks[i], found.words[found.marks[i]])
            continue
        arrow = "" if undirected else ' marker-end="url(#arrow)"'
        if arc in strengths:
            yield _wide_arc(drawing.network, arc, strengths[arc], line, undirected)
        else:
            yield f'<path class="arc" stroke-width="1.2" d="{path(line)}"{arrow}/>'


def _wide_arc(network: NetworkRecord, arc: Arc, strength: Strength, line: np.ndarray, undirected: bool) -> str:
    """A line with the width of the arc's strength, and a tooltip with the strength."""
    shade = head_opacity(strength)
    drawn = line if undirected else shortened(line, shade)
    tip = ""
    if not undirected:
        corners = "L".join(f"{number(x)},{number(y)}" for x, y in head(line, line_width(strength)).tolist())
        tip = f'<path class="head" opacity="{shade:.2f}" d="M{corners}Z"/>'
    parent, child = (network.header.names[variable] for variable in arc)
    sign = "-" if undirected else "\u2192"
    facts = f"{parent} {sign} {child}"
    facts += "" if undirected else f"\n{strength.arc:.3f}"
    facts += f"\n{strength.either:.3f} in either direction"
    return f"<g><title>{_xml(facts)}</title>{_wide_line(path(drawn), strength)}{tip}</g>"


def _wide_line(curve: str, strength: Strength) -> str:
    look = f'stroke-width="{line_width(strength):.2f}" opacity="{line_opacity(strength):.2f}"'
    return f'<path class="arc" {look} d="{curve}"/>'


def _legend(left: float, top: float) -> Iterator[str]:
    """The meaning of the widths of lines and the opacities of arrowheads."""
    x = left
    for share in LEGEND:
        yield _wide_line(f"M{number(x)},{number(top)}h30", Strength(share, share))
        yield _note(x + 36, top + 4, f"{share:g}")
        x += 70
    for number_of_line, words in enumerate(LEGEND_WORDS):
        yield _note(left, top + 22 + 15 * number_of_line, words)


def _note(x: float, y: float, words: str) -> str:
    return f'<text class="note" x="{number(x)}" y="{number(y)}">{words}</text>'


def _boxes(drawing: Drawing) -> Iterator[str]:
    screened = screened_of(drawing.network)
    for v, label in enumerate(drawing.labels):
        x, y = float(drawing.x[v]), float(drawing.y[v])
        width, height = float(drawing.width[v]), float(drawing.height[v])
        left, top = x - width / 2, y - height / 2
        look = "box screened" if v in screened else "box"
        yield (
            f"<g><title>{_xml(_facts(drawing.network, v) if drawing.differences is None else label)}</title>"
            f'<rect class="{look}" x="{number(left)}" y="{number(top)}" width="{number(width)}" '
            f'height="{number(height)}" rx="5"/>'
            f'<text class="label" x="{number(x)}" y="{number(top + BOX_HEIGHT / 2 + 4)}">{_xml(label)}</text>'
            f"{''.join(_below(drawing, v, left, top + BOX_HEIGHT))}</g>"
        )


def _below(drawing: Drawing, v: int, left: float, top: float) -> Iterator[str]:
    """Bars or the table of a box, below its name."""
    shown = drawing.probabilities
    if shown is None:
        return
    if drawing.boxes == "bars":
        rows = bars(shown.states[v], shown.marginals[v])
        start = left + bar_start(shown.states[v])
        end = left + float(drawing.width[v]) - BOX_PADDING
        room = end - SHARE_WIDTH - start
        for i, (label, share) in enumerate(rows):
            y = top + ROW_HEIGHT * i
            yield _cell(left + BOX_PADDING, y, label)
            place = f'x="{number(start)}" y="{number(y + 3)}" height="9"'
            yield f'<rect class="room" {place} width="{number(room)}"/>'
            yield f'<rect class="bar" {place} width="{number(room * share)}"/>'
            yield _cell(end, y, percent(share), ' text-anchor="end"')
    elif drawing.boxes == "tables" and shown.model is not None:
        cells = table(shown.model, v, drawing.labels)
        widths = column_widths(cells)
        own = len(cells[0]) - len(drawing.network.parents[v])
        start = left + (float(drawing.width[v]) - sum(widths) + COLUMN_GAP) / 2
        for i, row in enumerate(cells):
            x = start
            for column, (text, width) in enumerate(zip(row, widths)):
                is_key = i == 0 or column < len(row) - own
                yield _cell(x, top + ROW_HEIGHT * i, text, "" if is_key else ' fill-opacity="0.75"')
                x += width


def _cell(x: float, top: float, text: str, look: str = "") -> str:
    return f'<text class="cell" x="{number(x)}" y="{number(top + 11)}"{look}>{_xml(text)}</text>'


def _facts(network: NetworkRecord, v: int) -> str:
    names = network.header.names
    parents = ", ".join(names[p] for p in network.parents[v])
    score = float(network.scores[v])
    facts = [names[v], f"parents: {parents}" if parents else "no parents"]
    facts += ["attached by screening"] if v in screened_of(network) else []
    return "\n".join([*facts, f"local score {score:,.2f}"] if score == score else facts)


def _xml(text: str) -> str:
    """Text that XML can hold and a picture can show, in lines."""
    return escape("\n".join(map(printable, text.split("\n"))), quote=False)
