"""Lists of few variables for tests of posteriors."""

from __future__ import annotations

import itertools

import numpy as np

from formats.data_records import Variable
from formats.records import Header, ParentSetRecord, ParentSetTable


def random_lists(seed: int, n_variables: int, spread: float, most_parents: int = 3, share: float = 0.8):
    """For every variable a random part of its sets, the empty one among them, with scores; best first.

    `spread` is how much a parent more may cost, in nats.
    """
    rng = np.random.default_rng(seed)
    lists = []
    for child in range(n_variables):
        others = [v for v in range(n_variables) if v != child]
        sets = [s for size in range(most_parents + 1) for s in itertools.combinations(others, size)]
        kept = [s for s in sets if not s or rng.random() < share]
        scored = [(s, float(-50.0 - spread * (1 + len(s)) * rng.random())) for s in kept]
        lists.append(sorted(scored, key=lambda item: (-item[1], len(item[0]), item[0])))
    return lists


def as_table(lists, score: str = "bdeu", **extra) -> ParentSetTable:
    """The lists as a table read from a file."""
    header = Header(
        tuple(Variable(f"V{i}", ("0", "1")) for i in range(len(lists))), score, 100, "sha256:test", extra=extra
    )
    records = []
    for child, sets in enumerate(lists):
        smallest = min((s for s, _ in sets), key=len)
        records.append(
            ParentSetRecord.of(child, tuple(s for s, _ in sets), tuple(score for _, score in sets), required=smallest)
        )
    return ParentSetTable.from_records(header, records)
