"""Networks learnt under pairs of ancestors that are drawn from a known network.

pairs.py learn NETWORK DATA TIME PAIRS METHODS SEED   one CSV line for each run; the seed draws pairs
pairs.py means FILE...                                means over the seeds, as a table in Markdown
"""

from __future__ import annotations

import csv
import itertools
import random
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import bnsl

Pair = tuple[str, str]

COLUMNS = ("network", "pairs", "method", "kept without", "kept", "score without", "score", "gap", "seconds")


def ancestors(arcs: Iterable[Pair]) -> set[Pair]:
    """All pairs (ancestor, descendant)."""
    found = set(arcs)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


def drawn(network: bnsl.Network, count: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """True pairs: every second one an ancestor, the others not; at least one ancestor."""
    rng, true = random.Random(seed), ancestors(network.arcs)
    others = sorted(set(itertools.permutations(network.variables, 2)) - true)
    return rng.sample(sorted(true), (count + 1) // 2), rng.sample(others, count // 2)


def share(network: bnsl.Network, required: list[Pair], forbidden: list[Pair]) -> float:
    """Share of the pairs that a network keeps."""
    found = ancestors(network.arcs)
    kept = sum(pair in found for pair in required) + sum(pair not in found for pair in forbidden)
    return kept / (len(required) + len(forbidden))


def learn(path: str, data: str, limit: str, counts: str, methods: str, seed: int) -> Iterator[list[object]]:
    """One line for each run."""
    truth, name = bnsl.read(path), Path(path).name.partition(".")[0]
    for method in methods.split():
        options = {"data": data, "method": method, "seed": seed, "quiet": True}
        if method == "pricing":
            options["time"] = limit
        without = bnsl.optimize(**options)
        for count in map(int, counts.split()):
            required, forbidden = drawn(truth, count, seed)
            begun = time.monotonic()
            known = {"require": [f"{a}~>{b}" for a, b in required], "forbid": [f"{a}~>{b}" for a, b in forbidden]}
            found = bnsl.optimize(**options, **known)
            seconds = time.monotonic() - begun
            kept = share(without, required, forbidden), share(found, required, forbidden)
            gap = "" if found.gap is None else found.gap
            yield [name, count, method, *kept, without.score, found.score, gap, seconds]


def means(paths: list[str]) -> Iterator[str]:
    """The table."""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" * len(COLUMNS) + "|"
    lines = [line for path in paths for line in csv.reader(Path(path).read_text().splitlines())]
    names = list(dict.fromkeys(line[0] for line in lines))
    lines.sort(key=lambda line: (names.index(line[0]), int(line[1]), line[2]))
    for key, group in itertools.groupby(lines, key=lambda line: line[:3]):
        columns = [[float(cell) for cell in column if cell] for column in zip(*(line[3:] for line in group))]
        figures = [statistics.mean(column) if column else None for column in columns]
        texts = [f"{f:.2f}" for f in figures[:2] if f is not None]
        texts += ["-" if f is None else f"{f:,.1f}" for f in figures[2:]]
        yield "| " + " | ".join([*key, *texts]) + " |"


if __name__ == "__main__":
    task, *words = sys.argv[1:]
    if task == "learn":
        *words, seed = words
        csv.writer(sys.stdout).writerows(learn(*words, int(seed)))
    else:
        print("\n".join(means(words)))
