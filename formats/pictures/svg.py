"""A drawing of a network as SVG: for papers, slides and browsers; light or dark as the viewer is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

import numpy as np

from ..graph_records import Drawing
from ..records import Network
from .curves import number, path

MARGIN = 24.0

_STYLE = """
  .ground { fill: #ffffff }
  .arc { fill: none; stroke: #7d8896; stroke-width: 1.2 }
  .head { fill: #5c6774 }
  .box { fill: #eef3fa; stroke: #4a6fa5; stroke-width: 1.1 }
  .label { fill: #17202c; font: 12px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif;
    text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181f } .arc { stroke: #76828f } .head { fill: #97a3b0 }
    .box { fill: #202a38; stroke: #6d95cf } .label { fill: #e6ebf2 }
  }
"""


def svg_text(drawing: Drawing) -> str:
    """The picture; resting on a box tells its name, parents and local score."""
    names = drawing.network.header.names
    aside = np.concatenate([drawing.x - drawing.width / 2, *(line[:, 0] for line in drawing.lines)])
    left = float(aside.min()) - MARGIN
    aside = np.concatenate([drawing.x + drawing.width / 2, *(line[:, 0] for line in drawing.lines)])
    right = float(aside.max())
    top = float(drawing.y.min()) - drawing.height / 2 - MARGIN
    width, height = right + MARGIN - left, float(drawing.y.max()) + drawing.height / 2 + MARGIN - top
    box = f"{number(left)} {number(top)} {number(width)} {number(height)}"
    ground = f'x="{number(left)}" y="{number(top)}" width="{number(width)}" height="{number(height)}"'
    rows = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{number(width)}" height="{number(height)}">',
        f"<title>Bayesian network: {len(names)} variables, {len(drawing.arcs)} arcs</title>",
        f"<style>{_STYLE}</style>",
        '<marker id="arrow" viewBox="0 0 10 8" refX="9.5" refY="4" markerWidth="9" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0,0L10,4L0,8L2.5,4Z"/></marker>',
        f'<rect class="ground" {ground}/>',
        *_arcs(drawing),
        *_boxes(drawing),
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _arcs(drawing: Drawing) -> Iterator[str]:
    for line, undirected in zip(drawing.lines, drawing.undirected):
        arrow = "" if undirected else ' marker-end="url(#arrow)"'
        yield f'<path class="arc" d="{path(line)}"{arrow}/>'


def _boxes(drawing: Drawing) -> Iterator[str]:
    height = drawing.height
    for v, label in enumerate(drawing.labels):
        x, y, width = float(drawing.x[v]), float(drawing.y[v]), float(drawing.width[v])
        yield (
            f"<g><title>{_xml(_told(drawing.network, v))}</title>"
            f'<rect class="box" x="{number(x - width / 2)}" y="{number(y - height / 2)}" width="{number(width)}" '
            f'height="{number(height)}" rx="5"/>'
            f'<text class="label" x="{number(x)}" y="{number(y + 4)}">{_xml(label)}</text></g>'
        )


def _told(network: Network, v: int) -> str:
    names = network.header.names
    parents = ", ".join(names[p] for p in network.parents[v])
    score = float(network.scores[v])
    facts = [names[v], f"parents: {parents}" if parents else "no parents"]
    return "\n".join([*facts, f"local score {score:,.2f}"] if score == score else facts)


def _xml(text: str) -> str:
    """Text that XML can hold: control characters become the sign for what cannot be shown."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text))
