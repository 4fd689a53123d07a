"""Markov networks prepared for inference: each factor becomes an observation of its variables (Pearl 1988).

The variables become independent and uniform. A factor becomes a child of its variables that is observed and has one
state, whose probability is the factor divided by its largest number. The logarithms of these numbers and of the
variables' numbers of states add up to `log_scale` of `Engine`. So the log-probability of evidence is the logarithm of
the partition function: of the sum, over all states that agree with the evidence, of the product of all factors.
"""

from __future__ import annotations

import math

import numpy as np

from formats.data_records import Variable
from formats.graph_records import BayesianNetwork, MarkovNetwork

from .junction_trees import Engine


def markov_engine(network: MarkovNetwork, memory: int | None = None) -> Engine:
    """The engine of a Markov network, for the same questions; `Engine.given` holds the factors."""
    n = len(network.variables)
    sizes = [len(variable.known_states) for variable in network.variables]
    scale = math.fsum(math.log(size) for size in sizes)
    tables = [np.full(size, 1.0 / size) for size in sizes]
    for table in network.tables:
        largest = float(table.max())
        # A factor of zeros stays as it is: nothing is possible.
        scale += math.log(largest) if largest > 0.0 else 0.0
        tables.append((table / largest if largest > 0.0 else table)[..., None])
    factors = tuple(Variable(f"factor {index}", ("as given",)) for index in range(len(network.scopes)))
    uniform = BayesianNetwork(
        variables=network.variables + factors, parents=((),) * n + network.scopes, tables=tuple(tables)
    )
    given = dict.fromkeys(range(n, n + len(factors)), 0)
    return Engine(uniform, None, memory, len(factors), scale, given)
