"""`bnsl.effects`: effects of setting a variable, with the uncertainty about structure and parameters."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stages.posterior import METHODS, MOST_EXACT, PosteriorOptions

from ..files.answers import Answers, Values
from ..files.inputs import (
    COUNT_APART,
    completed,
    open_learnt_networks,
    require_least_sets,
    warn_of_cut_lists,
    warn_of_interventions,
)
from ..options import shared
from ..options.data import DataOptions, KnownVariables, data_options_with
from ..options.declared import argument, parameter, record
from ..options.effects import EffectChoices
from ..options.knowledge import KNOWLEDGE, KnowledgeOptions
from ..options.methods import method_option, own_options_of, refuse_unused
from ..options.prior import PRIOR, PriorOptions
from ..options.values import DURATION, INPUT
from ..running.errors import UsageError
from ..running.function import Run, function
from ..running.reporter import Reporter
from ..tables import Table
from .posterior import takers_text

if TYPE_CHECKING:
    from formats.data_records import Dataset, Variable
    from formats.records import Header, Network, ParentSetTable
    from stages.effects.averages import PairEffects
    from stages.effects.structures import CauseStructures
    from stages.runtime.budgets import Budget

NOTE = "holds if no two variables have a hidden common cause"

TITLES = {"cause_state": "state", "effect_state": "state", "standard_deviation": "sd", "structure_share": "structure"}
"""Short titles of columns in a table to read."""

SAMPLERS_ONLY = frozenset(METHODS["sampled"].options) - {"seed", "time"}
"""Options that imply method sampled."""

FOR_SETS = (*SAMPLERS_ONLY, "method", "time", "prior", "prior_least")
"""Options of the posterior over networks of listed sets."""


class Source(NamedTuple):
    """Structures, and the data for their parameters."""

    dataset: Dataset
    structures: Iterator[tuple[int, CauseStructures]]
    called: str  # for the closing line


class Asked(NamedTuple):
    """The source of structures as it is asked for."""

    data: Any
    data_options: DataOptions
    knowing: KnowledgeOptions
    believing: PriorOptions
    choices: EffectChoices
    posterior: PosteriorOptions
    budget: Budget
    run: Run

    def read(self, variables: Sequence[Variable], source: Any) -> Dataset:
        """The data, coded by the states of the source; a list of arcs, without `variables`, knows none."""
        from formats.wording import listed, plural

        known = KnownVariables(tuple(variables), getattr(source, "source", source)) if variables else None
        dataset = self.data_options.open(self.data, self.run.reporter, known, may_be_set=True)
        given = dataset.interventions
        unseen = [] if given is None else [x for x in self.causes(dataset) if not given.only((x,)).any()]
        if unseen:
            self.run.reporter.warn(
                f"no row was observed under an intervention on the cause alone for {plural(len(unseen), 'cause')}: "
                f"{listed(repr(dataset.names[x]) for x in unseen)}; these effects follow from the prior alone"
            )
        return dataset

    def warn_of_interventions(self, header: Header) -> None:
        """Warn if the structure rests on rows under intervention, and the option that tells them is not given."""
        if self.data_options.interventions is None:
            warn_of_interventions(header, self.run.reporter, COUNT_APART)

    def causes(self, dataset: Dataset) -> list[int]:
        """The variables whose effects are asked for."""
        return places_of(self.choices.cause, dataset, "--cause")


def _finish(found: Answers) -> Table:
    return found.to_table()


@function(finish=_finish)
def effects(
    sources: tuple[Any, ...] = argument("NETWORKS|SETS", is_several=True),
    data: Any = parameter("Rows that give the parameters.", INPUT, "DATA", section="Input", is_required=True),
    data_options: DataOptions = data_options_with(counts_families=True),
    choices: EffectChoices = record(EffectChoices, "Effects"),
    method: str | None = method_option(
        METHODS, f"Default: exact up to {MOST_EXACT['dags']} variables.", lead="For SETS"
    ),
    own: dict[str, Any] = own_options_of(PosteriorOptions, takers_text, lambda _: "Method"),
    time: float | None = parameter("Sample for this time: 30s, 10m, 2h.", DURATION, "TIME", section="Method"),
    knowing: KnowledgeOptions = KNOWLEDGE,
    believing: PriorOptions = PRIOR,
    seed: int | None = shared.seed_option(),
    jobs: int = shared.jobs_option(),
    *,
    run: Run,
) -> Answers:
    """Estimate effects of setting variables, with intervals: from networks, an essential graph or lists of sets.

    Returns
    -------
    Table
        A row for each cause, its state, each effect and its state; for strengths, for each cause and effect.

    Examples
    --------
    >>> table = {"a": [0, 1] * 20, "b": [1, 0] * 20}
    >>> network = bnsl.optimize(data=table, require="a->b", quiet=True)
    >>> bnsl.effects(network, data=table, cause="a", seed=1, quiet=True)["probability"].to_pylist()[:2]
    [0.012195121951219513, 0.9878048780487805]
    """
    from stages.effects import EffectOptions
    from stages.effects.averages import average_effects
    from stages.runtime.budgets import Budget

    given: Sequence[Any] = sources or (run.source(None, "NETWORKS or SETS"),)
    shared.check_sources(*given, data, *knowing.sources, *believing.sources)
    seed = shared.resolve_seed(seed, run.reporter)
    if method is None and SAMPLERS_ONLY & run.given:
        method = "sampled"
    if method is not None:
        refuse_unused(run, SAMPLERS_ONLY, METHODS[method].options, method, lambda _: "sampled")
    posterior = PosteriorOptions(method=method, jobs=jobs, seed=seed, **own)
    budget = Budget(time, stop=run.search())
    asked = Asked(data, data_options, knowing, believing, choices, posterior, budget, run)
    table, opened = _listed_sets(given, run)
    if table is None:
        run.refuse(FOR_SETS, "needs lists of parent sets.")
        source = _from_networks(given, opened, asked)
    else:
        source = _from_sets(table, given[0], asked)
    ess = choices.smoothing or (table.header.ess if table is not None else None) or EffectOptions.smoothing
    options = EffectOptions(choices.measure, ess, choices.level, choices.draws, seed, jobs)
    on = places_of(choices.effect, source.dataset, "--effect")
    of = asked.causes(source.dataset)
    if of == on and len(of) == 1:
        raise UsageError(f"cause and effect are both {source.dataset.names[of[0]]!r}: give two variables.")
    found = average_effects(source.dataset, source.structures, on, options, budget.stop, run.reporter)
    facts = {
        "measure": options.measure,
        "level": options.level,
        "smoothing": ess,
        "draws": options.draws,
        "seed": seed,
    }
    closing = f"{source.called}; {100 * options.level:g} % credible intervals; {NOTE}"
    return _table_of(found, source.dataset.variables, options.measure, closing, facts)


def places_of(items: Sequence[str] | None, dataset: Dataset, option: str) -> list[int]:
    """The variables that an option names, in the order of the data; all for None.

    Items are names, patterns or ranges. Raises errors for items that name no variable.
    """
    from formats.tables.selection import matching_names

    if items is None:
        return list(range(dataset.n_variables))
    return sorted(
        {dataset.names.index(n) for item in items for n in matching_names(item, dataset.names, option, "variable")}
    )


def _table_of(
    found: Iterator[list[PairEffects]],
    variables: Sequence[Variable],
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


def _figures(pair: PairEffects, place: tuple[int, ...]) -> tuple[float, ...]:
    numbers = pair.value, pair.deviation, pair.lower, pair.upper
    return (*(float(number[place]) for number in numbers), pair.ancestor, float(pair.structure_share[place]))


def _listed_sets(sources: Sequence[Any], run: Run) -> tuple[ParentSetTable | None, Sequence[Any]]:
    """The lists of parent sets if the source has them, and the sources, the first one open.

    Raises `UsageError`: there are further sources.
    """
    from formats import open_parent_sets
    from formats.detection import detect_lines
    from formats.kinds import Kind
    from formats.records import ParentSetTable
    from formats.textlines import as_lines

    first = sources[0]
    found = getattr(first, "record", None)
    if not isinstance(found, ParentSetTable):
        if not isinstance(first, str):
            return None, sources
        lines = as_lines(first)
        if detect_lines(lines).kind is not Kind.PARENT_SETS:
            return None, (lines, *sources[1:])
        found = open_parent_sets(lines, warn=run.reporter.warn)
    if len(sources) > 1:
        raise UsageError("a file of parent sets is read alone: give one such file, or networks.")
    return found, sources


def _from_sets(table: ParentSetTable, source: Any, asked: Asked) -> Source:
    """The posterior over networks of listed sets."""
    from formats.arc_priors import recorded_prior
    from stages.effects.posterior import posterior_structures
    from stages.lists.arc_prior import with_prior
    from stages.posterior.weights import constrained, share_text

    reporter = asked.run.reporter
    warn_of_cut_lists(table, reporter)
    require_least_sets(table, source)
    table = with_prior(table, asked.believing.read(table.header.names), reporter)
    knowledge = asked.knowing.resolve(table.header.names)
    if knowledge is not None:
        table = constrained(table, knowledge, reporter)
    dataset = asked.read(table.header.variables, source)
    asked.warn_of_interventions(table.header)
    if table.header.data not in (None, dataset.fingerprint):
        reporter.warn("these are not the data of the parent sets, or were read otherwise")
    reporter.follow(asked.budget)
    found = posterior_structures(table, asked.causes(dataset), asked.posterior, asked.budget, reporter)
    believed = ", under a prior of arcs" if recorded_prior(table.header.extra) else ""
    called = f"averaged over the posterior of networks of listed sets{share_text(table)}{believed}"
    return Source(dataset, found, called)


def _from_networks(sources: Sequence[Any], opened: Sequence[Any], asked: Asked) -> Source:
    """Networks, all equally weighted, or an essential graph, whose class knowledge limits; a network must agree.

    They are read from `opened`; messages name `sources`.
    """
    from formats.wording import plural
    from stages.effects.structures import ClassStructures, CountedStructures, ordered_pair

    reporter = asked.run.reporter
    networks = (
        (source, learnt)
        for source, stream in zip(sources, opened)
        for learnt in open_learnt_networks(stream, warn=reporter.warn)
    )
    _, first = next(networks)
    asked.warn_of_interventions(first.structure.header)
    known = () if first.structure.header.lacks_isolated else first.structure.header.variables
    dataset = asked.read(known, sources[0])
    causes = asked.causes(dataset)
    knowledge = asked.knowing.resolve(dataset.names)
    second = next(networks, None)
    if first.is_class or knowledge is not None:
        if second is not None:
            alone = "an essential graph is read alone: give one graph, or networks."
            needs = "--require, --forbid, --allow and --tiers need one graph, or lists of parent sets."
            raise UsageError(alone if first.is_class else needs)
        parents, place = _placed(first.structure, dataset, asked, sources[0])
        of_class = ClassStructures(parents, [ordered_pair(place[a], place[b]) for a, b in first.edges or ()])
        if knowledge is not None:
            of_class = of_class.under(knowledge)
        if first.is_class:
            called = "over the parent sets that the essential graph allows, equally weighted"
            return Source(dataset, ((cause, of_class.of(cause)) for cause in causes), called)
    counted, n_networks = CountedStructures(causes), 0
    for source, learnt in itertools.chain([(sources[0], first)], [] if second is None else [second], networks):
        if learnt.is_class:
            raise UsageError("an essential graph is read alone: give one graph, or networks.")
        counted.add(_placed(learnt.structure, dataset, asked, source)[0])
        n_networks += 1
        reporter.progress(n_networks, None, "networks")
    if n_networks == 1:
        _warn_of_directions(first.structure, reporter)
    called = "given the network" if n_networks == 1 else f"over {plural(n_networks, 'network')}, equally weighted"
    return Source(dataset, ((cause, counted.of(cause)) for cause in causes), called)


def _placed(network: Network, dataset: Dataset, asked: Asked, source: Any) -> tuple[list[tuple[int, ...]], list[int]]:
    """The parents of every variable, by the places of the variables in the data; and the place of each variable.

    Raises `Inconsistent`: the network has other variables.
    """
    from formats.errors import Inconsistent

    network = completed(network, source, dataset.names, asked.data, asked.run.reporter)
    index = {name: place for place, name in enumerate(dataset.names)}
    if index.keys() != set(network.header.names):
        raise Inconsistent("the networks have different variables", remedy="average over networks of the same data")
    place = [index[name] for name in network.header.names]
    parents: list[tuple[int, ...]] = [()] * len(place)
    for child, family in zip(place, network.parents):
        parents[child] = tuple(sorted(place[parent] for parent in family))
    return parents, place


def _warn_of_directions(network: Network, reporter: Reporter) -> None:
    """Warn of arcs whose direction nothing decides."""
    from formats.errors import Inconsistent
    from formats.graph_records import UNDECIDED
    from formats.wording import plural
    from stages.graphs.orientation import network_directions

    with contextlib.suppress(Inconsistent):
        undecided = list(network_directions(network).values()).count(UNDECIDED)
        if undecided:
            reporter.warn(
                f"nothing decides the direction of {plural(undecided, 'arc')} of this network, and effects depend on "
                "it; for all effects that the data allow, give the essential graph (bnsl convert --cpdag) or SETS"
            )
