"""`bnsl.posterior`: candidate parent sets to probabilities of arcs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from stages.posterior import (
    BLANKETS_UNASKED,
    EXACT_UNASKED,
    FEATURES,
    METHODS,
    PRIORS,
    PosteriorOptions,
    choose_method,
    why_sampled,
)

from ..files.inputs import open_record, require_least_sets, warn_of_cut_lists
from ..files.output_formats import output_format
from ..files.recording import record_command, used_options
from ..options import shared
from ..options.declared import argument, option, record
from ..options.knowledge import KNOWLEDGE, KnowledgeOptions
from ..options.methods import method_option, own_options_of, refuse_unused, with_takers
from ..options.prior import PRIOR_LEAST, PriorOfNetworks, PriorOptions
from ..options.values import DURATION, INPUT, OUTPUT_FILE, Parsed
from ..results import ArcProbabilities
from ..running.function import Run, function
from ..running.reporter import Reporter


def _features(text: str) -> tuple[str, ...]:
    """Words separated by commas: arcs,ancestors,blankets."""
    words = [word.strip() for word in text.split(",")]
    unknown = [word for word in words if word not in ("arcs", *FEATURES)]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of arcs, {', '.join(FEATURES)}")
    return tuple(name for name in FEATURES if name in words)


SAMPLERS_ONLY = frozenset({*METHODS["sampled"].options, "dags"} - {"time"})
"""Options that imply method sampled."""


def takers_text(name: str) -> str:
    """The methods that take an option."""
    return ", ".join(method for method, spec in METHODS.items() if name in (*spec.options, "dags"))


@dataclass(frozen=True)
class QuestionOptions:
    """What to compute."""

    prior: Any = option(
        "Uniform prior: over networks (dags) or over orders of the variables (orders). The latter favours "
        "networks that agree with many orders; it is for exact computation only. Or a file of probabilities of arcs, "
        "as 'parentsets --prior' takes it, for lists made without one.",
        PriorOfNetworks(words=tuple(PRIORS)),
        "dags|orders|FILE",
        default="dags",
    )
    prior_least: float | None = PRIOR_LEAST
    features: tuple[str, ...] = option(
        "Further columns for each pair: ancestors (one is an ancestor of the other), blankets (one is in the "
        "Markov blanket of the other).",
        Parsed("a,b,...", _features, annotation="str | Iterable[str]", adapt=",".join),
        default="arcs",
    )
    patterns: str | None = option(
        "Patterns of arcs, one per line, whose probabilities go to --answers. 'A -> B' is an arc, 'A - B' an "
        "arc in either direction, 'A ~> B' a path; ! negates, commas join statements that must all hold.",
        INPUT,
        "FILE",
    )
    time: float | None = option(
        "Sample for this time: 30s, 10m, 2h. An exact computation that takes longer fails.",
        DURATION,
        "TIME",
        section="Budget",
    )
    dags: str | None = option(
        with_takers("Write the sampled networks to this file, as a stream of network files.", "sampled"),
        OUTPUT_FILE,
        "FILE",
        section="Output",
    )


def _is_word(prior: Any) -> bool:
    """Whether a prior is uniform, and no file of probabilities."""
    return isinstance(prior, str) and prior in PRIORS


def named_method(run: Run, method: str | None) -> str | None:
    """The method that is named, or implied by options of samplers; refuses options that it does not take."""
    if method is None and SAMPLERS_ONLY & run.given:
        method = "sampled"
    if method is not None:
        taken = {*METHODS[method].options, *({"dags"} if method == "sampled" else ())}
        refuse_unused(run, SAMPLERS_ONLY, taken, method, lambda _: "sampled")
    return method


def _chosen_method(options: PosteriorOptions, n_variables: int, reporter: Reporter) -> str:
    """The method; says why few variables are sampled where this was not asked for."""
    method = choose_method(options, n_variables)
    if options.method is None and method == "sampled" and n_variables <= EXACT_UNASKED:
        reporter.note(f"sampled: {why_sampled(options, n_variables)}")
    return method


@function
def posterior(
    sets: Any = argument("SETS", is_standard_input=True),
    method: str | None = method_option(
        METHODS,
        f"Default: exact up to {EXACT_UNASKED} variables ({BLANKETS_UNASKED} with Markov blankets), and with --prior "
        "orders.",
        lead="Method",
    ),
    question: QuestionOptions = record(QuestionOptions, "Method"),
    own: dict[str, Any] = own_options_of(PosteriorOptions, takers_text, lambda _: "Method"),
    knowing: KnowledgeOptions = KNOWLEDGE,
    execution: shared.RunOptions = shared.RUNNING,
    *,
    run: Run,
) -> ArcProbabilities:
    """Compute probabilities of arcs, given candidate parent sets.

    Returns
    -------
    ArcProbabilities
        One row for each pair; `patterns` has the probabilities of the patterns.

    Examples
    --------
    >>> sets = bnsl.parentsets({"a": [0, 1] * 20, "b": [1, 0] * 20}, keep_mass=0, quiet=True)
    >>> [round(p, 4) for p in bnsl.posterior(sets, quiet=True).to_arrow()["probability"].to_pylist()]
    [0.5, 0.5]
    """
    from formats import open_parent_sets
    from formats.graphs.arc_files import read_patterns
    from formats.json_lines.network_lines import write_network_stream
    from stages.lists.arc_prior import with_prior
    from stages.posterior.arc_posterior import run as search
    from stages.posterior.arc_posterior import sampled_networks
    from stages.posterior.weights import constrained
    from stages.recorded_knowledge import knowledge_record
    from stages.runtime.budgets import Budget

    reporter = run.reporter
    method = named_method(run, method)
    if question.dags is not None:
        output_format("dags", question.dags, option="--dags")
    uniform = question.prior if _is_word(question.prior) else "dags"
    believing = PriorOptions(None if _is_word(question.prior) else question.prior, question.prior_least)
    patterns = [question.patterns] if question.patterns else []
    shared.check_sources(sets, *patterns, *knowing.sources, *believing.sources)
    table = open_record(sets, open_parent_sets, warn=reporter.warn)
    warn_of_cut_lists(table, reporter)
    require_least_sets(table, sets)
    table = with_prior(table, believing.read(table.header.names), reporter)
    knowledge = knowing.resolve(table.header.names)
    if knowledge is not None:
        table = constrained(table, knowledge, reporter)
    index = {name: variable for variable, name in enumerate(table.header.names)}
    options = PosteriorOptions(
        method=method,
        prior=uniform,
        features=question.features,
        patterns=tuple(read_patterns(question.patterns, index)) if question.patterns else (),
        jobs=execution.jobs,
        **own,
    )
    method = _chosen_method(options, table.n_variables, reporter)
    seed = shared.resolve_seed(execution.seed, reporter) if method == "sampled" else 0
    options = replace(options, method=method, seed=seed)
    recorded = used_options(options, ("method", "prior", "features", *METHODS[method].options))
    if method == "sampled":
        recorded["time"] = question.time
    # The decisions on directions depend on the recorded knowledge.
    recorded |= knowledge_record(knowledge) | believing.recorded()
    table = replace(table, header=record_command(table.header, "posterior", recorded))
    budget = Budget(question.time, stop=run.search())
    reporter.follow(budget)
    found = search(table, options, budget, reporter)
    if question.dags is not None and found.samples is not None:
        write_network_stream(question.dags, sampled_networks(table, found.samples, found.table.header))
    figures = {"seconds": budget.elapsed(), **found.figures}
    return ArcProbabilities(found.table, found.patterns, figures)
