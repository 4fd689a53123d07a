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
        "makes the class --target a parent of all features, and joins these by the tree of largest conditional "
        "mutual information",
        {DATA: Variant(f"{__name__}.tan", _READ)},
        "Friedman et al. 1997",
    ),
    "kdb": SearchMethod(
        "classifiers",
        "makes the class --target a parent of all features, orders these by relevance, and gives each the "
        "--dependence most related earlier ones as parents, too",
        {DATA: Variant(f"{__name__}.kdb", (*_READ, "dependence"))},
        "Sahami 1996",
    ),
    "cll": SearchMethod(
        "classifiers",
        "takes naive Bayes, tan or kdb, whichever predicts --target best: by conditional likelihood, each row "
        "predicted from all other rows",
        {DATA: Variant(f"{__name__}.cll", _READ)},
        "Grossman and Domingos 2004",
    ),
}
