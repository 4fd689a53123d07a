"""A network prepared for inference: components of hidden variables, costs of their junction trees, memory limit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from formats.data_records import MAX_STATES, Variable
from formats.errors import UnsuitableData
from formats.records import Parameters
from stages.graphs import topological_order
from stages.kernels.inference.answers import Query
from stages.kernels.inference.clique_plans import eliminate_component, measure
from stages.kernels.inference.components import Groups, component_keys, label_components
from stages.kernels.inference.kept_plans import KeptPlans, plan_costs, plan_groups
from stages.kernels.inference.network_arrays import new_network_arrays, starts
from stages.runtime.errors import StageError
from stages.runtime.memory import format_bytes, free_bytes

CELL_BYTES = 8

KEPT_PLANS = 16
"""Plans of the last questions that an engine keeps."""


class Cost(NamedTuple):
    """Cost of a query for one row."""

    hidden: int  # relevant hidden variables
    width: int  # size of the largest clique minus one; -1 if nothing is hidden
    cells: float  # cells of all cliques' tables; each is visited a few times
    memory: float  # bytes of the tables and messages of the largest component


class Engine:
    """A network with parameters and an elimination order for it.

    `elimination` is a known order, such as a treewidth certificate's, that competes with the greedy ones. `memory`
    limits a junction tree's tables, in bytes; by default it is the machine's free memory. Raises `UnsuitableData` if
    a variable has more than 256 states.
    """

    def __init__(self, network: Parameters, elimination: Sequence[int] | None = None, memory: int | None = None):
        for variable in network.variables:
            if len(variable.known_states) > MAX_STATES:
                raise UnsuitableData(f"more than {MAX_STATES} states", column=variable.name)
        self.network = network
        self.memory = free_bytes() if memory is None else memory
        self.n_variables = n = len(network.variables)
        order = topological_order(network.parents, range(n))
        self.arrays = new_network_arrays(network.parents, network.tables, order)
        self.elimination = None if elimination is None else np.array(elimination, dtype=np.int64)
        self._no_target, self._no_variable = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        self._plans: dict[bytes, tuple[KeptPlans, Cost]] = {}

    @cached_property
    def _whole(self) -> tuple[float, np.ndarray]:
        """Cells and ranks of the whole network, found at first use: small questions do not need them."""
        n = self.n_variables
        ranks, everything = np.arange(n), np.arange(n)
        if self.elimination is not None:
            ranks[self.elimination] = np.arange(n)
        query = self._query(ranks, np.zeros((n, 0), dtype=np.uint8), 0)
        eliminated = eliminate_component(self.arrays, everything, everything, query, np.full(n, -1, dtype=np.int64))
        cells = float(measure(self.arrays, everything, eliminated)[0])
        ranks = np.empty(n, dtype=np.int64)
        ranks[eliminated.order] = np.arange(n)
        return cells, ranks

    @property
    def whole_cells(self) -> float:
        """Cells of the tables without evidence: an upper bound for any query."""
        return self._whole[0]

    @property
    def ranks(self) -> np.ndarray:
        """The best order of the whole network: restricted to a component, it is tried beside the greedy ones."""
        return self._whole[1]

    def ranks_for(self, groups: Groups) -> np.ndarray:
        """The order that competes with the greedy ones in a question about one row: that of the columns if it
        concerns half of the variables at most and no order is known, so that the whole network is not ordered.
        """
        is_small = 2 * len(groups.members) <= self.n_variables
        return np.arange(self.n_variables) if is_small and self.elimination is None else self.ranks

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the network."""
        return self.network.variables

    @property
    def max_cells(self) -> float:
        """Number of cells that fit into memory."""
        return self.memory / CELL_BYTES

    def group(self, is_hidden: np.ndarray, is_wanted: np.ndarray, is_joined: np.ndarray | None = None) -> Groups:
        """Distinct components of the rows' hidden variables.

        `is_hidden` is bool, shape (n, rows). Queried variables, `is_wanted` (bool, shape (n,)), are never removed as
        barren. Variables that are `is_joined` (bool, shape (n,)) are forced into one component.
        """
        n_bytes = (self.n_variables + 7) // 8
        labels = np.empty((is_hidden.shape[1], self.n_variables), dtype=np.int32)
        if is_joined is None:
            is_joined = self._no_variable
        n_found = label_components(self.arrays, is_hidden, is_wanted, is_joined, labels)
        # A component is identified by the bits of its variables and of its families; equal components share a
        # junction tree.
        keys = np.zeros((n_found, 2 * n_bytes), dtype=np.uint8)
        rows = np.empty(n_found, dtype=np.int64)
        component_keys(self.arrays, labels, keys, rows)
        if len(labels) == 1:  # components of one row are distinct
            first = group_of = np.arange(n_found)
        else:
            packed = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
            _, first, group_of = np.unique(packed, return_index=True, return_inverse=True)
        # The bits of distinct keys as pairs (group, variable), first bits of members, then bits of families.
        parts = [
            np.nonzero(np.unpackbits(keys[first, begin : begin + n_bytes], axis=1, bitorder="little"))
            for begin in (0, n_bytes)
        ]
        n_groups = len(first)
        return Groups(
            member_start=starts(np.bincount(parts[0][0], minlength=n_groups)),
            members=parts[0][1].astype(np.int64),
            family_start=starts(np.bincount(parts[1][0], minlength=n_groups)),
            families=parts[1][1].astype(np.int64),
            row_start=starts(np.bincount(group_of, minlength=n_groups)),
            rows=rows[np.argsort(group_of, kind="stable")],
        )

    def query(self, codes: np.ndarray, groups: Groups, **fields: Any) -> Query:
        """A query to rows of `codes`, without targets or joined variables unless `fields` of `Query` give them."""
        ranks = fields.pop("ranks", None)
        if ranks is None:
            ranks = self.ranks
        return self._query(ranks, codes, len(groups.rows))._replace(**fields)

    def _query(self, ranks: np.ndarray, codes: np.ndarray, n_pairs: int) -> Query:
        """A query without targets and joined variables."""
        return Query(
            ranks=ranks,
            is_joined=self._no_variable,
            target_start=self._no_target,
            codes=codes,
            logs=np.empty(n_pairs),
        )

    def plan(self, groups: Groups, query: Query) -> tuple[KeptPlans, Cost]:
        """The plans of one row's components and their cost; the last ones are kept.

        Raises `StageError` if the tables do not fit into memory.
        """
        parts = (groups.member_start, groups.members, groups.family_start, groups.families)
        key = b"".join(part.tobytes() for part in (*parts, query.is_joined, query.target_start))
        kept = self._plans.get(key)
        if kept is None:
            failed, plans = plan_groups(self.arrays, groups, query, self.max_cells)
            if failed >= 0:
                self.refuse_too_large(self.cost(groups, self.group_costs(groups, query)))
            kept = plans, self.cost(groups, plan_costs(plans))
            self._plans = dict([*self._plans.items(), (key, kept)][-KEPT_PLANS:])
        return kept

    def cost(self, groups: Groups, costs: np.ndarray) -> Cost:
        """Cost of all components of one row, from the costs of each; see `group_costs`."""
        if not len(costs):
            return Cost(0, -1, 0.0, 0.0)
        memory = CELL_BYTES * (costs[:, 0] + costs[:, 1]).max()
        return Cost(len(groups.members), int(costs[:, 2].max()), float(costs[:, 0].sum()), float(memory))

    def group_costs(self, groups: Groups, query: Query) -> np.ndarray:
        """As `plan_costs`, without plans: tables that are too large to lay out have costs, too."""
        local, costs = np.full(self.n_variables, -1, dtype=np.int64), []
        for group in range(len(groups.row_start) - 1):
            members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
            families = groups.families[groups.family_start[group] : groups.family_start[group + 1]]
            eliminated = eliminate_component(self.arrays, members, families, query, local)
            costs.append(measure(self.arrays, members, eliminated))
        return np.array(costs, dtype=np.float64).reshape(-1, 3)

    def refuse_group(self, groups: Groups, query: Query, group: int) -> None:
        """Refuse a group whose tables do not fit into memory; no group if it is -1."""
        if group >= 0:
            cells, message_cells, width = self.group_costs(groups, query)[group]
            hidden = int(groups.member_start[group + 1] - groups.member_start[group])
            self.refuse_too_large(Cost(hidden, int(width), float(cells), float(CELL_BYTES * (cells + message_cells))))

    def refuse_too_large(self, cost: Cost) -> None:
        """Raise a `StageError` if the tables of a query do not fit into memory."""
        if cost.memory > self.memory:
            raise StageError(
                f"the tables of the junction tree take {format_bytes(cost.memory)}, "
                f"more than the {format_bytes(self.memory)} available: its width is {cost.width}, and "
                f"{cost.hidden} of {self.n_variables} variables are hidden and relevant\n"
                "  learn a network of bounded treewidth (bnsl optimize --tw K), or observe more variables; "
                "bnsl query can ask for fewer (--variables), or answer from weighted samples (--approximate N)"
            )
