"""Learning from rows with holes, by expectation maximisation with exact inference.

parameter_em   parameters
structural_em  structures: impute, search, fit parameters, repeat
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StructuralEM:
    """Settings of structural expectation maximisation."""

    # ``best``: the most probable joint state of a row's holes; ``drawn``: a draw given its other cells.
    imputation: str = "best"
    rounds: int = 20  # limit
    seed: int = 0  # of the draws
    jobs: int = 1  # threads of the inference
