"""Two networks side by side: the parents and local scores of each variable, part of `bnsl.evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..files.inputs import completed
from ..running.errors import UsageError

if TYPE_CHECKING:
    from ..files.inputs import MatchedTables
    from ..networks import Network
    from ..running.reporter import LineReporter

BETWEEN = ("test", "reference", "proof", "strengths", "folds", "seed", "smoothing", "target", "no_treewidth")
"""Options that ask for measures of whole networks."""


def side_by_side(
    learnt: Sequence[tuple[str, Network]],
    training: MatchedTables,
    scores: Sequence[str],
    ess: float,
    reporter: LineReporter,
) -> list[dict[str, Any]]:
    """One record for each variable: its parents in two networks and, with data, the local scores of both families.

    `learnt` are the networks with their names. Raises `UsageError` unless these are two networks, neither a class.
    """
    from stages.evaluate.alignment import align_dataset, align_parents
    from stages.scoring.independent import score_families

    if len(learnt) != 2:
        raise UsageError(f"--families sets two networks side by side, not {len(learnt)}.")
    for name, network in learnt:
        if network.is_class:
            raise UsageError(f"{name} is a class of networks, whose families differ: give networks to --families.")
    (first_name, first), (second_name, second) = ((name, network.record) for name, network in learnt)
    first = completed(first, first_name, second.header.names, second_name, reporter)
    second = completed(second, second_name, first.header.names, first_name, reporter)
    rows = training.match_complete(first.header, first_name)
    data = None if rows is None else align_dataset(first, rows)
    names = first.header.names
    both = (first.parents, align_parents(names, second, second_name))
    found = [score_families(parents, data, scores, ess) for parents in both] if data is not None else []
    records = []
    for child, name in enumerate(names):
        families = [tuple(sorted(parents[child])) for parents in both]
        record: dict[str, Any] = {"variable": name, "same": families[0] == families[1]}
        record |= {f"parents_{n}": [names[parent] for parent in family] for n, family in enumerate(families, 1)}
        for score in scores if found else ():
            record |= {f"{score}_{n}": float(of_one[score][child]) for n, of_one in enumerate(found, 1)}
        records.append(record)
    return records
