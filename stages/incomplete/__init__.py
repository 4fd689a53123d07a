"""Learning from rows with holes, by expectation maximisation with exact inference.

maximisation  parameters
structural    structures: impute, search, fit parameters, repeat
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StructuralEM:
    """Settings of structural expectation maximisation.

    Attributes
    ----------
    imputation : str
        ``best``: the most probable joint state of a row's holes; ``drawn``: a draw given its other cells.
    rounds : int
        Limit.
    seed : int
        Of the draws.
    jobs : int
        Threads of the inference.
    """

    imputation: str = "best"
    rounds: int = 20
    seed: int = 0
    jobs: int = 1
