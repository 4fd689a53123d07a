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
            "constrained hill climbing on the data: does not try pairs again that a test found independent",
            "Gámez et al. 2011",
        ),
        ("chc-star", "runs chc, then hc from its result", "Gámez et al. 2011"),
        ("ichc", "runs chc from its own result until nothing changes", "Gámez et al. 2011"),
        ("2ichc", "runs chc, and again from its result", "Gámez et al. 2011"),
        (
            "fastchc",
            "runs chc as one climb that reopens pairs beside new arcs, and computes the fewest scores; which pairs "
            "it reopens is reconstructed from the paper's example and proof",
            "Gámez et al. 2012",
        ),
    )
}
