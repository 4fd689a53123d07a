"""Answers of `bnsl.query` about the graph alone: separation and adjustment sets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from formats.data_records import Variable
from formats.graphs.algorithms import Parents
from formats.tables.assignments import find_variable
from formats.tables.results.result_tables import NUMBER, TEXT
from formats.tables.selection import column_list, expanded_names
from formats.wording import plural
from stages.graphs.adjustment_sets import Adjustment
from stages.graphs.d_separation import open_path
from stages.graphs.orientation import differing_edge

from ..files.answers import Answers, Values
from ..files.network_inputs import read_network_or_class
from ..networks import Network
from ..options.option import Given
from ..running.errors import UsageError
from ..running.reporter import LineReporter

MOST_SETS = 1000
"""Most minimal adjustment sets that an answer lists."""


def answer_graph(asked: Given, reporter: LineReporter) -> Answers:
    """The answer to a question about the graph of a network or an essential graph."""
    learnt = read_network_or_class(asked.network, warn=reporter.warn)
    graph = _Graph([variable.name for variable in learnt.record.header.variables], learnt.record.parents)
    given = graph.places(asked.given or (), "given")
    if asked.separated is not None:
        return graph.separation(*graph.pair(asked.separated, "separated", given), given)
    pair = graph.pair(asked.effect or (), "effect", given)
    found = Adjustment(graph.parents, *pair, _undirected(learnt))
    return graph.checked(found, given) if asked.given is not None else graph.adjustment(found, reporter)


def _undirected(learnt: Network) -> Sequence[tuple[int, int]]:
    """The undirected edges of an essential graph; none of a network."""
    edges = learnt.undirected or ()
    if edges and differing_edge(learnt.record.parents, edges) is not None:
        raise UsageError(
            "--effect takes no essential graph in which knowledge or interventions have directed arcs: give one of "
            "its networks, or the essential graph without them."
        )
    return edges


class _Graph:
    """A graph whose answers name its variables."""

    def __init__(self, names: Sequence[str], parents: Parents):
        self.names, self.parents = names, parents

    def places(self, names: Sequence[str], option: str) -> list[int]:
        """The variables of these names; refuses duplicates."""
        names = expanded_names(names, self.names)
        found = [find_variable(name, [Variable(known) for known in self.names]) for name in names]
        if len(set(found)) < len(found):
            raise UsageError(f"--{option} names a variable twice.")
        return found

    def pair(self, names: Sequence[str], option: str, given: Sequence[int]) -> tuple[int, int]:
        """Two variables, none of them given."""
        found = self.places(names, option)
        if len(found) != 2:
            raise UsageError(f"--{option} takes two variables: --{option} A,B.")
        for name, variable in zip(names, found):
            if variable in given:
                raise UsageError(f"--{option} and --given both name {name}: leave it out of one.")
        return found[0], found[1]

    def listed(self, variables: Iterable[int]) -> str:
        """Their names with commas between, in the order of the network."""
        return column_list(self.names[v] for v in sorted(variables))

    def drawn(self, path: Sequence[int]) -> str:
        """A path in words, with the directions of its arcs."""
        marks = ("->" if a in self.parents[b] else "<-" for a, b in itertools.pairwise(path))
        return self.names[path[0]] + "".join(f" {mark} {self.names[v]}" for mark, v in zip(marks, path[1:]))

    def separation(self, first: int, second: int, given: Sequence[int]) -> Answers:
        """Whether two variables are d-separated, and a path if not."""
        path = open_path(self.parents, first, second, given)
        row = [self.names[first], self.names[second], self.listed(given), _yes(path is None)]
        shown = None if path is None else self.drawn(path)
        values = [[cell] for cell in (*row, shown)]
        said = "d-separated" if path is None else f"not d-separated: {shown} is open"
        return Answers(dict.fromkeys(("first", "second", "given", "separated", "open_path"), TEXT), [values], said)

    def adjustment(self, found: Adjustment, reporter: LineReporter) -> Answers:
        """The minimal adjustment sets, the smaller ones first, and the optimal one."""
        listed = list(itertools.islice(found.minimal(), MOST_SETS + 1))
        if len(listed) > MOST_SETS:
            del listed[MOST_SETS:]
            reporter.warn(f"there are more than {MOST_SETS:,} minimal sets: these are some of them")
        optimal, minimal = found.optimal(), set(listed)
        sets = sorted(
            {*listed, *([] if optimal is None else [frozenset(optimal)])}, key=lambda s: (len(s), sorted(s))
        )
        values: Values = [
            [self.listed(each) for each in sets],
            [len(each) for each in sets],
            [_yes(each in minimal) for each in sets],
            [_yes(each == optimal) for each in sets],
        ]
        columns = {"adjustment_set": TEXT, "size": NUMBER, "minimal": TEXT, "optimal": TEXT}
        return Answers(
            columns, [values], f"{self.identified(found)}; {plural(len(minimal), 'minimal adjustment set')}"
        )

    def identified(self, found: Adjustment) -> str:
        """Whether the effect is identified, in words."""
        cause, effect = self.names[found.cause], self.names[found.effect]
        if found.undecided:
            one = self.names[min(found.undecided)]
            return (
                f"the effect of {cause} on {effect} is not identified: {cause} - {one} has no direction and may "
                "begin a directed path"
            )
        if not found.causal:
            return f"{cause} has no directed path to {effect}, so no effect on it"
        return f"the effect of {cause} on {effect} is identified"

    def checked(self, found: Adjustment, given: Sequence[int]) -> Answers:
        """Whether a set is an adjustment set, and the reason if not."""
        reason = None if found.is_valid(given) else self.objection(found, given)
        values: Values = [[self.listed(given)], [len(given)], [_yes(reason is None)], [reason]]
        columns = {"adjustment_set": TEXT, "size": NUMBER, "valid": TEXT, "reason": TEXT}
        return Answers(columns, [values], "an adjustment set" if reason is None else f"no adjustment set: {reason}")

    def objection(self, found: Adjustment, given: Sequence[int]) -> str:
        """Why a set is no adjustment set."""
        if found.undecided:
            return self.identified(found)
        if forbidden := set(given) & found.forbidden:
            return f"{self.listed(forbidden)} lies on a directed path or behind one"
        path = found.open_path(given)
        assert path is not None
        return f"{self.drawn(path)} is open"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
