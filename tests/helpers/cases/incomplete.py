"""Rows drawn from small networks, with holes."""

from __future__ import annotations

import numpy as np

from formats.data_records import Dataset
from formats.records import Header, NetworkRecord
from stages.inference.forward_sampling import sample_rows


def with_holes(network, n_rows=40, share=0.3, seed=0):
    """Rows of a network of which a share of the cells is hidden at random."""
    codes = np.concatenate(list(sample_rows(network, n_rows, seed)), axis=1)
    is_hidden = np.random.default_rng(seed).random(codes.shape) < share
    codes[is_hidden] = 0
    holes = is_hidden if is_hidden.any() else None
    return Dataset(network.variables, np.ascontiguousarray(codes), "", is_hidden=holes)


def structure_of(network):
    """The network without its parameters."""
    return NetworkRecord(Header(network.variables), network.parents, np.full(len(network.parents), np.nan))
