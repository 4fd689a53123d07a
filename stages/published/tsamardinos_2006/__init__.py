"""Tsamardinos, Brown and Aliferis (2006): The max-min hill-climbing Bayesian network structure learning algorithm."""

from __future__ import annotations

from stages.methods import DATA, SearchMethod, on_data

SEARCHES = {
    "mmhc": SearchMethod(
        "climbing",
        "hill climbing among the neighbours that independence tests find",
        {DATA: on_data(f"{__name__}.mmhc", "restarts", "perturb", "tabu", "alpha")},
        "Tsamardinos et al. 2006",
    )
}
