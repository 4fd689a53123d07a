"""Gámez, Mateo and Puerta (2011, 2012): hill climbing that skips pairs of variables found independent.

CHC, CHC*, iCHC and 2iCHC (2011: Learning Bayesian networks by hill climbing: efficient methods based on progressive
restriction of the neighborhood); FastCHC (2012: One iteration CHC algorithm for learning Bayesian networks). The
listing of FastCHC was not at hand: which pairs are reopened is reconstructed from its Example 1 and Proposition 3.
"""

from __future__ import annotations

from stages.methods import DATA, SearchMethod, on_data

_BY_CHC = {DATA: on_data(f"{__name__}.chc", "restarts", "perturb")}

SEARCHES = {
    name: SearchMethod("climbing", help, _BY_CHC, source)
    for name, help, source in (
        (
            "chc",
            "constrained hill climbing, scored on the data: pairs tested independent are not tried again",
            "Gámez et al. 2011",
        ),
        ("chc-star", "chc, then hc from its result", "Gámez et al. 2011"),
        ("ichc", "chc from its own result until nothing changes", "Gámez et al. 2011"),
        ("2ichc", "chc twice", "Gámez et al. 2011"),
        (
            "fastchc",
            "chc in one climb that reopens pairs beside new arcs, by a rule reconstructed from the paper's example "
            "and proof: the fewest scores",
            "Gámez et al. 2012",
        ),
    )
}
