"""What `bnsl` loads with its command line: the table of this package's methods, and nothing heavy."""

from stages.methods import RESTARTED, SETS, SearchMethod, on_sets

SEARCHES = {
    "random-orders": SearchMethod(
        "orders", "the best networks consistent with random orders", {SETS: on_sets(f"{__name__}.search", *RESTARTED)}
    )
}
