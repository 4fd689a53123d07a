"""A drawing of a network as a self-contained web page.

`network.html` beside this file is the template of the page, into which its style, its scripts and the data are
inserted; `answers.js` computes answers to evidence, `network.js` draws and reacts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ..graph_records import Arc, Clusters, Drawing, Probabilities, Strength, screened_of, strengths_of
from ..wording import printable
from .arrows import head_opacity, line_opacity, line_width, link_width, path, shortened
from .boxes import MOST_BARS, ROW_HEIGHT, SHARE_WIDTH, bar_start, short_states
from .text_widths import BOX_HEIGHT, BOX_PADDING

TEMPLATE = Path(__file__).with_name("network.html")


def html_text(drawing: Drawing) -> str:
    """The page: zoom, search, facts about every variable, its Markov blanket at a click."""
    text = orjson.dumps(_contents(drawing)).decode()
    inserted = {
        # No text of the data can close the script element that contains it.
        "data": text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
        "title": _html(drawing.title),
        "facts": "".join(f"<p>{_html(fact)}</p>" for fact in drawing.facts),
    }

    def content(found: re.Match[str]) -> str:
        name = found[1]
        return inserted[name] if name in inserted else TEMPLATE.with_name(name).read_text(encoding="utf-8")

    return re.sub(r"\{\{([\w.]+)\}\}", content, TEMPLATE.read_text(encoding="utf-8"))


def _html(text: str) -> str:
    return escape(printable(text))


def _contents(drawing: Drawing) -> dict[str, Any]:
    """The data of the page; unknown scores are null."""
    network = drawing.network
    header = network.header
    total = header.extra.get("total")
    strengths = strengths_of(network)
    return {
        "names": [printable(v.name) for v in header.variables],
        "labels": list(map(printable, drawing.labels)),
        "states": [states and list(map(printable, states)) for states in _states(drawing)],
        "scores": [score if score == score else None for score in network.scores.tolist()],
        "total": total if isinstance(total, float) else None,
        "screened": sorted(screened_of(network)),
        "x": _rounded(drawing.x),
        "y": _rounded(drawing.y),
        "width": _rounded(drawing.width),
        "height": _rounded(drawing.height),
        "probabilities": drawing.probabilities and _probabilities(drawing.probabilities),
        "absent": drawing.absent,
        "differences": drawing.differences and drawing.differences._asdict(),
        "boxes": _boxes(drawing) if drawing.boxes == "bars" else None,
        "clusters": drawing.clusters and _clusters(drawing.clusters),
        "arcs": [
            _arc(arc, undirected, line, strengths.get(arc))
            for arc, undirected, line in zip(drawing.arcs, drawing.undirected, drawing.lines)
        ],
    }


def _states(drawing: Drawing) -> Sequence[Sequence[str] | None]:
    """States of every variable, from the parameters if there are any; None where unknown."""
    if drawing.probabilities is not None:
        return drawing.probabilities.states
    return [variable.states for variable in drawing.network.header.variables]


def _probabilities(found: Probabilities) -> dict[str, Any]:
    """Marginals, and, if tables are shown, the parameters, flat, the states of the variable vary fastest."""
    held: dict[str, Any] = {"marginals": [each.tolist() for each in found.marginals], "note": found.note}
    if found.model is not None:
        held |= {"parents": found.model.parents, "tables": [table.ravel().tolist() for table in found.model.tables]}
    return held | {"order": found.order}


def _boxes(drawing: Drawing) -> dict[str, Any]:
    """Where the bars of boxes lie, pixels, the labels of all states, and how many bars a box has at most."""
    states = [each or () for each in _states(drawing)]
    return {
        "most": MOST_BARS,
        "head": BOX_HEIGHT,
        "row": ROW_HEIGHT,
        "edge": BOX_PADDING,
        "share": SHARE_WIDTH,
        "start": [round(bar_start(each), 1) for each in states],
        "labels": list(map(short_states, states)),
    }


def _clusters(found: Clusters) -> dict[str, Any]:
    """Frames with titles, the cluster of each variable, and links: both clusters, arcs, share, curve, width."""
    most = max((link.weight for link in found.links), default=1.0)
    return {
        "of": found.of.tolist(),
        "x": _rounded(found.x),
        "y": _rounded(found.y),
        "width": _rounded(found.width),
        "height": _rounded(found.height),
        "titles": found.titles,
        "size": found.title_size,
        "omitted": found.n_omitted,
        "links": [
            [
                link.upper,
                link.lower,
                link.n_arcs,
                link.weight / most,
                path(link.line),
                round(link_width(link, found), 1),
            ]
            for link in found.links
        ],
    }


def _arc(arc: Arc, undirected: bool, line: np.ndarray, strength: Strength | None) -> list[Any]:
    """Parent, child, whether undirected, curve; if known also width, opacity, opacity of the head, strengths."""
    if strength is None:
        return [*arc, int(undirected), path(line)]
    shade = head_opacity(strength)
    figures = [line_width(strength), line_opacity(strength), shade, *strength]
    drawn = line if undirected else shortened(line, shade)
    return [*arc, int(undirected), path(drawn), *(round(figure, 4) for figure in figures)]


def _rounded(values: np.ndarray) -> list[float]:
    return [round(value, 1) for value in values.tolist()]
