"""What networks learnt by several scores predict: predict.py TRAIN TEST STATES [--reference] SCORE...

A JSON line for each score. STATES is a network or table that has the states of all columns; with --reference it is
the true network. A score with a number behind it has this equivalent sample size.
"""

from __future__ import annotations

import json
import re
import sys

import bnsl


def main(train: str, test: str, states: str, *scores: str) -> None:
    """Learn, judge and write."""
    judged = {"data": train, "test": test, "unseen": "drop", "no_treewidth": True}
    if scores[0] == "--reference":
        scores, judged = scores[1:], judged | {"reference": states}
    for score in scores:
        name, ess = re.fullmatch(r"([a-z]+[0-9]?)([0-9]{2,})?", score).groups()
        prior = {"ess": float(ess)} if ess else {}
        network = bnsl.optimize(data=train, states=states, method="hc", score=name, seed=1, quiet=True, **prior)
        found = network.evaluate(**judged)
        print(json.dumps({"score": score, "loglik": found["test_loglik"], "shd": found.get("shd")}))


main(*sys.argv[1:])
