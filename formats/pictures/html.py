"""A drawing of a network as a self-contained web page.

`network.html` beside this file is the template of the page, into which its style, its scripts and the data are
inserted; `answers.js` computes answers to evidence, `network.js` draws and reacts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ..graph_records import Arc, Clusters, Drawing, Probabilities, Strength, screened_of, strengths_of
from ..records import Header
from ..wording import plural, printable
from .arrows import head_opacity, line_opacity, line_width, link_width, path, shortened
from .boxes import ROW_HEIGHT, SHARE_WIDTH, bar_start, drawn_bars
from .text_widths import BOX_HEIGHT, BOX_PADDING

TEMPLATE = Path(__file__).with_name("network.html")


def html_text(drawing: Drawing) -> str:
    """The page: zoom, search, facts about every variable, its Markov blanket at a click."""
    text = orjson.dumps(_contents(drawing)).decode()
    # No text of the data can close the script element that contains it.
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return re.sub(
        r"\{\{([\w.]+)\}\}",
        lambda found: safe if found[1] == "data" else TEMPLATE.with_name(found[1]).read_text(encoding="utf-8"),
        TEMPLATE.read_text(encoding="utf-8"),
    )


def _contents(drawing: Drawing) -> dict[str, Any]:
    """The data of the page; unknown scores are null."""
    network = drawing.network
    header = network.header
    total = header.extra.get("total")
    strengths = strengths_of(network)
    return {
        "title": "Bayesian network",
        "about": _about(header, len(drawing.arcs), sum(drawing.undirected)),
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
    """Where the bars of boxes lie, pixels, and the labels of the bars of every box."""
    rows = [drawn_bars(drawing, v) for v in range(len(drawing.labels))]
    return {
        "head": BOX_HEIGHT,
        "row": ROW_HEIGHT,
        "edge": BOX_PADDING,
        "share": SHARE_WIDTH,
        "start": [round(bar_start(row), 1) for row in rows],
        "labels": [[label for label, _ in row] for row in rows],
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


def _about(header: Header, n_arcs: int, n_undirected: int) -> str:
    parts = [plural(header.n_variables, "variable"), plural(n_arcs - n_undirected, "arc")]
    if n_undirected:
        parts.append(plural(n_undirected, "undirected edge"))
    total = header.extra.get("total")
    if isinstance(total, float):
        parts.append(f"{'score' if header.score == 'unknown' else header.score} {total:,.2f}")
    return ", ".join(parts)


def _rounded(values: np.ndarray) -> list[float]:
    return [round(value, 1) for value in values.tolist()]
