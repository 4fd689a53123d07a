"""Claims in the header of a network, checked against its records by every reader of networks.

Scores are not recomputed here, since this needs the data; ``bnsl evaluate --data`` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum, isnan
from typing import Any, NoReturn

from ..errors import Inconsistent
from ..graph_records import DECIDERS, DIRECTIONS, SCREENED, STRENGTHS
from ..records import Header, ParentSetRecord
from ..schemas import NETWORK_HEADER_KEYS, TREEWIDTH_KEYS, key_problem
from ..textlines import Lines
from .algorithms import elimination_bags, moral_graph

CERTAIN = 1 + 1e-9
"""Largest value accepted as a probability, to allow for rounding."""

MAX_FILL = 20_000_000
"""Largest number of pairs of neighbours inspected to find the width of an elimination order."""

Fail = Callable[[str], NoReturn]


def check_while_reading(
    lines: Lines, header: Header, records: Iterator[ParentSetRecord]
) -> Iterator[ParentSetRecord]:
    """Pass on the records of a network; check its header (the line returned last) at once, and then against all
    records.

    Raises `Malformed`, `Inconsistent`: a key has a wrong type; while iterating, the records or other claims
    contradict a claim.
    """
    _check_types(lines, header.extra, header.n_variables)
    line = lines.number

    def checked() -> Iterator[ParentSetRecord]:
        found: dict[int, tuple[tuple[int, ...], float]] = {}
        for record in records:
            found[record.child] = record.parents[0], float(record.scores[0])
            yield record
        if len(found) == header.n_variables:
            parents, scores = zip(*(found[v] for v in range(header.n_variables)))
            _check_claims(lines, line, header.extra, parents, scores)

    return checked()


def _rounding(total: float) -> float:
    """Largest difference in nats between equal scores of a network; the searches use the same tolerance."""
    return max(1e-6, 1e-9 * abs(total))


def _check_types(lines: Lines, extra: Mapping[str, Any], n_variables: int) -> None:
    if problem := key_problem(dict(extra), NETWORK_HEADER_KEYS):
        lines.fail(f"header: {problem}")
    for key in ("unscored", SCREENED):
        if not all(type(v) is int and 0 <= v < n_variables for v in extra.get(key, [])):
            lines.fail(f"header: key {key!r} must be a list of variable indices")
    certificate = extra.get("treewidth")
    if certificate is None:
        return
    if problem := key_problem(certificate, TREEWIDTH_KEYS):
        lines.fail(f"header, key 'treewidth': {problem}")
    order = certificate.get("elimination")
    if order is None:
        return
    if not all(type(v) is int for v in order):
        lines.fail("header, key 'treewidth': the elimination order must be a list of variable indices")
    if sorted(order) != list(range(n_variables)):
        message = f"the elimination order is no permutation of the {n_variables} variables"
        lines.fail(message, kind=Inconsistent)


def _check_claims(
    lines: Lines, line: int, extra: Mapping[str, Any], parents: Sequence[Sequence[int]], scores: Sequence[float]
) -> None:
    """Refuse a header on a line if its records or other claims contradict it; unknown scores are NaN."""

    def fail(message: str) -> NoReturn:
        lines.fail(message, kind=Inconsistent, line=line)

    total, bound, gap = extra.get("total"), extra.get("bound"), extra.get("gap")
    if total is not None:
        known = fsum(scores)
        if not isnan(known) and abs(total - known) > _rounding(fsum(map(abs, scores))):
            fail(f"the header states a total of {total}, the local scores sum to {known}")
        if bound is not None and bound < total - _rounding(total):
            fail(f"the header states a bound of {bound}, below the total {total}")
        if bound is not None and gap is not None and abs(bound - total - gap) > _rounding(total):
            fail(f"the header states a gap of {gap}, but bound minus total is {bound - total}")
    if gap is not None and gap < -_rounding(total or 0.0):
        fail(f"the header states a negative gap of {gap}")
    _check_facts(fail, extra, parents)
    _check_width(fail, extra.get("treewidth") or {}, parents)


def _check_facts(fail: Fail, extra: Mapping[str, Any], parents: Sequence[Sequence[int]]) -> None:
    """The facts in the header about each arc."""
    for key, is_sound, problem in (
        (STRENGTHS, _is_strength, "a strength in the header is no pair of probabilities"),
        (DIRECTIONS, DECIDERS.__contains__, f"a direction in the header is none of {', '.join(DECIDERS)}"),
    ):
        by_child = extra.get(key)
        if by_child is None:
            continue
        if len(by_child) != len(parents) or not all(
            isinstance(items, list) and len(items) == len(family) for items, family in zip(by_child, parents)
        ):
            fail(f"the {key} in the header are not one for each arc")
        if not all(is_sound(fact) for facts in by_child for fact in facts):
            fail(problem)


def _is_strength(pair: Any) -> bool:
    is_pair = isinstance(pair, list) and len(pair) == 2
    return is_pair and all(type(value) in (int, float) and 0 <= value <= CERTAIN for value in pair)


def _check_width(fail: Fail, certificate: Mapping[str, Any], parents: Sequence[Sequence[int]]) -> None:
    stated, bound, order = (certificate.get(name) for name in ("width", "bound", "elimination"))
    if stated is not None and bound is not None and stated > bound:
        fail(f"the header states a width of {stated}, more than its bound {bound}")
    if order is None or stated is None:
        return
    width = _width_of(parents, order, stated)
    if width is not None and width != stated:
        shown = f"more than {stated}" if width > stated else width
        fail(f"the elimination order has width {shown}, the header says {stated}")


def _width_of(parents: Sequence[Sequence[int]], order: Sequence[int], stated: int) -> int | None:
    """Width of an elimination order, or `stated` + 1 if it is larger; None if the computation takes too long."""
    # The elimination stops at the first bag above the stated width, so no bag costs more than its square.
    if sum((len(p) + 1) ** 2 for p in parents) > MAX_FILL or len(order) * (stated + 1) ** 2 > MAX_FILL:
        return None
    width = 0
    for later in elimination_bags(moral_graph(parents), order):
        width = max(width, len(later))
        if width > stated:
            return stated + 1
    return width
