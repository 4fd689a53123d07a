"""Networks for prediction: the class is a parent of every feature.

Friedman, Geiger and Goldszmidt (1997): Bayesian network classifiers. Sahami (1996): Learning limited dependence
Bayesian classifiers.
"""

from __future__ import annotations

from stages.methods import DATA, SearchMethod, Variant

_READ = ("score", "ess", "target")

SEARCHES = {
    "tan": SearchMethod(
        "classifiers",
        "class --target above all, features joined by the tree of largest conditional mutual information",
        {DATA: Variant(f"{__name__}.tan", _READ)},
        "Friedman et al. 1997",
    ),
    "kdb": SearchMethod(
        "classifiers",
        "class --target above all, features by relevance, each with the --dependence most related earlier ones",
        {DATA: Variant(f"{__name__}.kdb", (*_READ, "dependence"))},
        "Sahami 1996",
    ),
    "cll": SearchMethod(
        "classifiers",
        "of naive Bayes, tan and kdb the one of largest conditional likelihood of --target, each row left out",
        {DATA: Variant(f"{__name__}.cll", _READ)},
        "Grossman and Domingos 2004",
    ),
}
