"""The structures that effects are averaged over: of networks, of an essential graph, or of lists of parent sets."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from formats import open_parent_sets
from formats.arc_priors import recorded_prior
from formats.data_records import Dataset, Variable
from formats.detection import detect_lines
from formats.errors import Inconsistent
from formats.graph_records import UNDECIDED
from formats.kinds import Kind
from formats.records import Header, NetworkRecord, ParentSetTable
from formats.tables.selection import matching_names
from formats.textlines import as_lines
from formats.wording import listed, plural
from stages.posterior import PosteriorOptions
from stages.runtime.budgets import Budget

from ..files.inputs import COUNT_APART, completed, require_least_sets, warn_of_cut_lists, warn_of_interventions
from ..files.network_inputs import read_networks
from ..options.data import KnownVariables, Reading
from ..options.knowledge import GivenConstraints
from ..options.option import Given
from ..options.prior import Prior
from ..running.errors import UsageError
from ..running.function import Run
from ..running.reporter import LineReporter

if TYPE_CHECKING:
    from stages.effects.cause_structures import CauseStructures


class Structures(NamedTuple):
    """Structures, and the data for their parameters."""

    dataset: Dataset
    of_causes: Iterator[tuple[int, CauseStructures]]
    called: str  # for the closing line


class AskedEffects(NamedTuple):
    """The structures as they are asked for."""

    given: Given
    reading: Reading
    knowing: GivenConstraints
    believing: Prior
    posterior: PosteriorOptions
    budget: Budget
    run: Run

    def read(self, variables: Sequence[Variable], source: Any) -> Dataset:
        """The data, coded by the states of the source; a list of arcs, without `variables`, knows none."""
        known = KnownVariables(tuple(variables), getattr(source, "source", source)) if variables else None
        dataset = self.reading.open(self.given.data, self.run.reporter, known, may_be_set=True)
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
        if self.reading.interventions is None:
            warn_of_interventions(header, self.run.reporter, COUNT_APART)

    def causes(self, dataset: Dataset) -> list[int]:
        """The variables whose effects are asked for."""
        return places_of(self.given.cause, dataset, "--cause")


def places_of(items: Sequence[str] | None, dataset: Dataset, option: str) -> list[int]:
    """The variables that an option names, in the order of the data; all for None.

    Items are names, patterns or ranges. Raises errors for items that name no variable.
    """
    if items is None:
        return list(range(dataset.n_variables))
    return sorted(
        {dataset.names.index(n) for item in items for n in matching_names(item, dataset.names, option, "variable")}
    )


def listed_sets(sources: Sequence[Any], run: Run) -> tuple[ParentSetTable | None, Sequence[Any]]:
    """The lists of parent sets if the source has them, and the sources, the first one open.

    Raises `UsageError`: there are further sources.
    """
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


def from_sets(table: ParentSetTable, source: Any, asked: AskedEffects) -> Structures:
    """The posterior over networks of listed sets."""
    from stages.effects.posterior_structures import posterior_structures
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
        reporter.warn("the parent sets were made from other data, or the data were read otherwise")
    reporter.follow(asked.budget)
    found = posterior_structures(table, asked.causes(dataset), asked.posterior, asked.budget, reporter)
    believed = ", under a prior of arcs" if recorded_prior(table.header.extra) else ""
    called = f"averaged over the posterior of networks of listed sets{share_text(table)}{believed}"
    return Structures(dataset, found, called)


def from_networks(sources: Sequence[Any], opened: Sequence[Any], asked: AskedEffects) -> Structures:
    """Networks, all equally weighted, or an essential graph, whose class knowledge limits; a network must agree.

    They are read from `opened`; messages name `sources`.
    """
    from stages.effects.cause_structures import ClassStructures, CountedStructures, ordered_pair

    reporter = asked.run.reporter
    networks = (
        (source, learnt)
        for source, stream in zip(sources, opened)
        for learnt in read_networks(stream, warn=reporter.warn)
    )
    _, first = next(networks)
    asked.warn_of_interventions(first.record.header)
    known = () if first.record.header.lacks_isolated else first.record.header.variables
    dataset = asked.read(known, sources[0])
    causes = asked.causes(dataset)
    knowledge = asked.knowing.resolve(dataset.names)
    second = next(networks, None)
    if first.is_class or knowledge is not None:
        if second is not None:
            alone = "an essential graph is read alone: give one graph, or networks."
            needs = "--require, --forbid, --allow and --tiers need one graph, or lists of parent sets."
            raise UsageError(alone if first.is_class else needs)
        parents, place = _placed(first.record, dataset, asked, sources[0])
        of_class = ClassStructures(parents, [ordered_pair(place[a], place[b]) for a, b in first.undirected or ()])
        if knowledge is not None:
            of_class = of_class.under(knowledge)
        if first.is_class:
            called = "over the parent sets that the essential graph allows, equally weighted"
            return Structures(dataset, ((cause, of_class.of(cause)) for cause in causes), called)
    counted, n_networks = CountedStructures(causes), 0
    for source, learnt in itertools.chain([(sources[0], first)], [] if second is None else [second], networks):
        if learnt.is_class:
            raise UsageError("an essential graph is read alone: give one graph, or networks.")
        counted.add(_placed(learnt.record, dataset, asked, source)[0])
        n_networks += 1
        reporter.progress(n_networks, None, "networks")
    if n_networks == 1:
        _warn_of_directions(first.record, reporter)
    called = "given the network" if n_networks == 1 else f"over {plural(n_networks, 'network')}, equally weighted"
    return Structures(dataset, ((cause, counted.of(cause)) for cause in causes), called)


def _placed(
    network: NetworkRecord, dataset: Dataset, asked: AskedEffects, source: Any
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The parents of every variable, by the places of the variables in the data; and the place of each variable.

    Raises `Inconsistent`: the network has other variables.
    """
    network = completed(network, source, dataset.names, asked.given.data, asked.run.reporter)
    index = {name: place for place, name in enumerate(dataset.names)}
    if index.keys() != set(network.header.names):
        raise Inconsistent("the networks have different variables", remedy="average over networks of the same data")
    place = [index[name] for name in network.header.names]
    parents: list[tuple[int, ...]] = [()] * len(place)
    for child, family in zip(place, network.parents):
        parents[child] = tuple(sorted(place[parent] for parent in family))
    return parents, place


def _warn_of_directions(network: NetworkRecord, reporter: LineReporter) -> None:
    """Warn of arcs whose direction nothing decides."""
    from stages.graphs.orientation import network_directions

    with contextlib.suppress(Inconsistent):
        undecided = list(network_directions(network).values()).count(UNDECIDED)
        if undecided:
            reporter.warn(
                f"nothing decides the direction of {plural(undecided, 'arc')} of this network, and effects depend on "
                "it; for all effects that the data allow, give the essential graph (bnsl convert --cpdag) or SETS"
            )
