"""Probabilities of arcs from networks met by Markov chains: `stages.kernels.posterior.block_moves` has the moves."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from stages.optimize.lists.set_lists import fixed_parents, respect_fixed
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.seeding import task_generator
from stages.runtime.workers import ordered_map

from . import DEFAULT_SAMPLES, MOST_EXACT, PosteriorOptions
from .diagnostics import effective_size, rank_rhat, split_rhat, standard_errors
from .weights import relative_scores, scaled_weights

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.posterior.block_moves import Walk, WeightedLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

MOVES_PER_VARIABLE = 4
"""Moves between two networks that are kept, for every variable."""

SIZE_SHARES = (0.2, 0.6, 0.15, 0.05)
"""How often blocks have 1, 2, 3, 4 variables. Chains of blocks of one do not meet on alarm; those of two do in
seconds."""

LEAST_PARTNER = 1e-3
"""Variables are partners in blocks if an arc between them has at least this share of the weight of a list."""

ROUND_SECONDS = 0.15
"""All chains work for about so long between two looks at the clock."""

MOST_KEPT_BYTES = 1 << 28
"""Memory for the networks kept; beyond, every second one goes, and half as many are kept from there on."""

RHAT_LIMIT = 1.05
"""Chains with a larger R-hat disagree; 1.01 (Vehtari et al. 2021) is asked of chains that are to give digits."""

LIKELY_SHARE = 0.05
"""Arcs that are less probable than this, or more than 1 less this, do not count in the largest R-hat."""


@dataclass
class _Chain:
    """A walk, its randomness, and the networks met."""

    walk: Walk
    rng: np.random.Generator
    samples: list[np.ndarray] = field(default_factory=list)
    totals: list[np.ndarray] = field(default_factory=list)


@dataclass(frozen=True)
class Samples:
    """Networks of several chains, as long ones.

    Attributes
    ----------
    sets : ndarray of int32, shape (n_chains, n_draws, n_variables)
        The set of each variable, as an index into the table.
    totals : ndarray of float64, shape (n_chains, n_draws)
        Scores of the networks, nats.
    n_moves : int
        Moves that all chains made together.
    """

    sets: np.ndarray
    totals: np.ndarray
    n_moves: int

    @property
    def n_samples(self) -> int:
        return self.totals.size


def draw_samples(
    table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> Samples:
    """Networks from the posterior, those at the beginning of each chain left out.

    Parameters
    ----------
    table : ParentSetTable
        From whose sets there is a network.
    options : PosteriorOptions
    budget : Budget
    reporter : Reporter

    Raises
    ------
    StageError
        The prior is one that is not sampled.
    NothingFoundError
        The user asked to stop before there was a network of each chain.
    """
    if options.prior != "dags":
        raise StageError(
            f"the prior of {options.prior} is not sampled, and exact sums take at most "
            f"{MOST_EXACT[options.prior]} variables: use --prior dags"
        )
    return _Sampler(table, options, budget, reporter).run()


class _Sampler:
    """The chains of one run; all go on for a while in turn, so that they are equally long."""

    def __init__(self, table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter):
        self.table, self.options, self.budget, self.reporter = table, options, budget, reporter
        self.lists = weighted_lists(table)
        self.chains = [self._begin(k) for k in range(options.chains)]
        self.moves = MOVES_PER_VARIABLE * table.n_variables
        self.n_moves = 0
        samples = options.samples
        if samples is None and budget.seconds is None:
            samples = DEFAULT_SAMPLES
        self.wanted = None
        if samples is not None:
            self.wanted = math.ceil(math.ceil(samples / options.chains) / (1 - options.burn_in))

    def _begin(self, number: int) -> _Chain:
        """At the best network along a random order."""
        rng = task_generator(self.options.seed, number)
        order = rng.permutation(self.table.n_variables).astype(np.int32)
        order = respect_fixed(order, fixed_parents(self.table))
        return _Chain(_walk_from(self.table, self.lists, best_along(self.table, order)), rng)

    def run(self) -> Samples:
        most = max(16, MOST_KEPT_BYTES // (4 * self.table.n_variables * len(self.chains)))
        there, step = 0, 1
        while (self.wanted is None or there < self.wanted) and not (there and self.budget.is_spent()):
            step = min(step, (2 * most if self.wanted is None else self.wanted) - there)
            begun = self.budget.elapsed()
            tasks = [(chain, step) for chain in self.chains]
            for _ in ordered_map(self._advance, tasks, self.options.jobs):
                pass
            there += step
            self.n_moves += step * self.moves * len(self.chains)
            taken = max(self.budget.elapsed() - begun, 1e-4)
            step = max(1, min(2 * step, int(step * ROUND_SECONDS / taken)))
            if self.wanted is None and there >= most:
                there = self._thin_out()
            self._tell(there)
            if self.budget.interrupted and there < 2:
                raise NothingFoundError("stopped before there was a sample of networks")
        return self._samples()

    def _advance(self, task: tuple[_Chain, int]) -> None:
        from stages.kernels.posterior.block_moves import walk_on

        chain, n_samples = task
        samples = np.empty((n_samples, self.table.n_variables), dtype=np.int32)
        totals = np.empty(n_samples)
        walk_on(self.lists, chain.walk, self.moves, chain.rng, samples, totals)
        chain.samples.append(samples)
        chain.totals.append(totals)

    def _thin_out(self) -> int:
        """Keep every second network, and from now on half as many; how many each chain has then."""
        self.moves *= 2
        for chain in self.chains:
            chain.samples = [np.concatenate(chain.samples)[1::2]]
            chain.totals = [np.concatenate(chain.totals)[1::2]]
        return len(self.chains[0].totals[0])

    def _tell(self, there: int) -> None:
        best = max(float(chain.totals[-1][-1]) for chain in self.chains)
        self.reporter.progress(
            there * len(self.chains),
            None if self.wanted is None else self.wanted * len(self.chains),
            "networks",
            score=round(best, 2),
        )

    def _samples(self) -> Samples:
        sets = np.array([np.concatenate(chain.samples) for chain in self.chains])
        totals = np.array([np.concatenate(chain.totals) for chain in self.chains])
        first = min(int(self.options.burn_in * totals.shape[1]), totals.shape[1] - 1)
        return Samples(sets[:, first:], totals[:, first:], self.n_moves)


def best_along(table: ParentSetTable, order: np.ndarray) -> np.ndarray:
    """The best set of every variable among those before it in an order; int64 indices of sets."""
    chosen = np.zeros(table.n_variables, dtype=np.int64)
    is_before = np.zeros(table.n_variables, dtype=np.bool_)
    for variable in order.tolist():
        for s in range(int(table.set_offsets[variable]), int(table.set_offsets[variable + 1])):
            if is_before[table.parents[table.parent_offsets[s] : table.parent_offsets[s + 1]]].all():
                chosen[variable] = s
                break
        is_before[variable] = True
    return chosen


def weighted_lists(table: ParentSetTable) -> WeightedLists:
    """The lists as the kernels of moves take them."""
    from stages.kernels.posterior.block_moves import LARGEST_BLOCK, WeightedLists
    from stages.kernels.posterior.scaled import LEAST_EXPONENT

    relative = relative_scores(table)
    weights, powers = scaled_weights(relative)
    rests = np.empty(table.n_sets)
    for start, end in itertools.pairwise(table.set_offsets.tolist()):
        rests[start:end] = np.logaddexp.accumulate(relative[start:end][::-1])[::-1]
    rest_powers = np.floor(np.maximum(rests / math.log(2.0), LEAST_EXPONENT)).astype(np.int32) + 1
    partner_offsets, partners, partner_shares = _partners(table, relative)
    choices = [acyclic_choices(size) for size in range(1, LARGEST_BLOCK + 1)]
    padded = [np.pad(found, ((0, 0), (0, LARGEST_BLOCK - found.shape[1]))) for found in choices]
    return WeightedLists(
        set_offsets=table.set_offsets,
        parent_offsets=table.parent_offsets,
        parents=table.parents,
        weights=weights,
        powers=powers,
        rest_powers=rest_powers,
        scores=table.scores,
        partner_offsets=partner_offsets,
        partners=partners,
        partner_shares=partner_shares,
        size_shares=np.cumsum(SIZE_SHARES),
        choice_offsets=np.concatenate(([0], np.cumsum([len(found) for found in choices]))),
        choices=np.concatenate(padded),
    )


def _partners(table: ParentSetTable, relative: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who joins whose blocks: those whose arcs weigh most in either one's list, acyclicity apart."""
    n = table.n_variables
    child_of_set = np.repeat(np.arange(n), np.diff(table.set_offsets))
    weights = np.exp(relative)
    shares = weights / np.bincount(child_of_set, weights, n)[child_of_set]
    sizes = np.diff(table.parent_offsets)
    pairs = table.parents.astype(np.int64) * n + np.repeat(child_of_set, sizes)
    either = np.concatenate((pairs, pairs % n * n + pairs // n))
    found, inverse = np.unique(either, return_inverse=True)
    strength = np.bincount(inverse, np.tile(np.repeat(shares, sizes), 2), len(found))
    is_kept = strength >= LEAST_PARTNER
    found, strength = found[is_kept], strength[is_kept]
    offsets = np.searchsorted(found // n, np.arange(n + 1)).astype(np.int64)
    cumulative = np.cumsum(strength)
    before = np.concatenate(([0.0], cumulative))[offsets]
    totals = np.repeat(before[1:] - before[:-1], np.diff(offsets))
    cumulative = (cumulative - np.repeat(before[:-1], np.diff(offsets))) / totals
    return offsets, (found % n).astype(np.int32), cumulative


def acyclic_choices(size: int) -> np.ndarray:
    """Choices of a class for each of some variables that close no cycle; uint8, shape (n_choices, size).

    The class of variable k has bit i where its parents meet the descendants of i.
    """
    classes = [[c for c in range(1 << size) if not c >> k & 1] for k in range(size)]
    return np.array([c for c in itertools.product(*classes) if _is_acyclic(c)], dtype=np.uint8)


def _is_acyclic(choice: tuple[int, ...]) -> bool:
    left = (1 << len(choice)) - 1
    while left:
        free = [k for k, met in enumerate(choice) if left >> k & 1 and not met & left]
        if not free:
            return False
        left &= ~sum(1 << k for k in free)
    return True


def _walk_from(table: ParentSetTable, lists: WeightedLists, chosen: np.ndarray) -> Walk:
    """A walk that stands at a network."""
    from stages.kernels.posterior.block_moves import LARGEST_BLOCK, Walk, link_family

    n = table.n_variables
    child_of_set = np.repeat(np.arange(n), np.diff(table.set_offsets))
    pairs = np.unique(
        table.parents.astype(np.int64) * n + np.repeat(child_of_set, np.diff(table.parent_offsets))
    )
    walk = Walk(
        chosen=chosen,
        child_offsets=np.searchsorted(pairs // n, np.arange(n + 1)).astype(np.int64),
        children=np.zeros(len(pairs), dtype=np.int32),
        n_children=np.zeros(n, dtype=np.int32),
        flags=np.zeros(n, dtype=np.uint8),
        stack=np.zeros(LARGEST_BLOCK * n, dtype=np.int32),
        classes=np.zeros((LARGEST_BLOCK, int(np.diff(table.set_offsets).max())), dtype=np.uint8),
        sums=np.zeros((LARGEST_BLOCK, 1 << LARGEST_BLOCK)),
        powers=np.zeros((LARGEST_BLOCK, 1 << LARGEST_BLOCK), dtype=np.int64),
    )
    for variable in range(n):
        link_family(lists, walk, np.int64(variable))
    return walk


# ---------------------------------------------------------------------------------------- what they tell


@dataclass(frozen=True)
class Verdict:
    """What the chains say of themselves.

    Attributes
    ----------
    rhat : float
        Largest R-hat: of the networks' scores, rank-normalised, and of likely arcs; NaN for too few samples.
    ess : float
        Effective number of samples, by the scores.
    difference : float
        Largest difference between two chains in the probability of an arc.
    """

    rhat: float
    ess: float
    difference: float

    @property
    def agreed(self) -> bool:
        """Whether the chains tell the same."""
        return self.rhat <= RHAT_LIMIT


def arc_probabilities(table: ParentSetTable, samples: Samples) -> tuple[np.ndarray, np.ndarray, Verdict]:
    """Shares of networks that have each arc, their standard errors, and whether chains agree.

    Returns
    -------
    probability, error : ndarray of float64, shape (n_variables, n_variables)
        Entry [parent, child].
    verdict : Verdict
    """
    n, n_chains = table.n_variables, len(samples.totals)
    score_size = float(effective_size(samples.totals))
    score_size = samples.n_samples if math.isnan(score_size) else min(score_size, samples.n_samples)
    probability, sizes = np.zeros((n, n)), np.full((n, n), score_size)
    rhats, difference = [rank_rhat(samples.totals)], 0.0
    for child in range(n):
        met, inverse = np.unique(samples.sets[:, :, child], return_inverse=True)
        inverse = inverse.reshape(samples.totals.shape)
        families = [table.parent_set(s) for s in met.tolist()]
        for parent in sorted(set().union(*families)):
            has_arc = np.array([parent in family for family in families])[inverse]
            share = float(has_arc.mean())
            probability[parent, child] = share
            if share < 1.0:
                size = float(effective_size(has_arc))
                sizes[parent, child] = score_size if math.isnan(size) else size
                of_chains = has_arc.mean(axis=1)
                difference = max(difference, float(of_chains.max() - of_chains.min()))
                if LIKELY_SHARE <= share <= 1 - LIKELY_SHARE:
                    rhats.append(float(split_rhat(has_arc)))
    rhat = float(np.nan) if n_chains < 2 or np.isnan(rhats).any() else max(rhats)
    return probability, standard_errors(probability, sizes), Verdict(rhat, score_size, difference)


PARTS = 20
"""Parts of every chain whose counts tell the error of features."""


def feature_probabilities(
    table: ParentSetTable, samples: Samples, feature: str
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of networks in which variables are related, with standard errors from means of parts of the chains.

    Parameters
    ----------
    table : ParentSetTable
    samples : Samples
    feature : str
        ``ancestors`` or ``blankets``.

    Returns
    -------
    probability, error : ndarray of float64, shape (n_variables, n_variables)
        Entry [ancestor, descendant], or [member, variable].
    """
    from stages.kernels.posterior.relations import count_relations

    n = table.n_variables
    total, squares, n_parts, weight = np.zeros((n, n)), np.zeros((n, n)), 0, 0
    for chain in samples.sets:
        for part in np.array_split(np.ascontiguousarray(chain), min(PARTS, len(chain))):
            counts = np.zeros((n, n))
            count_relations(part, table.parent_offsets, table.parents, feature == "blankets", counts)
            total += counts
            squares += counts**2 / len(part)
            weight += len(part)
            n_parts += 1
    probability = total / weight
    spread = np.maximum(squares / weight - probability**2, 0.0)
    plain = standard_errors(probability, np.full((n, n), float(weight)))
    return probability, np.maximum(np.sqrt(spread / max(n_parts - 1, 1)), plain)
