"""Options of expectation maximisation, which go with ``--missing em``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .options import seed_option, table_memory_option
from .parameter_types import Count, Finite
from .stage_command import given_parameters, option, packed

if TYPE_CHECKING:
    from stages.incomplete.maximisation import Maximisation

SECTION = "Missing cells (--missing em)"
FIT_ONLY = ("restarts", "iterations", "tolerance", "seed", "memory", "jobs", "stats")
"""Options of ``bnsl fit`` that mean nothing where every cell is known."""


@dataclass(frozen=True)
class MaximisationOptions:
    """How expectation maximisation is run."""

    restarts: int
    seed: int
    tolerance: float
    iterations: int
    memory: int | None

    def settings(self, smoothing: float, jobs: int) -> Maximisation:
        """The same as the stage calls them."""
        from stages.incomplete.maximisation import Maximisation

        return Maximisation(
            smoothing, self.restarts, self.seed, self.tolerance, self.iterations, jobs, self.memory
        )


maximisation_options = packed(
    "maximisation",
    MaximisationOptions,
    option(
        "--restarts",
        type=Count(min=1),
        default=1,
        show_default=True,
        metavar="N",
        section=SECTION,
        help="Starts, of which the best result is kept: the first from the rows that show a family whole, further "
        "ones drawn.",
    ),
    option(
        "--iterations",
        type=Count(min=1),
        default=200,
        show_default=True,
        metavar="N",
        section=SECTION,
        help="Most iterations of a start.",
    ),
    option(
        "--tolerance",
        type=Finite(min=0),
        default=1e-5,
        show_default=True,
        metavar="NATS",
        section=SECTION,
        help="End once an iteration raises the log-likelihood of a row by less.",
    ),
    seed_option("Seed of the starts.", section=SECTION, default=0, show_default=True),
    table_memory_option(SECTION),
)


def refuse_without_holes(ctx: click.Context, names: Collection[str]) -> None:
    """Refuse these parameters, which mean nothing without ``--missing em``.

    Raises
    ------
    click.UsageError
    """
    given = [p for p in given_parameters(ctx) if p.name in names]
    if given:
        raise click.UsageError(f"{given[0].opts[-1]} goes with --missing em.")
