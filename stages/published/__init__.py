"""Methods published by others, one folder a paper (or a line of papers on one idea).

A folder's ``__init__`` declares its methods in ``SEARCHES`` (for `stages.optimize`) or ``SELECTIONS`` (for
`stages.parentsets`) and imports nothing heavy; the two tables here join them. This is all that the main road imports
from here. ``kernels`` holds compiled code that folders share; `order_restarts` runs searches that restart from
initial orders, `ktree_restarts` runs searches that evaluate orders or k-trees under a treewidth bound.
"""

from __future__ import annotations

from . import (
    class_centred,
    gamez_2011_2012,
    nie_2015_2016,
    perez_urcia_2015,
    scanagatta_2015,
    scanagatta_2016,
    scanagatta_2017,
    scanagatta_2018,
    tsamardinos_2006,
)

SEARCHES = {
    **class_centred.SEARCHES,
    **gamez_2011_2012.SEARCHES,
    **nie_2015_2016.SEARCHES,
    **perez_urcia_2015.SEARCHES,
    **scanagatta_2015.SEARCHES,
    **scanagatta_2016.SEARCHES,
    **scanagatta_2017.SEARCHES,
    **scanagatta_2018.SEARCHES,
    **tsamardinos_2006.SEARCHES,
}
"""Published methods of ``bnsl optimize`` by name."""

SELECTIONS = scanagatta_2015.SELECTIONS
"""Published methods of ``bnsl parentsets`` by name."""
