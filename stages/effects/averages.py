"""Effects averaged over structures: mixtures of posteriors given the parents of the cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from stages.runtime.budgets import StopSignal
from stages.runtime.errors import NothingFoundError
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from . import EffectOptions
from .cause_structures import CauseStructures
from .parent_adjustment import (
    Moments,
    contrasts_of,
    count_effects,
    counted_rows,
    divergences,
    draw_effects,
    draw_unaffected,
    effect_moments,
    unaffected_moments,
)


class PairEffects(NamedTuple):
    """The measure for a cause and an effect: arrays of shape (states of the cause, states of the effect); of no
    dimension for the strength.
    """

    cause: int
    effect: int
    ancestor: float  # probability that the cause is an ancestor of the effect
    value: np.ndarray  # posterior mean
    deviation: np.ndarray  # posterior standard deviation
    lower: np.ndarray
    upper: np.ndarray
    # Share of the variance that is due to the structure, the rest is due to the parameters; NaN without variance.
    structure_share: np.ndarray


ROUNDING = 1e-12
"""Shares of structures up to this are what sums of probabilities are off by; they count as 0."""


class _Mixture:
    """The posterior of one effect, from the components that are added: moments, and draws in proportion.

    Structures are drawn by systematic sampling, an even number of times each. The moments of a strength are known
    from draws alone: where systematic sampling leaves out a structure, it is drawn twice, for its moments only.
    """

    def __init__(self, shares: np.ndarray, options: EffectOptions, rng: np.random.Generator):
        n_pairs = -(-options.draws // 2)
        positions = (np.arange(n_pairs) + rng.random()) / n_pairs
        ends = shares.cumsum() / shares.sum()
        ends[-1] = 1.0
        self.n_draws = 2 * np.bincount(np.searchsorted(ends, positions), minlength=len(shares))
        self.rng, self.options = rng, options
        self.shares = shares / shares.sum()
        self.means: list[np.ndarray] = []
        self.variances: list[np.ndarray] = []
        self.errors: list[np.ndarray] = []  # variances of the means that are estimates
        self.drawn: list[np.ndarray] = []

    def add(self, moments: Callable[[bool], Moments], draw: Callable[[int, np.random.Generator], np.ndarray]) -> None:
        """Add the next component: its moments (true: those of contrasts), and draws of the effect's distributions."""
        n_draws, measure = int(self.n_draws[len(self.means)]), self.options.measure
        if measure == "strength":
            drawn = measured(draw(max(n_draws, 2), self.rng), measure)
            mean, variance = drawn.mean(axis=0), drawn.var(axis=0, ddof=1)
            error = variance / len(drawn)
        else:
            drawn = measured(draw(n_draws, self.rng), measure)
            mean, variance = moments(measure == "contrast")
            error = np.zeros_like(mean)
        self.means.append(mean)
        self.variances.append(variance)
        self.errors.append(error)
        self.drawn.append(drawn[:n_draws])

    def summary(self, cause: int, effect: int) -> PairEffects:
        """What the components amount to; in all but the last, the cause is an ancestor.

        The variance is that between the components' means plus the mean of those within (law of total variance). With
        shares w, means that are off by independent errors of variance e add w (1 - w) e to the first, which is taken
        off.
        """
        tail = (1.0 - self.options.level) / 2
        lower, upper = np.quantile(np.concatenate(self.drawn), [tail, 1.0 - tail], axis=0)
        shares, means = self.shares, np.array(self.means)
        mean = np.tensordot(shares, means, 1)
        by_errors = np.tensordot(shares * (1.0 - shares), np.array(self.errors), 1)
        between = np.maximum(np.tensordot(shares, (means - mean) ** 2, 1) - by_errors, 0.0)
        variance = between + np.tensordot(shares, np.array(self.variances), 1)
        share = np.divide(between, variance, out=np.full(np.shape(variance), np.nan), where=variance > 0)
        ancestor = min(float(shares[:-1].sum()), 1.0)
        return PairEffects(cause, effect, ancestor, mean, np.sqrt(variance), lower, upper, share)


def measured(drawn: np.ndarray, measure: str) -> np.ndarray:
    """The measure of each draw of distributions; exactly 0 for a difference between equal distributions."""
    if measure == "probability":
        return drawn
    found = divergences(drawn) if measure == "strength" else contrasts_of(drawn.shape[1]) @ drawn
    found[(drawn == drawn[:, :1]).all(axis=(1, 2))] = 0.0
    return found


def average_effects(
    dataset: Dataset,
    structures: Iterable[tuple[int, CauseStructures]],
    effects: Sequence[int],
    options: EffectOptions,
    stop: StopSignal,
    reporter: Reporter,
) -> Iterator[list[PairEffects]]:
    """The effects of each cause, given with its structures, on each of the other variables in `effects`.

    Raises `NothingFoundError` if the user asked to stop.
    """

    def of_cause(task: tuple[int, CauseStructures]) -> list[PairEffects]:
        cause, found = task
        return _effects_of(dataset, cause, [effect for effect in effects if effect != cause], found, options, stop)

    for number, found in enumerate(ordered_map(of_cause, structures, options.jobs)):
        reporter.progress(number + 1, None, "causes")
        yield found


def _effects_of(
    dataset: Dataset,
    cause: int,
    effects: Sequence[int],
    structures: CauseStructures,
    options: EffectOptions,
    stop: StopSignal,
) -> list[PairEffects]:
    shares = structures.shares / structures.shares[:, cause].sum()
    shares[shares <= ROUNDING] = 0.0
    n_x = int(dataset.n_states[cause])
    mixtures = {}
    for effect in effects:
        reached = shares[:, effect]
        # The last component: the cause is no ancestor, and the effect has its own distribution.
        rest = 1.0 - reached.sum()
        parts = np.append(reached[reached > 0.0], rest if rest > ROUNDING else 0.0)
        mixtures[effect] = _Mixture(parts, options, task_generator(options.seed, 6, cause, effect))
    for number, parents in enumerate(structures.parents):
        below = [effect for effect in effects if shares[number, effect] > 0.0]
        for effect, counts in zip(below, count_effects(dataset, parents, cause, below)):
            if stop.is_set():
                raise NothingFoundError("stopped before the effects were computed")
            mixtures[effect].add(
                partial(effect_moments, counts, options.smoothing), partial(draw_effects, counts, options.smoothing)
            )
    counted = counted_rows(dataset, cause)
    for effect, mixture in mixtures.items():
        rows = np.bincount(dataset.codes[effect][counted], minlength=dataset.n_states[effect])
        mixture.add(
            partial(unaffected_moments, rows, n_x, options.smoothing),
            partial(draw_unaffected, rows, n_x, options.smoothing),
        )
    return [mixture.summary(cause, effect) for effect, mixture in mixtures.items()]
