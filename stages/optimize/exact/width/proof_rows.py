"""Rows of the relaxation as a proof writes them (`formats.proof_records`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.proof_records import WidthRow

from ...bounds.cuts import Origin
from ...bounds.proof_steps import Prices
from .cliques import FamilyCliques
from .rows import RowPool


class WrittenRows:
    """The rows of a pool, each converted once."""

    def __init__(self, cliques: FamilyCliques, pool: RowPool):
        self._cliques, self._pool = cliques, pool
        self._origins: list[Origin | WidthRow] = []

    def prices(self, multipliers: np.ndarray, is_ray: bool = False) -> Prices:
        """Multipliers of the rows (float64, shape (n_rows,)) as positive ones; equations may be reversed."""
        keys = list(self._pool.keys)
        self._origins += [written_row(self._cliques, key) for key in keys[len(self._origins) :]]
        used = np.flatnonzero(np.where(self._pool.are_equations, multipliers, np.maximum(multipliers, 0.0)))
        origins, kept = [], multipliers[used].tolist()
        for row, multiplier in zip(used.tolist(), kept):
            origin = self._origins[row]
            origins.append(
                replace(origin, reversed=True) if isinstance(origin, WidthRow) and multiplier < 0.0 else origin
            )
        return Prices(tuple(origins), tuple(map(abs, kept)), is_ray)


def written_row(cliques: FamilyCliques, key: tuple) -> Origin | WidthRow:
    """The cut or row of a proof that says the same as the row of this key (``key`` of `Row`)."""
    kind, *rest = key
    if kind == "cluster":
        return np.array(rest, dtype=np.int32), 1
    if kind in ("arc", "sink", "star"):
        members = _members(cliques, rest[0])
        return WidthRow("joined", members, within=members)
    if kind in ("edge", "triangle"):
        return WidthRow("part", _members(cliques, rest[1]), within=_members(cliques, rest[0]))
    if kind == "edges" and rest:
        return WidthRow("link", (), among=tuple(rest), roots=tuple(rest[: cliques.treewidth]))
    if kind in ("edges", "degree", "quad degree"):
        return WidthRow("degree", tuple(rest))
    if kind in ("triangles", "quads"):
        return WidthRow("extended", tuple(rest))
    if kind == "link":
        v, *rest = rest
        end = rest.index(-1)
        return WidthRow("link", (v,), among=tuple(rest[end + 1 :]), roots=tuple(rest[:end]))
    if kind == "chord":
        return WidthRow("chord", tuple(rest))
    raise ValueError(f"no row of kind {kind!r} in proofs")


def _members(cliques: FamilyCliques, column: int) -> tuple[int, ...]:
    """The variables of a column of pairs or larger cliques, ascending."""
    for first, members in (
        (cliques.first_quad, cliques.quads),
        (cliques.first_triple, cliques.triples),
        (cliques.first_pair, cliques.pairs),
    ):
        if column >= first:
            return tuple(members[column - first].tolist())
    raise ValueError(f"column {column} is a set")
