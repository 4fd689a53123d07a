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
from .adjustment import (
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
from .structures import CauseStructures


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


class _Mixture:
    """The posterior of one effect, from the components that are added: moments, and draws in proportion.

    Structures are drawn by systematic sampling, each twice with parameters of its own. So the covariance of the two
    is the variance that is due to the structure.
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
        self.drawn: list[np.ndarray] = []

    def add(self, moments: Moments, draw: Callable[[int, np.random.Generator], np.ndarray]) -> None:
        """Add the next component: its moments, and a function that draws distributions of the effect."""
        n_draws = int(self.n_draws[len(self.means)])
        self.means.append(moments.mean)
        self.variances.append(moments.variance)
        if not n_draws:
            return
        drawn = draw(n_draws, self.rng)
        if self.options.measure == "strength":
            drawn = divergences(drawn)
        elif self.options.measure == "contrast":
            drawn = contrasts_of(drawn.shape[1]) @ drawn
        self.drawn.append(drawn)

    def summary(self, cause: int, effect: int) -> PairEffects:
        """What the components amount to; in all but the last, the cause is an ancestor."""
        drawn = np.concatenate(self.drawn)
        tail = (1.0 - self.options.level) / 2
        lower, upper = np.quantile(drawn, [tail, 1.0 - tail], axis=0)
        if self.options.measure == "strength":
            mean, variance = drawn.mean(axis=0), drawn.var(axis=0)
            pairs = drawn.reshape(-1, 2) - mean
            between = np.clip(pairs.prod(axis=1).mean(), 0.0, variance)
        else:
            means, variances = np.array(self.means), np.array(self.variances)
            mean = np.tensordot(self.shares, means, 1)
            between = np.tensordot(self.shares, (means - mean) ** 2, 1)
            variance = between + np.tensordot(self.shares, variances, 1)
        share = np.divide(between, variance, out=np.full(np.shape(variance), np.nan), where=variance > 0)
        return PairEffects(
            cause, effect, min(float(self.shares[:-1].sum()), 1.0), mean, np.sqrt(variance), lower, upper, share
        )


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
    n_x, contrast = int(dataset.n_states[cause]), options.measure == "contrast"
    mixtures = {}
    for effect in effects:
        reached = shares[:, effect]
        # The last component: the cause is no ancestor, and the effect has its own distribution.
        parts = np.append(reached[reached > 0.0], max(1.0 - reached.sum(), 0.0))
        mixtures[effect] = _Mixture(parts, options, task_generator(options.seed, 6, cause, effect))
    for number, parents in enumerate(structures.parents):
        below = [effect for effect in effects if shares[number, effect] > 0.0]
        for effect, counts in zip(below, count_effects(dataset, parents, cause, below)):
            if stop.is_set():
                raise NothingFoundError("stopped before the effects were computed")
            mixtures[effect].add(
                effect_moments(counts, options.smoothing, contrast), partial(draw_effects, counts, options.smoothing)
            )
    counted = counted_rows(dataset, cause)
    for effect, mixture in mixtures.items():
        rows = np.bincount(dataset.codes[effect][counted], minlength=dataset.n_states[effect])
        mixture.add(
            unaffected_moments(rows, n_x, options.smoothing, contrast),
            partial(draw_unaffected, rows, n_x, options.smoothing),
        )
    return [mixture.summary(cause, effect) for effect, mixture in mixtures.items()]
