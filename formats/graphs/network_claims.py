"""What the header of a network claims, compared with its records: nothing is shown that the file itself belies.

Readers call these checks wherever a network is read. What needs the data, the scores themselves, is computed anew by
``bnsl evaluate --data``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum, isnan
from typing import Any

from ..errors import Inconsistent
from ..graph_records import STRENGTHS
from ..records import Header
from ..schemas import NETWORK_HEADER_KEYS, TREEWIDTH_KEYS, key_problem
from ..sets.setblocks import SetBlock
from ..textlines import Lines
from .pace import moral_neighbours

CERTAIN = 1 + 1e-9
"""Largest probability, with room for rounding."""

MAX_FILL = 20_000_000
"""Pairs of neighbours that are looked at to find the width of an elimination order; beyond, evaluate does it."""


def check_while_reading(lines: Lines, header: Header, blocks: Iterator[SetBlock]) -> Iterator[SetBlock]:
    """Pass on the records of a network; check its header now and, when all have come, against them.

    Parameters
    ----------
    lines : Lines
        The header is the line returned last.
    header : Header
    blocks : iterator of SetBlock

    Raises
    ------
    Malformed, Inconsistent
        See `check_types` and `check_claims`; the latter while iterating.
    """
    check_types(lines, header.extra, header.n_variables)
    return _check_at_end(lines, lines.number, header, blocks)


def _check_at_end(lines: Lines, line: int, header: Header, blocks: Iterator[SetBlock]) -> Iterator[SetBlock]:
    parents: dict[int, list[int]] = {}
    scores: dict[int, float] = {}
    for block in blocks:
        parents[block.child], scores[block.child] = block.parents.tolist(), float(block.scores[0])
        yield block
    if len(parents) == header.n_variables:
        ordered = range(header.n_variables)
        check_claims(lines, line, header.extra, [parents[v] for v in ordered], [scores[v] for v in ordered])


def rounding(total: float) -> float:
    """Difference, in nats, up to which two scores of a network are the same: the searches' own measure."""
    return max(1e-6, 1e-9 * abs(total))


def check_types(lines: Lines, extra: Mapping[str, Any], n_variables: int) -> None:
    """Refuse header keys of networks (the line returned last by `lines`) that are of a wrong type.

    Parameters
    ----------
    lines : Lines
    extra : mapping
        ``header.extra``.
    n_variables : int

    Raises
    ------
    Malformed, Inconsistent
        A type is wrong; the elimination order lists other than every variable once.
    """
    problem = key_problem(dict(extra), tuple(key for key in NETWORK_HEADER_KEYS if not key.required))
    if problem:
        lines.fail(f"header: {problem}")
    unscored = extra.get("unscored", [])
    if not all(type(v) is int and 0 <= v < n_variables for v in unscored):
        lines.fail("header: key 'unscored' must be a list of variable indices")
    certificate = extra.get("treewidth")
    if certificate is None:
        return
    problem = key_problem(certificate, TREEWIDTH_KEYS)
    if problem:
        lines.fail(f"header, key 'treewidth': {problem}")
    order = certificate.get("elimination")
    if order is None:
        return
    if not all(type(v) is int for v in order):
        lines.fail("header, key 'treewidth': the elimination order must be a list of variable indices")
    if sorted(order) != list(range(n_variables)):
        lines.fail(
            f"the elimination order is no permutation of the {n_variables} variables", kind=Inconsistent
        )


def check_claims(
    lines: Lines,
    line: int,
    extra: Mapping[str, Any],
    parents: Sequence[Sequence[int]],
    scores: Sequence[float],
) -> None:
    """Refuse a header whose total, bound, gap, strengths or certificate the records or the other claims contradict.

    Parameters
    ----------
    lines : Lines
    line : int
        Line of the header.
    extra : mapping
        ``header.extra``; its types are checked.
    parents : sequence of sequences of int
    scores : sequence of float
        Local scores, NaN where unknown: then there is nothing to compare the total with.

    Raises
    ------
    Inconsistent
    """

    def fail(message: str):
        lines.fail(message, kind=Inconsistent, line=line)

    total, bound, gap = extra.get("total"), extra.get("bound"), extra.get("gap")
    if total is not None:
        known = fsum(scores)
        if not isnan(known) and abs(total - known) > rounding(fsum(map(abs, scores))):
            fail(f"the header states a total of {total}, the local scores sum to {known}")
        if bound is not None and bound < total - rounding(total):
            fail(f"the header states a bound of {bound}, below the total {total}")
        if bound is not None and gap is not None and abs(bound - total - gap) > rounding(total):
            fail(f"the header states a gap of {gap}, but bound minus total is {bound - total}")
    if gap is not None and gap < -rounding(total or 0.0):
        fail(f"the header states a negative gap of {gap}")
    _check_strengths(fail, extra.get(STRENGTHS), parents)
    _check_width(fail, extra.get("treewidth") or {}, parents)


def _check_strengths(fail, by_child: Sequence[Any] | None, parents: Sequence[Sequence[int]]) -> None:
    if by_child is None:
        return
    if len(by_child) != len(parents) or not all(
        isinstance(pairs, list) and len(pairs) == len(family) for pairs, family in zip(by_child, parents)
    ):
        fail("the strengths in the header are not one for each arc")
    if not all(_is_strength(pair) for pairs in by_child for pair in pairs):
        fail("a strength in the header is no pair of probabilities")


def _is_strength(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(value) in (int, float) and 0 <= value <= CERTAIN for value in pair)
    )


def _check_width(fail, certificate: Mapping[str, Any], parents: Sequence[Sequence[int]]) -> None:
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
    """Width of an elimination order, or `stated` + 1 if it is more than that; None if that takes too long."""
    if sum((len(p) + 1) ** 2 for p in parents) > MAX_FILL or len(order) * (stated + 1) ** 2 > MAX_FILL:
        return None
    neighbours = moral_neighbours(parents)
    width = 0
    for variable in order:
        later = neighbours[variable]
        width = max(width, len(later))
        if width > stated:
            return stated + 1
        for one, other in combinations(later, 2):
            neighbours[one].add(other)
            neighbours[other].add(one)
        for other in later:
            neighbours[other].discard(variable)
    return width
