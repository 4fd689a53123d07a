"""A network made ready for inference: components of hidden variables, what they cost, and the limit on memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.data_records import MAX_STATES
from formats.errors import UnsuitableData
from formats.graph_records import BayesianNetwork
from stages.graphs import topological_order
from stages.parentsets.memory import format_bytes, free_bytes
from stages.runtime.errors import StageError

if TYPE_CHECKING:
    from stages.kernels.inference.answers import Asked, Groups

CELL_BYTES = 8


class Cost(NamedTuple):
    """What it takes to answer for one row.

    Attributes
    ----------
    hidden : int
        Variables that matter and are not observed.
    width : int
        Variables of the largest clique less one; -1 if nothing is hidden.
    cells : float
        Cells of the tables of all cliques; each is visited a few times.
    memory : float
        Bytes of the tables and messages of the largest component.
    """

    hidden: int
    width: int
    cells: float
    memory: float


class Engine:
    """A network with parameters, and an order of elimination for the whole of it.

    Parameters
    ----------
    network : BayesianNetwork
    elimination : sequence of int, optional
        An order that is known, such as a certificate's; others are tried besides.
    memory : int, optional
        Bytes that the tables of a junction tree may take; what the machine has free if not given.

    Attributes
    ----------
    whole_cells : float
        Cells of the tables if nothing is observed: never more are needed.

    Raises
    ------
    UnsuitableData
        A variable has more than 256 states.
    """

    def __init__(
        self, network: BayesianNetwork, elimination: Sequence[int] | None = None, memory: int | None = None
    ):
        from stages.kernels.inference.network_arrays import new_network_arrays

        for variable in network.variables:
            if len(variable.known_states) > MAX_STATES:
                raise UnsuitableData(f"more than {MAX_STATES} states", column=variable.name)
        self.network = network
        self.memory = free_bytes() if memory is None else memory
        self.n_variables = len(network.variables)
        order = topological_order(network.parents, range(self.n_variables))
        self.arrays = new_network_arrays(network.parents, network.tables, order)
        self.ranks = np.arange(self.n_variables)
        if elimination is not None:
            self.ranks[np.array(elimination, dtype=np.int64)] = np.arange(self.n_variables)
        self._keep_best_order()

    def _keep_best_order(self) -> None:
        """The best order for the whole network is one that is tried for its components."""
        from stages.kernels.inference.clique_plans import measure, order_component

        everything = np.arange(self.n_variables)
        no_variable = np.zeros(self.n_variables, dtype=np.bool_)
        local = np.full(self.n_variables, -1, dtype=np.int64)
        order, later, heirs = order_component(
            self.arrays, everything, everything, self.ranks, no_variable, local
        )
        self.whole_cells = float(measure(self.arrays, everything, order, later, heirs)[0])
        self.ranks[order] = np.arange(self.n_variables)

    @property
    def most_cells(self) -> float:
        """Numbers that may be held at a time."""
        return self.memory / CELL_BYTES

    def group(
        self, is_hidden: np.ndarray, is_wanted: np.ndarray, is_joined: np.ndarray | None = None
    ) -> Groups:
        """The components of rows, each with the rows that have it.

        Parameters
        ----------
        is_hidden : ndarray of bool, shape (n, rows)
        is_wanted : ndarray of bool, shape (n,)
            Variables that are asked for: never left out as barren.
        is_joined : ndarray of bool, shape (n,), optional
            Variables to be kept in one component.
        """
        from stages.kernels.inference.answers import Groups
        from stages.kernels.inference.components import component_keys, label_components

        n_bytes = (self.n_variables + 7) // 8
        labels = np.empty((is_hidden.shape[1], self.n_variables), dtype=np.int32)
        if is_joined is None:
            is_joined = np.zeros(self.n_variables, dtype=np.bool_)
        n_found = label_components(self.arrays, is_hidden, is_wanted, is_joined, labels)
        keys = np.zeros((n_found, 2 * n_bytes), dtype=np.uint8)
        rows = np.empty(n_found, dtype=np.int64)
        component_keys(self.arrays, labels, keys, rows)
        whole = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
        _, first, group_of = np.unique(whole, return_index=True, return_inverse=True)
        parts = [
            np.nonzero(np.unpackbits(keys[first, begin : begin + n_bytes], axis=1, bitorder="little"))
            for begin in (0, n_bytes)
        ]
        n_groups = len(first)
        return Groups(
            member_start=_starts(np.bincount(parts[0][0], minlength=n_groups)),
            members=parts[0][1].astype(np.int64),
            family_start=_starts(np.bincount(parts[1][0], minlength=n_groups)),
            families=parts[1][1].astype(np.int64),
            row_start=_starts(np.bincount(group_of, minlength=n_groups)),
            rows=rows[np.argsort(group_of, kind="stable")],
        )

    def cost(self, groups: Groups, asked: Asked) -> Cost:
        """What the components of one row take together."""
        from stages.kernels.inference.answers import group_costs

        costs = group_costs(self.arrays, groups, asked)
        if not len(costs):
            return Cost(0, -1, 0.0, 0.0)
        memory = CELL_BYTES * (costs[:, 0] + costs[:, 1]).max()
        return Cost(len(groups.members), int(costs[:, 2].max()), float(costs[:, 0].sum()), float(memory))

    def refuse_too_large(self, cost: Cost) -> None:
        """Refuse what does not fit into memory.

        Raises
        ------
        StageError
        """
        if cost.memory > self.memory:
            raise StageError(
                f"the tables of the junction tree take {format_bytes(cost.memory)}, "
                f"more than the {format_bytes(self.memory)} there are: width {cost.width}, "
                f"{cost.hidden} of {self.n_variables} variables neither observed nor left out\n"
                "  learn a network of bounded treewidth (bnsl optimize --tw K), or observe more variables; "
                "bnsl query can ask for fewer (--variables), or answer from weighted samples (--approximate N)"
            )


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
