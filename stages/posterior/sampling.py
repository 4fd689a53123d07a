"""Networks sampled from the posterior by Markov chains of the moves in `stages.kernels.posterior`."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.posterior.block_moves import Walk
from stages.kernels.posterior.tempered_walks import walk_on
from stages.lists.set_lists import fixed_parents, index_members, lists_in, respect_fixed
from stages.optimize.orders.insertion_ils import OrderShaker
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from . import DEFAULT_SAMPLES, MOST_EXACT, PosteriorOptions
from .walks import walk_from, weighting_of

ROUNDS_PER_SAMPLE = 2
"""Rounds between two samples; in a round every rung makes as many moves as there are variables."""

START_PROFILES = 200
"""Profiles per variable of the search for the first network of a chain. When rungs swapped whole networks, chains
from best networks of random orders stayed hundreds of nats apart on pathfinder (1,000 rows) for 1,000 networks;
after 40 profiles one of eight did.
"""

ROUND_SECONDS = 0.15
"""Approximate time that all chains run between two progress reports."""

SLICE_WORK = 20_000_000
"""Work per call of `walk_on`; some hundredths of a second."""

MOST_KEPT_BYTES = 1 << 28
"""Memory for the samples; beyond it every second sample is dropped, and the interval between samples doubles."""


@dataclass
class _Chain:
    """The state of a chain, its generator, and its samples."""

    walk: Walk
    rng: np.random.Generator
    samples: list[np.ndarray] = field(default_factory=list)
    totals: list[np.ndarray] = field(default_factory=list)
    n_moves: int = 0


@dataclass(frozen=True)
class Samples:
    """Sampled networks of several chains of equal length."""

    # int32, shape (n_chains, n_draws, n_variables): the set of each variable, as an index into the table.
    sets: np.ndarray
    totals: np.ndarray  # float64, shape (n_chains, n_draws): scores of the networks, nats
    n_moves: int  # total number of moves of all chains

    @property
    def n_samples(self) -> int:
        return self.totals.size


def draw_samples(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> Samples:
    """Networks sampled from the posterior, without the burn-in of each chain.

    The lists must allow at least one network. Raises `StageError` if the prior cannot be sampled; `NothingFoundError`
    if the user asked to stop before each chain had a sample.
    """
    if options.prior != "dags":
        most = MOST_EXACT[options.prior]
        remedy = (
            "use --exact"
            if table.n_variables <= most
            else f"exact sums take at most {most} variables: use --prior dags"
        )
        raise StageError(f"the prior of {options.prior} is not sampled; {remedy}")
    return _Sampler(table, options, budget, reporter).run()


def _is_over(budget: Budget, has_first: bool) -> bool:
    """Whether the user asked to stop or, once each chain has a sample, time ran out."""
    return budget.interrupted or (has_first and budget.is_spent())


class _Sampler:
    """The chains of one run; they advance in rounds, so that they have the same length."""

    def __init__(self, table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter):
        self.table, self.options, self.budget, self.reporter = table, options, budget, reporter
        self.lists, self.weighting = lists_in(table), weighting_of(table, options.rungs)
        self.index = index_members(self.lists)
        self.chains = [self._begin(k) for k in range(options.chains)]
        self.rounds = ROUNDS_PER_SAMPLE
        self.there = 0
        samples = options.samples
        if samples is None and budget.seconds is None:
            samples = DEFAULT_SAMPLES
        self.wanted = None
        if samples is not None:
            # Enough draws that the requested number remains after the burn-in.
            self.wanted = math.ceil(math.ceil(samples / options.chains) / (1 - options.burn_in))

    def _begin(self, number: int) -> _Chain:
        """A chain that starts from a network found by a short search over orders from a random one."""
        rng = task_generator(self.options.seed, number)
        order = rng.permutation(self.table.n_variables).astype(np.int32)
        order = respect_fixed(order, fixed_parents(self.table))
        search = OrderShaker(self.lists, self.index, order, rng)
        search.search(self.budget, START_PROFILES * self.table.n_variables)
        return _Chain(walk_from(self.lists, self.weighting, search.chosen), rng)

    def run(self) -> Samples:
        most = max(16, MOST_KEPT_BYTES // (4 * self.table.n_variables * len(self.chains)))
        step = 1
        while (self.wanted is None or self.there < self.wanted) and not _is_over(self.budget, self.there > 0):
            step = min(step, (2 * most if self.wanted is None else self.wanted) - self.there)
            begun = self.budget.elapsed()
            self._advance_all(step)
            taken = max(self.budget.elapsed() - begun, 1e-4)
            step = max(1, min(2 * step, int(step * ROUND_SECONDS / taken)))
            if self.wanted is None and self.there >= most:
                self._thin_out()
            self._report()
        if not self.there:
            raise NothingFoundError("stopped before there was a network of each chain")
        return self._samples()

    def _advance_all(self, n_samples: int) -> None:
        """Draw up to `n_samples` samples from each chain; chains that got further are cut to a common length."""
        deque(ordered_map(partial(self._advance, n_samples), self.chains, self.options.jobs), maxlen=0)
        # Only samples are cut off: a chain that is ahead continues from its present state.
        n_common = min(len(chain.totals[-1]) for chain in self.chains)
        for chain in self.chains:
            chain.samples[-1] = chain.samples[-1][:n_common]
            chain.totals[-1] = chain.totals[-1][:n_common]
        self.there += n_common

    def _advance(self, n_samples: int, chain: _Chain) -> None:
        """Continue a chain."""
        n_variables, n_rungs = len(chain.walk.flags), len(chain.walk.chosen)
        samples = np.empty((n_samples, n_variables), dtype=np.int32)
        totals = np.empty(n_samples)
        # Moves between samples.
        moves = self.rounds * n_rungs * n_variables
        done = 0
        while done < moves * n_samples and not _is_over(self.budget, self.there > 0):
            done = walk_on(
                self.lists,
                self.weighting,
                chain.walk,
                n_variables,
                self.rounds,
                chain.rng,
                samples,
                totals,
                done,
                SLICE_WORK,
            )
        chain.samples.append(samples[: done // moves])
        chain.totals.append(totals[: done // moves])
        chain.n_moves += done

    def _thin_out(self) -> None:
        """Keep every second sample, and double the interval between samples."""
        self.rounds *= 2
        for chain in self.chains:
            chain.samples = [np.concatenate(chain.samples)[1::2]]
            chain.totals = [np.concatenate(chain.totals)[1::2]]
        self.there = len(self.chains[0].totals[0])

    def _report(self) -> None:
        best = max(float(chain.totals[-1].max(initial=-math.inf)) for chain in self.chains)
        self.reporter.progress(
            self.there * len(self.chains),
            None if self.wanted is None else self.wanted * len(self.chains),
            "networks",
            score=round(best, 2),
        )

    def _samples(self) -> Samples:
        sets = np.array([np.concatenate(chain.samples) for chain in self.chains])
        totals = np.array([np.concatenate(chain.totals) for chain in self.chains])
        first = min(int(self.options.burn_in * totals.shape[1]), totals.shape[1] - 1)
        return Samples(sets[:, first:], totals[:, first:], sum(chain.n_moves for chain in self.chains))
