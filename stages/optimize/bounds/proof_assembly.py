"""The proof of a bound, assembled from the recorded steps of a search and checked before it is returned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from formats.proof_records import CAP, ClusterCut, HalfCut, Node, Proof, Step, digest_of_sets
from formats.records import Header, ParentSetTable
from stages.evaluate.proof_checking import ProofChecker

from .cuts import HalvedSum, Origin, key_of
from .proof_steps import Prices, TreeNode

MOST_BITS = 44
"""The unit of a proof is 2**-44 at the finest: multipliers are then exact to some 1e-13 nats."""

COARSE_BITS = 20
"""Bits for multipliers where a coarse unit suffices: in most branches."""

TRIES = 20
"""Attempts: each raises the bound of the proof to the value that its nodes leave open, by some rounding errors."""


def make_proof(
    nodes: Sequence[TreeNode], table: ParentSetTable, bound: float, max_parents: int | None = None
) -> Proof:
    """The proof in the recorded tree of a search, checked; it is about the lists of `table`.

    Its bound is `bound`, the upper bound in nats found by the search, plus the loss from rounding the multipliers.
    It is about networks of at most `max_parents` parents each, of any treewidth.
    """
    steps = [node.exclusions + ([] if node.best is None else [node.best]) for node in nodes]
    tallest = max((math.fsum(prices.multipliers) for some in steps for prices in some), default=0.0)
    largest = math.fsum(np.maximum.reduceat(np.abs(table.scores), table.set_offsets[:-1]).tolist())
    largest += CAP * tallest  # no weight or demand is larger
    bits = max(0, min(MOST_BITS, 60 - math.ceil(largest + 1.0).bit_length()))
    book = _CutBook()
    number = {id(node): k for k, node in enumerate(nodes)}
    made = tuple(
        Node(number.get(id(node.above), -1), node.pair, tuple(book.step(p, bits) for p in some), node.is_solved)
        for node, some in zip(nodes, steps)
    )
    proof = Proof(
        Header(table.header.variables, table.header.score, table.header.rows, table.header.data, table.header.ess),
        digest_of_sets(table),
        bits,
        math.ceil(math.ldexp(bound, bits)),
        max_parents,
        tuple(book.cuts),
        made,
    )
    checker = ProofChecker(proof, table)
    raised = proof.bound
    for _ in range(TRIES):
        excess = checker.excess(raised)
        if excess <= 0:
            return _compact(replace(proof, bound=raised, nodes=_shortened(made, checker, raised)))
        raised += excess
    # The best multipliers alone prove some bound in any case.
    root = replace(made[0], steps=made[0].steps[-1:], is_solved=False)
    excess = max(checker.left_open((root,), proof.bound).values(), default=0)
    return replace(proof, nodes=(root,), bound=proof.bound + excess)


def _shortened(nodes: Sequence[Node], checker: ProofChecker, bound: int) -> tuple[Node, ...]:
    """Nodes of a proof of `bound`, with coarse multipliers wherever the proof holds with these."""
    shift = max(0, checker.proof.bits - COARSE_BITS)
    precise: set[int] = set()
    while True:
        made = tuple(node if k in precise else _coarse(node, shift) for k, node in enumerate(nodes))
        left_open = checker.left_open(made, bound)
        if not left_open:
            return made
        # With precise multipliers in a node and all nodes above it, the node is closed as in the search.
        for number in left_open:
            while number >= 0:
                precise.add(number)
                number = nodes[number].above


def _compact(proof: Proof) -> Proof:
    """The proof without cuts that no step uses."""
    used = {cut for node in proof.nodes for step in node.steps for cut in step.cuts}
    for number in range(len(proof.cuts) - 1, -1, -1):
        cut = proof.cuts[number]
        if number in used and isinstance(cut, HalfCut):
            used.update(cut.parts)
    place = {number: k for k, number in enumerate(sorted(used))}
    cuts = (
        replace(cut, parts=tuple(place[part] for part in cut.parts)) if isinstance(cut, HalfCut) else cut
        for number, cut in enumerate(proof.cuts)
        if number in used
    )
    nodes = (
        replace(node, steps=tuple(replace(s, cuts=tuple(place[c] for c in s.cuts)) for s in node.steps))
        for node in proof.nodes
    )
    return replace(proof, cuts=tuple(cuts), nodes=tuple(nodes))


def _coarse(node: Node, shift: int) -> Node:
    """The node with multipliers rounded to multiples of 2 to the power of `shift`."""
    half, steps = (1 << shift) >> 1, []
    for step in node.steps:
        rounded = {c: (m + half) >> shift << shift for c, m in zip(step.cuts, step.multipliers)}
        used = {c: m for c, m in rounded.items() if m}
        steps.append(replace(step, cuts=tuple(used), multipliers=tuple(used.values())))
    return replace(node, steps=tuple(steps))


class _CutBook:
    """Numbers the cuts of a proof; a halved sum comes after the cuts summed."""

    def __init__(self) -> None:
        self.cuts: list[ClusterCut | HalfCut] = []
        self._number: dict[bytes, int] = {}

    def step(self, prices: Prices, bits: int) -> Step:
        """The multipliers as whole multiples of the unit."""
        whole = {self.number(o): round(math.ldexp(m, bits)) for o, m in zip(prices.origins, prices.multipliers)}
        used = sorted(number for number, multiplier in whole.items() if multiplier)
        return Step(tuple(used), tuple(whole[number] for number in used))

    def number(self, origin: Origin) -> int:
        """The number of a cut; it is added if it is new."""
        key = key_of(origin)
        if key not in self._number:
            if isinstance(origin, HalvedSum):
                parts = sorted(self.number(part) for part in origin.parts)
                cut: ClusterCut | HalfCut = HalfCut(tuple(parts), tuple(origin.lowered.tolist()))
            else:
                cut = ClusterCut(tuple(origin[0].tolist()), origin[1])
            self._number[key] = len(self.cuts)
            self.cuts.append(cut)
        return self._number[key]
