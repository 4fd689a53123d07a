"""The options of `bnsl.effects`."""

from __future__ import annotations

from dataclasses import dataclass

from stages.effects import MEASURES, EffectOptions

from .declared import option
from .shared import ESS_RANGE
from .values import COLUMNS, Choice, Number, Whole


@dataclass(frozen=True)
class EffectChoices:
    """What to estimate, and how."""

    cause: tuple[str, ...] | None = option(
        "Effects of these variables only: names, patterns (age*) or ranges (first..last), with commas between.",
        COLUMNS,
    )
    effect: tuple[str, ...] | None = option("Effects on these variables only.", COLUMNS)
    measure: str = option(
        "; ".join(f"{name}: {about}" for name, about in MEASURES.items()) + ".",
        Choice(tuple(MEASURES)),
        default=EffectOptions.measure,
    )
    level: float = option(
        "Posterior probability of the credible intervals.",
        Number(0, 1, is_open=True),
        "P",
        default=EffectOptions.level,
    )
    draws: int = option("Draws for the interval of each effect.", Whole(2), "N", default=EffectOptions.draws)
    smoothing: float | None = option(
        "Equivalent sample size of the uniform prior of the parameters. [default: that of the lists, or 1]",
        Number(*ESS_RANGE),
        "ROWS",
    )
