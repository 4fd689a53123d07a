"""Show a network in a notebook: its facts, its picture, its arcs and its tables, in HTML without scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING

from formats.wording import plural, printable

from .facts import origin_facts, told_facts
from .tables import Table

if TYPE_CHECKING:
    import pyarrow

    from formats.records import NetworkRecord

MOST_DRAWN = 3_000
"""Most variables and arcs together of a network that is drawn; its picture takes some 600 kB."""
MOST_TABLES = 40
"""Most tables of parameters that are shown."""
TOO_LARGE = "<p>Too large to be drawn here: <code>save('network.html')</code> makes a page.</p>"


def network_html(network: NetworkRecord, arcs: pyarrow.Table, draw: Callable[[], str]) -> str:
    """The elements that show a network; texts of the network stand there escaped.

    `draw` makes the picture, as SVG.
    """
    told = filter(None, [told_facts(network), origin_facts(network.header)])
    small = network.n_variables + network.n_arcs <= MOST_DRAWN
    seen = '<div style="max-height:{}em;overflow:auto">{}</div>'.format
    shown = [seen(40, _picture(draw()) if small else TOO_LARGE)]
    shown += [seen(24, _strongest(arcs)._repr_html_())] if len(arcs) else []
    sides = f'<div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(shown)}</div>'
    return "".join([*(f"<p>{escape(printable(text))}</p>" for text in told), sides, *_tables(network)])


def _picture(svg: str) -> str:
    """An element of its own: names of styles and marks in it mean nothing to the notebook."""
    text = b64encode(svg.encode()).decode()
    return f'<img alt="" style="max-width:max(100%,90em)" src="data:image/svg+xml;base64,{text}">'


def _strongest(arcs: pyarrow.Table) -> Table:
    """The arcs, the strongest first where strengths are known."""
    return Table(arcs.sort_by([("strength", "descending")]) if "strength" in arcs.column_names else arcs)


def _tables(network: NetworkRecord) -> Iterator[str]:
    """For each of the first variables its table of parameters, which opens at a click."""
    from formats.pictures.boxes import table

    if (model := network.parameters) is None:
        return
    names = [escape(printable(name)) for name in network.header.names]
    yield f"<details><summary>{plural(len(names), 'table')} of probabilities</summary>"
    for v, name in enumerate(names[:MOST_TABLES]):
        given = ", ".join(names[parent] for parent in model.parents[v])
        rows = table(model, v, network.header.names)
        cells = "".join(f"<tr>{''.join(f'<td>{escape(printable(cell))}</td>' for cell in row)}</tr>" for row in rows)
        yield f"<details><summary>{name}{' given ' if given else ''}{given}</summary><table>{cells}</table></details>"
    if len(names) > MOST_TABLES:
        yield f"<p>... {len(names) - MOST_TABLES:,} more: <code>network.cpt(variable)</code></p>"
    yield "</details>"
