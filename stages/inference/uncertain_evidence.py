"""Uncertain evidence: likelihoods of an observation (virtual evidence), and Jeffrey's rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from formats.data_records import Variable
from formats.errors import Inconsistent

from .junction_trees import Engine
from .queries import Evidence, marginals


def with_likelihoods(
    engine: Engine, evidence: Evidence, likelihoods: Mapping[int, np.ndarray]
) -> tuple[Engine, Evidence]:
    """The engine and the evidence with uncertain observations of some variables (Pearl 1988).

    `likelihoods`, float64, one for each state: probabilities of what was seen given the states, up to a factor. Each
    becomes an observed child of its variable. Log-probabilities count the likelihoods as they are given.
    """
    model, n = engine.network, engine.n_variables
    variables, tables, scale = [], [], engine.log_scale
    for variable, likelihood in likelihoods.items():
        largest = float(likelihood.max())
        seen = likelihood / largest
        scale += math.log(largest)
        variables.append(Variable(f"likelihood of {model.variables[variable].name}", ("as given", "other")))
        tables.append(np.stack([seen, 1.0 - seen], axis=1))
    extended = replace(
        model,
        variables=(*model.variables, *variables),
        parents=(*model.parents, *((variable,) for variable in likelihoods)),
        tables=(*model.tables, *tables),
        header=None,
        scores=None,
    )
    added = range(n, n + len(variables))
    order = [*added, *np.argsort(engine.ranks).tolist()]
    n_virtual = engine.n_virtual + len(variables)
    return Engine(extended, order, engine.memory, n_virtual, scale, engine.given), {
        **evidence,
        **dict.fromkeys(added, 0),
    }


def jeffrey_likelihood(engine: Engine, evidence: Evidence, variable: int, posterior: np.ndarray) -> np.ndarray:
    """The likelihood under which a variable has a given distribution after the evidence (Jeffrey 1965).

    Log-probabilities then are those of the other evidence. Raises `Inconsistent`: a state of probability zero is to
    have a positive one.
    """
    (now,) = marginals(engine, evidence, [variable]).found
    for state, (before, after) in enumerate(zip(now, posterior)):
        if before == 0.0 < after:
            of = engine.network.variables[variable]
            raise Inconsistent(
                f"state {of.known_states[state]!r} has probability zero and cannot get {after:g}", column=of.name
            )
    return np.divide(posterior, now, out=np.zeros(len(now)), where=now > 0)
