"""Options of expectation maximisation, which go with ``--missing em``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..running.option_records import option_field, packed
from ..running.stage_command import refuse_given
from .parameter_types import SEED, SIZE, Count, Finite
from .shared import TABLE_MEMORY

if TYPE_CHECKING:
    from stages.incomplete.maximisation import Maximisation

FIT_ONLY = ("restarts", "iterations", "tolerance", "seed", "memory", "jobs", "stats")
"""Options of ``bnsl fit`` that need missing cells."""


@dataclass(frozen=True)
class MaximisationOptions:
    """Settings of expectation maximisation."""

    restarts: int = option_field(
        "Starts, of which the best result is kept: the first from the rows that show a family whole, further "
        "ones drawn.",
        Count(min=1),
        "N",
        default=1,
    )
    iterations: int = option_field("Most iterations of a start.", Count(min=1), "N", default=200)
    tolerance: float = option_field(
        "End once an iteration raises the log-likelihood of a row by less.", Finite(min=0), "NATS", default=1e-5
    )
    seed: int = option_field("Seed of the starts.", SEED, "N", default=0)
    memory: int | None = option_field(TABLE_MEMORY, SIZE)

    def settings(self, smoothing: float, jobs: int) -> Maximisation:
        """The settings as the stage takes them."""
        from stages.incomplete.maximisation import Maximisation

        return Maximisation(smoothing, self.restarts, self.seed, self.tolerance, self.iterations, jobs, self.memory)


maximisation_options = packed("maximisation", MaximisationOptions, section="Missing cells (--missing em)")


def refuse_without_holes(ctx: click.Context, names: Collection[str]) -> None:
    """Refuse the parameters of these names, which need ``--missing em``."""
    refuse_given(ctx, names, "goes with --missing em.")
