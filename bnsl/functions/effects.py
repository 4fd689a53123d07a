"""`bnsl.effects`: effects of setting a variable, with the uncertainty about structure and parameters."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from stages.effects import MEASURES, EffectOptions
from stages.posterior import METHODS, MOST_EXACT, PosteriorOptions

from ..files.answers import Answers, Values
from ..options.data import Columns, CompleteRows, InterventionOptions, Reading
from ..options.knowledge import GivenConstraints, KnowledgeOptions
from ..options.methods import method_option, refuse_unused
from ..options.option import Argument, Given, Option, Source, group_options
from ..options.prior import Prior, PriorOptions
from ..options.shared import ESS_RANGE, RunOptions, Time, check_sources, resolve_seed
from ..options.values import INPUT, Choice, Number, Whole
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, delivering
from .posterior import SamplerOptions

if TYPE_CHECKING:
    from formats.data_records import Variable
    from stages.effects.averages import PairEffects

NOTE = "holds if no two variables have a hidden common cause"

TITLES = {"cause_state": "state", "effect_state": "state", "standard_deviation": "sd", "structure_share": "structure"}
"""Short titles of columns in a table to read."""

SAMPLERS_ONLY = frozenset(METHODS["sampled"].options) - {"seed", "time"}
"""Options that imply method sampled."""

FOR_SETS = (*SAMPLERS_ONLY, "method", "time", "prior", "prior_least")
"""Options of the posterior over networks of listed sets."""


class PairOptions(TypedDict, total=False):
    """What to estimate, and how."""

    cause: Annotated[
        Columns,
        "Compute only effects of these variables: names, patterns (age*) or ranges (first..last), separated by "
        "commas.",
        {"section": "Effects"},
    ]
    effect: Annotated[Columns, "Compute only effects on these variables.", {"section": "Effects"}]
    measure: Annotated[
        Literal["probability", "contrast", "strength"],
        Option(
            "; ".join(f"{name}: {about}" for name, about in MEASURES.items()) + ".",
            Choice(tuple(MEASURES)),
            default=EffectOptions.measure,
            section="Effects",
        ),
    ]
    level: Annotated[
        float,
        Option(
            "Posterior probability of the credible intervals.",
            Number(0, 1, is_open=True),
            "P",
            default=EffectOptions.level,
            section="Effects",
        ),
    ]
    draws: Annotated[
        int,
        Option(
            "Number of draws for the credible interval of each effect.",
            Whole(2),
            "N",
            default=EffectOptions.draws,
            section="Effects",
        ),
    ]
    smoothing: Annotated[
        float | None,
        Option(
            "Equivalent sample size of the uniform prior of the parameters. [default: that of the lists, or 1]",
            Number(*ESS_RANGE),
            "ROWS",
            section="Effects",
        ),
    ]


class SetsOptions(SamplerOptions, total=False):
    """How networks of listed sets are summed over."""

    method: Annotated[
        Literal["exact", "sampled"] | None,
        method_option(METHODS, f"Default: exact for up to {MOST_EXACT['dags']} variables.", lead="Method for SETS"),
    ]
    time: Annotated[Time, "Sample for this time: 30s, 10m, 2h.", {"section": "Method", "metavar": "TIME"}]


class EffectsOptions(
    CompleteRows,
    InterventionOptions,
    PairOptions,
    SetsOptions,
    KnowledgeOptions,
    PriorOptions,
    RunOptions,
    MessageOptions,
    total=False,
):
    """Options of `effects`."""


@delivering
def effects(
    run: Run,
    sources: Annotated[
        Source | Iterable[Source],
        Argument("NETWORKS|SETS", is_several=True),
        "Networks, an essential graph, or lists of parent sets.",
    ] = (),
    *,
    data: Annotated[Source, Option("Rows that give the parameters.", INPUT, "DATA", section="Input")],
    **options: Unpack[EffectsOptions],
) -> Answers:
    """Estimate the effects of setting variables, with credible intervals.

    Networks, an essential graph or lists of parent sets give the structure. Lists stand for the posterior over all
    their networks.

    Returns
    -------
    Table
        A row for each state of a cause and each state of an effect. With ``measure="strength"``, a row for each
        cause and effect.

    Examples
    --------
    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> network = bnsl.optimize(data=table, require="a->b", quiet=True)
    >>> bnsl.effects(network, data=table, cause="a", seed=1, quiet=True)["probability"].to_pylist()[:2]
    [0.012195121951219513, 0.9878048780487805]
    """
    from stages.effects.averages import average_effects
    from stages.runtime.budgets import Budget

    from ..answers.effect_structures import AskedEffects, from_networks, from_sets, listed_sets, places_of

    given, reading = Given(data=data, **options), Reading(**options)
    knowing, believing = GivenConstraints(**options), Prior(**options)
    named = tuple(sources) or (run.source(None, "NETWORKS or SETS"),)
    check_sources(*named, data, *knowing.sources, *believing.sources)
    seed, method = resolve_seed(given.seed, run.reporter), given.method
    if method is None and SAMPLERS_ONLY & run.given:
        method = "sampled"
    if method is not None:
        refuse_unused(run, SAMPLERS_ONLY, METHODS[method].options, method, lambda _: "sampled")
    own = {name: getattr(given, name) for name in group_options(SamplerOptions)}
    posterior = PosteriorOptions(method=method, jobs=given.jobs, seed=seed, **own)
    budget = Budget(given.time, stop=run.search())
    asked = AskedEffects(given, reading, knowing, believing, posterior, budget, run)
    table, opened = listed_sets(named, run)
    if table is None:
        run.refuse(FOR_SETS, "needs lists of parent sets.")
        found = from_networks(named, opened, asked)
    else:
        found = from_sets(table, named[0], asked)
    ess = given.smoothing or (table.header.ess if table is not None else None) or EffectOptions.smoothing
    how = EffectOptions(given.measure, ess, given.level, given.draws, seed, given.jobs)
    on = places_of(given.effect, found.dataset, "--effect")
    of = asked.causes(found.dataset)
    if of == on and len(of) == 1:
        raise UsageError(f"cause and effect are both {found.dataset.names[of[0]]!r}: give two variables.")
    averages = average_effects(found.dataset, found.of_causes, on, how, budget.stop, run.reporter)
    facts = {"measure": how.measure, "level": how.level, "smoothing": ess, "draws": how.draws, "seed": seed}
    closing = f"{found.called}; {100 * how.level:g} % credible intervals; {NOTE}"
    return _table_of(averages, found.dataset.variables, how.measure, closing, facts)


def _table_of(
    found: "Iterator[list[PairEffects]]",
    variables: "Sequence[Variable]",
    measure: str,
    closing: str,
    facts: dict[str, Any],
) -> Answers:
    """The table of answers: strengths in descending order, all else in the order of the variables."""
    from formats.tables.results.result_tables import FIGURE, TEXT

    is_pair = measure == "strength"
    names = ("cause", "effect") if is_pair else ("cause", "cause_state", "effect", "effect_state")
    figures = (measure, "standard_deviation", "lower", "upper", "ancestor", "structure_share")
    columns = dict.fromkeys(names, TEXT) | dict.fromkeys(figures, FIGURE)

    def strengths() -> Iterator[Values]:
        pairs = sorted((pair for batch in found for pair in batch), key=lambda pair: -float(pair.value))
        rows = [(variables[p.cause].name, variables[p.effect].name, *_figures(p, ())) for p in pairs]
        yield [*zip(*rows)] or [[] for _ in columns]

    def states() -> Iterator[Values]:
        for batch in found:
            rows = [
                (variables[p.cause].name, x, variables[p.effect].name, y, *_figures(p, (i, j)))
                for p in batch
                for i, x in enumerate(variables[p.cause].known_states)
                for j, y in enumerate(variables[p.effect].known_states)
            ]
            if rows:
                yield [*zip(*rows)]

    batches = strengths() if is_pair else states()
    header = {"effects": facts, "note": f"{closing}: bnsl help effects"}
    return Answers(columns, batches, closing, facts, titles=TITLES, header=header)


def _figures(pair: "PairEffects", place: tuple[int, ...]) -> tuple[float, ...]:
    numbers = pair.value, pair.deviation, pair.lower, pair.upper
    return (*(float(number[place]) for number in numbers), pair.ancestor, float(pair.structure_share[place]))
