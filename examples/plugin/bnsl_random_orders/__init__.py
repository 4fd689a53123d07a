"""What `bnsl` loads with its command line: the tables of this package, and nothing heavy."""

import math

from bnsl.plugin import RESTARTED, SETS, SearchMethod, counted, network_format, on_sets, own, penalised

from . import szpankowski

BNSL_PLUGIN_API = 1  # the version of `bnsl.plugin` that this package is made for

STEPS = own(0, "Random swaps of neighbours tried in each order.", metavar="N", least=0)

SEARCHES = {
    "random-orders": SearchMethod(
        "orders",
        "the best networks consistent with random orders",
        {SETS: on_sets(f"{__name__}.search", *RESTARTED, steps=STEPS)},
    )
}

SCORES = {
    "hq": penalised("Hannan-Quinn", lambda n_rows: math.log(math.log(n_rows)), "Hannan and Quinn 1979"),
    # row(m) / m and (cell(m) - row(m)) / m never fall as m grows: so larger sets can be pruned.
    "sznml": counted(
        "approximate fNML", szpankowski.cell, szpankowski.row, "Szpankowski 2001", bounds_supersets=True
    ),
}

FORMATS = {"families": network_format("a list of families", ".families", f"{__name__}.families", "child: parents")}
