"""`bnsl.posterior`: candidate parent sets to probabilities of arcs."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict, Unpack

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
from ..options.knowledge import GivenConstraints, KnowledgeOptions
from ..options.methods import method_option, own_option, refuse_unused, with_takers
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.prior import Prior, PriorLeast, PriorOfNetworks
from ..options.shared import RunOptions, Time, check_sources, resolve_seed
from ..options.values import INPUT, OUTPUT_FILE, Parsed, Path
from ..results import ArcProbabilities
from ..running.function import MessageOptions, Run, function
from ..running.reporter import LineReporter


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


_Option = partial(Option, section="Method")


class ArcQuestions(TypedDict, total=False):
    """What to compute, and how."""

    method: Annotated[
        str | None,
        method_option(
            METHODS,
            f"Default: exact for up to {EXACT_UNASKED} variables ({BLANKETS_UNASKED} with Markov blankets) and under "
            "--prior orders, otherwise sampled.",
            lead="Method",
        ),
    ]
    prior: Annotated[
        Source,
        _Option(
            "Prior of the networks: uniform over networks (dags), or uniform over orders of the variables (orders). "
            "The prior over orders favours networks that agree with many orders, and needs exact computation. A file "
            "of probabilities of arcs is a prior, too, for lists made without --prior; 'bnsl parentsets --prior' "
            "takes the same file.",
            PriorOfNetworks(words=tuple(PRIORS)),
            "dags|orders|FILE",
            default="dags",
        ),
    ]
    prior_least: Annotated[PriorLeast, {"section": "Method"}]
    features: Annotated[
        str | Iterable[str],
        _Option(
            "Further columns of each pair: ancestors, blankets. ancestors is the probability that one variable is an "
            "ancestor of the other; blankets that one is in the Markov blanket of the other.",
            Parsed("a,b,...", _features, adapt=",".join),
            default="arcs",
        ),
    ]
    patterns: Annotated[
        Source,
        _Option(
            "Compute also the probabilities of these patterns of arcs, one per line. 'A -> B' is an arc, 'A - B' an "
            "arc in either direction, 'A ~> B' a path. ! negates a statement, and commas join statements that must "
            "all hold.",
            INPUT,
            "FILE",
        ),
    ]
    time: Annotated[Time, "Sample for this time: 30s, 10m, 2h. An exact computation that takes longer fails."]
    dags: Annotated[
        Path | None,
        Option(
            with_takers("Write the sampled networks to this file as a stream.", "sampled"),
            OUTPUT_FILE,
            "FILE",
            section="Output",
        ),
    ]


def _own(name: str) -> Option:
    """An option of the sampler, as the stage declares it."""
    return own_option(PosteriorOptions, name, takers_text, lambda _: "Method")


class SamplerOptions(TypedDict, total=False):
    """Options of the sampler; `stages.posterior.PosteriorOptions` has their defaults, limits and help."""

    chains: Annotated[int, _own("chains")]
    samples: Annotated[int | None, _own("samples")]
    burn_in: Annotated[float, _own("burn_in")]


class PosteriorKeywords(ArcQuestions, SamplerOptions, KnowledgeOptions, RunOptions, MessageOptions, total=False):
    """Options of `posterior`."""


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


def _chosen_method(options: PosteriorOptions, n_variables: int, reporter: LineReporter) -> str:
    """The method; says why few variables are sampled where this was not asked for."""
    method = choose_method(options, n_variables)
    if options.method is None and method == "sampled" and n_variables <= EXACT_UNASKED:
        reporter.note(f"sampled: {why_sampled(options, n_variables)}")
    return method


@function
def posterior(
    run: Run,
    sets: Annotated[Source, Argument("SETS", is_standard_input=True), "Candidate parent sets with scores."] = None,
    **options: Unpack[PosteriorKeywords],
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
    given, knowing = Given(**options), GivenConstraints(**options)
    method = named_method(run, given.method)
    if given.dags is not None:
        output_format("dags", given.dags, option="--dags")
    uniform = given.prior if _is_word(given.prior) else "dags"
    believing = Prior(prior=None if _is_word(given.prior) else given.prior, prior_least=given.prior_least)
    patterns = [given.patterns] if given.patterns else []
    check_sources(sets, *patterns, *knowing.sources, *believing.sources)
    table = open_record(sets, open_parent_sets, warn=reporter.warn)
    warn_of_cut_lists(table, reporter)
    require_least_sets(table, sets)
    table = with_prior(table, believing.read(table.header.names), reporter)
    knowledge = knowing.resolve(table.header.names)
    if knowledge is not None:
        table = constrained(table, knowledge, reporter)
    index = {name: variable for variable, name in enumerate(table.header.names)}
    settings = PosteriorOptions(
        method=method,
        prior=uniform,
        features=given.features,
        patterns=tuple(read_patterns(given.patterns, index)) if given.patterns else (),
        jobs=given.jobs,
        **{name: getattr(given, name) for name in group_options(SamplerOptions)},
    )
    method = _chosen_method(settings, table.n_variables, reporter)
    seed = resolve_seed(given.seed, reporter) if method == "sampled" else 0
    settings = replace(settings, method=method, seed=seed)
    recorded = used_options(settings, ("method", "prior", "features", *METHODS[method].options))
    if method == "sampled":
        recorded["time"] = given.time
    # The decisions on directions depend on the recorded knowledge.
    recorded |= knowledge_record(knowledge) | believing.recorded()
    table = replace(table, header=record_command(table.header, "posterior", recorded))
    budget = Budget(given.time, stop=run.search())
    reporter.follow(budget)
    found = search(table, settings, budget, reporter)
    if given.dags is not None and found.samples is not None:
        write_network_stream(given.dags, sampled_networks(table, found.samples, found.table.header))
    figures = {"seconds": budget.elapsed(), **found.figures}
    return ArcProbabilities(found.table, found.patterns, figures)
