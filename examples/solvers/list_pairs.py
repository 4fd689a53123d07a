"""A search for parent sets of one's own: a table of data in, candidate sets with their scores (BIC) out.

It lists single parents only. Use: python list_pairs.py d.csv | bnsl optimize | bnsl evaluate --data d.csv
"""

import csv
import json
import math
import sys
from collections import Counter

with open(sys.argv[1], newline="") as stream:
    names, *rows = csv.reader(stream)
columns = [list(column) for column in zip(*rows)]
states = [sorted(set(column)) for column in columns]
variables = [{"name": n, "states": s} for n, s in zip(names, states)]
header = {"format": "bnsl.parentsets", "version": 1, "score": "bic", "rows": len(rows), "variables": variables}
print(json.dumps(header))
for child, column in enumerate(columns):
    scores = {}
    for parent in [None, *(p for p in range(len(names)) if p != child)]:
        given = [""] * len(rows) if parent is None else columns[parent]
        totals = Counter(given)
        fit = math.fsum(c * math.log(c / totals[g]) for (g, _), c in Counter(zip(given, column)).items())
        free = (len(states[child]) - 1) * (1 if parent is None else len(states[parent]))
        scores[parent] = fit - free * math.log(len(rows)) / 2
    ranked = sorted((p for p in scores if scores[p] >= scores[None]), key=lambda p: -scores[p])
    sets = [[] if p is None else [p] for p in ranked]
    print(json.dumps({"child": child, "parents": sets, "scores": [scores[p] for p in ranked]}))
