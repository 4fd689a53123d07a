"""From lists to a table of arc probabilities: checks, one of the methods, reports and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from formats.arc_priors import KEY
from formats.graph_records import ArcPattern, ArcProbabilityTable
from formats.records import Header, NetworkRecord, ParentSetTable
from formats.wording import plural
from stages.graphs.orientation import DecisionCounts
from stages.lists.set_lists import fixed_first_order
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.warm_up import compile_first, tiny_table

from . import FEATURES, PosteriorOptions, choose_method
from .directions import count_decisions, drawn_networks
from .estimates import RHAT_LIMIT, Convergence, arc_probabilities, feature_probabilities
from .exact import exact_blankets, exact_probabilities
from .patterns import PatternProbability, exact_patterns, sampled_patterns
from .sampling import Samples, draw_samples
from .weights import listed_share, report_lists, require_posterior_score, share_text

COLUMN_OF = {"ancestors": "ancestor", "blankets": "blanket"}
"""Names of the columns of features."""

LEAST_SIZE = 100
"""Effective sample size below which a warning is given: probabilities near 1/2 have a standard error above 0.05."""


class Posterior(NamedTuple):
    """The table, sampled networks if any, figures for ``--stats``, and probabilities of patterns."""

    table: ArcProbabilityTable
    samples: Samples | None
    figures: dict[str, Any]
    patterns: list[PatternProbability]


def run(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> Posterior:
    """Posterior probabilities of arcs among listed sets.

    Raises `StageError` if the scores are no log-posteriors, no network consists of listed sets, or the method does
    not support a requested prior or feature; `NothingFoundError` if the user asked to stop before there was any
    result.
    """
    require_posterior_score(table)
    fixed_first_order(table)
    report_lists(table, reporter)
    method = choose_method(options, table.n_variables)
    options = replace(options, method=method)
    reporter.detail(f"{method}, prior of {options.prior}")
    solve = _run_exact if method == "exact" else _run_sampled
    tiny = replace(options, samples=8, jobs=1, patterns=_tiny_patterns(options))
    kind = ("posterior", method, options.features, tiny.patterns)
    compile_first(lambda small: solve(tiny_table(), tiny, small, NullReporter()), budget, kind)
    return solve(table, options, budget, reporter)


def _tiny_patterns(options: PosteriorOptions) -> tuple[ArcPattern, ...]:
    """One pattern with a path, for compilation, if a given pattern has a path."""
    paths = [s for pattern in options.patterns for s in pattern.statements if s.relation == "~>"]
    return tuple(ArcPattern("", (replace(path, tail=0, head=1),)) for path in paths[:1])


def _header(table: ParentSetTable, options: PosteriorOptions, **facts: Any) -> Header:
    kept: dict[str, Any] = {
        name: table.header.extra[name] for name in ("keep_mass", "interventions", KEY) if name in table.header.extra
    }
    share = listed_share(table)
    if share is not None:
        kept["listed_share"] = share
    return replace(table.header, extra={"prior": options.prior, "method": options.method, **kept, **facts})


def _run_exact(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> Posterior:
    sums = exact_probabilities(table, options, budget, reporter)
    arcs, nothing = sums.arcs, np.zeros_like(sums.arcs)
    features = {"ancestor": (sums.ancestors, nothing)} if "ancestors" in options.features else {}
    if "blankets" in options.features:
        features["blanket"] = exact_blankets(table, options, budget, reporter), nothing
    networks = sums.networks if options.prior == "orders" else drawn_networks(table, options, budget)
    decisions = count_decisions(table, networks, budget, reporter)
    result = make_table(_header(table, options), arcs, nothing, features, decisions)
    reporter.summary(
        f"{plural(table.n_variables, 'variable')}, {_likely_arcs(arcs)}; exact under the prior of {options.prior}"
        f"{share_text(table)}"
    )
    patterns = exact_patterns(table, options.patterns, options, budget, reporter) if options.patterns else []
    return Posterior(result, None, {"method": "exact"}, patterns)


def _run_sampled(table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter) -> Posterior:
    samples = draw_samples(table, options, budget, reporter)
    seconds = budget.elapsed()
    arcs, errors, convergence = arc_probabilities(table, samples, reporter)
    features = {
        COLUMN_OF[name]: feature_probabilities(table, samples, name, budget, reporter)
        for name in FEATURES
        if name in options.features
    }
    patterns = []
    if options.patterns:
        patterns = sampled_patterns(table, samples, options.patterns, convergence.ess, budget, reporter)
    _warn_of_convergence(convergence, samples.n_samples, options, reporter)
    facts: dict[str, Any] = {
        "chains": len(samples.totals),
        "samples": samples.n_samples,
        "rhat": convergence.rhat if np.isfinite(convergence.rhat) else None,
        "ess": convergence.ess,
        "largest_error": float(errors.max(initial=0.0)),
        "agreed": convergence.agreed,
    }
    if budget.interrupted:
        facts["interrupted"] = True
    decisions = count_decisions(table, samples.sets.reshape(-1, table.n_variables), budget, reporter)
    result = make_table(_header(table, options, **facts), arcs, errors, features, decisions)
    reporter.summary(
        f"{plural(table.n_variables, 'variable')}, {_likely_arcs(arcs)}; {plural(samples.n_samples, 'network')} of "
        f"{plural(len(samples.totals), 'chain')}, R-hat {_rhat_text(convergence.rhat, 3)}, effective size "
        f"{convergence.ess:,.0f}, standard errors up to {errors.max(initial=0.0):.2g}{share_text(table)}"
    )
    figures = {"method": "sampled", "moves": samples.n_moves, "moves_per_second": samples.n_moves / seconds}
    return Posterior(result, samples, {**figures, **facts, "difference": convergence.difference}, patterns)


def _rhat_text(rhat: float, digits: int) -> str:
    """R-hat in words where it is no number: of one chain, of too few networks, of chains that do not move."""
    return "unknown" if np.isnan(rhat) else "infinite" if np.isinf(rhat) else f"{rhat:.{digits}f}"


def _likely_arcs(arcs: np.ndarray) -> str:
    return f"{arcs.sum():.1f} arcs expected, {plural(int((arcs > 0.5).sum()), 'arc')} more probable than not"


def _warn_of_convergence(
    convergence: Convergence, n_samples: int, options: PosteriorOptions, reporter: Reporter
) -> None:
    more = "allow more --samples or --time"
    if options.chains < 2:
        reporter.warn("convergence cannot be checked with one chain: use --chains 2 or more")
    elif np.isnan(convergence.rhat):
        reporter.warn(f"too few networks to check the convergence of the chains: {more}")
    elif not convergence.agreed:
        reporter.warn(
            f"the chains disagree: R-hat {_rhat_text(convergence.rhat, 2)} (should be at most {RHAT_LIMIT}), the "
            f"probability of an arc differs by {convergence.difference:.2f} between two chains; {more}"
        )
    if convergence.ess < LEAST_SIZE:
        few = f"{convergence.ess:.0f} effective samples of {plural(n_samples, 'network')} are few"
        error = 0.5 / math.sqrt(max(convergence.ess, 1.0))
        reporter.warn(f"{few}: a probability near 1/2 has a standard error of about {error:.2f}; {more}")


def sampled_networks(table: ParentSetTable, samples: Samples, header: Header) -> Iterator[NetworkRecord]:
    """The sampled networks, chain by chain.

    `header` is the header of the table of arcs; its facts about the chains are replaced.
    """
    for sets in samples.sets.reshape(-1, table.n_variables).tolist():
        scores = table.scores[sets]
        extra = {"total": float(scores.sum()), "method": "sampled"}
        extra |= {name: header.extra[name] for name in ("interventions", KEY) if name in header.extra}
        yield NetworkRecord(replace(header, extra=extra), tuple(map(table.parent_set, sets)), scores)


def make_table(
    header: Header,
    probability: np.ndarray,
    error: np.ndarray,
    features: dict[str, tuple[np.ndarray, np.ndarray]],
    decisions: DecisionCounts | None,
) -> ArcProbabilityTable:
    """Table of all ordered pairs of variables, the most probable arcs first.

    `probability`, `error`: float64, shape (n_variables, n_variables), entry [parent, child]. `features` have the same
    form: probabilities and standard errors of further relations. `decisions` say what decides directions; None for a
    table without that column.
    """
    parents, children = np.nonzero(~np.eye(len(probability), dtype=np.bool_))
    order = np.lexsort((children, parents, -probability[parents, children]))
    rows = parents[order], children[order]
    either = np.minimum(probability + probability.T, 1.0)
    return ArcProbabilityTable(
        header,
        rows[0].astype(np.int32),
        rows[1].astype(np.int32),
        probability[rows],
        error[rows],
        either[rows],
        {name: (values[rows], errors[rows]) for name, (values, errors) in features.items()},
        () if decisions is None else tuple(map(decisions.usual, zip(rows[0].tolist(), rows[1].tolist()))),
    )
