"""Networks sampled from the posterior by Markov chains of the moves in `stages.kernels.posterior`.

The kernels need bitmaps of the sets, the partners in blocks, and initial networks.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from formats.records import ParentSetTable
from formats.sets.listed_sets import offsets_of
from stages.kernels.bits import WORD_BITS
from stages.kernels.orders.set_lists import SetLists
from stages.kernels.posterior.block_moves import LARGEST_BLOCK, Walk, Weighting, link_family
from stages.kernels.posterior.scaled_numbers import LEAST_EXPONENT
from stages.kernels.posterior.walks import walk_on
from stages.lists.set_lists import (
    child_of_entries,
    child_of_sets,
    fixed_parents,
    index_members,
    lists_in,
    relative_scores,
    respect_fixed,
)
from stages.optimize.orders.insertion_ils import OrderShaker
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from . import DEFAULT_SAMPLES, MOST_EXACT, PosteriorOptions
from .weights import scaled_weights

ROUNDS_PER_SAMPLE = 2
"""Rounds between two samples; a round has as many moves as there are variables."""

START_PROFILES = 200
"""Profiles per variable of the search for the first network of a chain. Without it four of nine runs of 5 s stayed in
a mode on nltcs: probabilities of arcs were wrong by .23 to .25, with it by .01 to .02. On pathfinder it costs .007.
"""

ROUND_SECONDS = 0.15
"""Approximate time that all chains run between two progress reports."""

SLICE_WORK = 20_000_000
"""Work per call of `walk_on`; some hundredths of a second."""

MOST_KEPT_BYTES = 1 << 28
"""Memory for the samples; beyond it every second sample is dropped, and the interval between samples doubles."""

SIZE_SHARES = (0.05, 0.55, 0.4)
"""Probabilities of blocks of 1, 2, 3 variables. On alarm, chains of blocks of one do not converge, chains of blocks
of two do so in seconds. Blocks of three pay off for the arcs that mix worst (copies), blocks of four did not.
"""

LEAST_PARTNER = 1e-3
"""Variables are partners in blocks if sets with an arc between them have at least this share of a list's weight."""


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
        self.lists, self.weighting = lists_in(table), weighting_of(table)
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
        n_variables = len(chain.walk.flags)
        samples = np.empty((n_samples, n_variables), dtype=np.int32)
        totals = np.empty(n_samples)
        # Moves between samples.
        moves = self.rounds * n_variables
        done = 0
        while done < moves * n_samples and not _is_over(self.budget, self.there > 0):
            done = walk_on(
                self.lists, self.weighting, chain.walk, moves, chain.rng, samples, totals, done, SLICE_WORK
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


def weighting_of(table: ParentSetTable) -> Weighting:
    """What moves need of the lists of a table."""
    relative = relative_scores(table)
    weights, powers = scaled_weights(relative)
    rests = np.empty(table.n_sets)
    for start, end in itertools.pairwise(table.set_offsets.tolist()):
        # Summed from the worst set on: each entry has the weight of its set and all sets after it.
        rests[start:end] = np.logaddexp.accumulate(relative[start:end][::-1])[::-1]
    rest_powers = (np.floor(np.maximum(rests / math.log(2.0), LEAST_EXPONENT)) + 1).astype(np.int32)
    candidate_offsets, candidates, bitmap_offsets, bitmaps = _bitmaps(table)
    partner_offsets, partners, partner_shares = _partners(table, relative)
    choices = [acyclic_choices(size) for size in range(1, LARGEST_BLOCK + 1)]
    padded = [np.pad(found, ((0, 0), (0, LARGEST_BLOCK - found.shape[1]))) for found in choices]
    return Weighting(
        candidate_offsets=candidate_offsets,
        candidates=candidates,
        bitmap_offsets=bitmap_offsets,
        bitmaps=bitmaps,
        weights=weights,
        powers=powers,
        rest_powers=rest_powers,
        partner_offsets=partner_offsets,
        partners=partners,
        partner_shares=partner_shares,
        size_shares=np.cumsum(SIZE_SHARES),
        choice_offsets=offsets_of([len(found) for found in choices]),
        choices=np.concatenate(padded),
    )


def _bitmaps(table: ParentSetTable) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Candidates of each child and bitmaps of the sets that contain them, as in `Weighting`."""
    n = table.n_variables
    n_sets = np.diff(table.set_offsets)
    set_of = np.repeat(np.arange(table.n_sets), np.diff(table.parent_offsets))
    child_of = child_of_entries(table)
    pairs, place = np.unique(child_of * n + table.parents, return_inverse=True)
    candidate_offsets = np.searchsorted(pairs // n, np.arange(n + 1)).astype(np.int64)
    n_candidates = np.diff(candidate_offsets)
    n_words = -(-n_sets // WORD_BITS)
    bitmap_offsets = offsets_of(n_words * n_candidates)
    number = set_of - table.set_offsets[child_of]
    words = bitmap_offsets[child_of] + (place - candidate_offsets[child_of]) * n_words[child_of]
    bitmaps = np.zeros(bitmap_offsets[-1], dtype=np.uint64)
    bits = np.uint64(1) << (number % WORD_BITS).astype(np.uint64)
    np.bitwise_or.at(bitmaps, words + number // WORD_BITS, bits)
    return candidate_offsets, (pairs % n).astype(np.int32), bitmap_offsets, bitmaps


def _partners(table: ParentSetTable, relative: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Partners of each variable in proportion to the weight of the arcs between them in either list; acyclicity is
    ignored.
    """
    n = table.n_variables
    child_of_set = child_of_sets(table)
    weights = np.exp(relative)
    shares = weights / np.bincount(child_of_set, weights, n)[child_of_set]
    pairs = table.parents.astype(np.int64) * n + child_of_entries(table)
    # Every arc counts for both of its ends.
    either = np.concatenate((pairs, pairs % n * n + pairs // n))
    found, inverse = np.unique(either, return_inverse=True)
    strength = np.bincount(inverse, np.tile(np.repeat(shares, np.diff(table.parent_offsets)), 2), len(found))
    is_kept = strength >= LEAST_PARTNER
    found, strength = found[is_kept], strength[is_kept]
    offsets = np.searchsorted(found // n, np.arange(n + 1)).astype(np.int64)
    cumulative = np.cumsum(strength)
    before = np.concatenate(([0.0], cumulative))[offsets]
    totals = np.repeat(before[1:] - before[:-1], np.diff(offsets))
    # Within each variable's part, from 0 to 1.
    cumulative = (cumulative - np.repeat(before[:-1], np.diff(offsets))) / totals
    return offsets, (found % n).astype(np.int32), cumulative


def acyclic_choices(size: int) -> np.ndarray:
    """The acyclic choices of a class for each of `size` variables; uint8, shape (n_choices, size).

    The class of variable k has bit i if its parents meet the descendants of i.
    """
    classes = [[c for c in range(1 << size) if not c >> k & 1] for k in range(size)]
    return np.array([c for c in itertools.product(*classes) if _is_acyclic(c)], dtype=np.uint8)


def _is_acyclic(choice: tuple[int, ...]) -> bool:
    left = (1 << len(choice)) - 1
    while left:
        # Variables that descend from none of the rest are taken out; if there are none, the rest has a cycle (Kahn
        # 1962).
        free = [k for k, met in enumerate(choice) if left >> k & 1 and not met & left]
        if not free:
            return False
        left &= ~sum(1 << k for k in free)
    return True


def walk_from(lists: SetLists, weighting: Weighting, chosen: np.ndarray) -> Walk:
    """A chain at a network."""
    n = len(lists.set_offsets) - 1
    pairs = np.unique(lists.parents.astype(np.int64) * n + child_of_entries(lists))
    longest = int(np.diff(lists.set_offsets).max())
    walk = Walk(
        chosen=chosen.astype(np.int64),
        child_offsets=np.searchsorted(pairs // n, np.arange(n + 1)).astype(np.int64),
        children=np.zeros(len(pairs), dtype=np.int32),
        n_children=np.zeros(n, dtype=np.int32),
        block=np.zeros(LARGEST_BLOCK, dtype=np.int32),
        flags=np.zeros(n, dtype=np.uint8),
        stack=np.zeros(LARGEST_BLOCK * n, dtype=np.int32),
        meeting=np.zeros(n, dtype=np.int32),
        met=np.zeros((LARGEST_BLOCK, LARGEST_BLOCK, -(-longest // WORD_BITS)), dtype=np.uint64),
        words=np.zeros(LARGEST_BLOCK, dtype=np.int64),
        sums=np.zeros((LARGEST_BLOCK, 1 << LARGEST_BLOCK)),
        powers=np.zeros((LARGEST_BLOCK, 1 << LARGEST_BLOCK), dtype=np.int64),
        reached=np.zeros(int(np.diff(weighting.choice_offsets).max())),
    )
    for variable in range(n):
        link_family(lists, walk, variable)
    return walk
