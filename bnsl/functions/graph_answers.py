"""Answers of `bnsl.query` about the graph alone: separation, adjustment sets, relatives, implied independencies."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from formats.data_records import Dataset, Variable
from formats.graphs.algorithms import Parents
from formats.tables.assignments import find_variable
from formats.tables.results.result_tables import FIGURE, NUMBER, TEXT
from formats.tables.selection import column_list, expanded_names
from formats.wording import plural
from stages.evaluate.independence_tests import independence_test
from stages.evaluate.rank_tests import adjust_holm
from stages.graphs.adjustment import Adjustment
from stages.graphs.identification import front_door_sets, instruments
from stages.graphs.orientation import differing_edge
from stages.graphs.separation import ancestors, descendants, implied_independencies, open_path
from stages.graphs.subgraphs import markov_blanket
from stages.runtime.seeding import task_generator

from ..files.answers import Answers, Values
from ..files.inputs import LearntNetwork, open_network_or_class, warn_of_interventions
from ..options.data import KnownVariables
from ..options.graph_questions import GraphOptions
from ..options.shared import resolve_seed
from ..running.errors import UsageError
from ..running.reporter import Reporter

OpenRows = Callable[[KnownVariables | None], Dataset]
"""Opens rows, coded by known variables."""

LEVEL = 0.05
"""Level of the tests that the closing line counts, over all of them."""

MOST_SETS = 1000
"""Most minimal adjustment sets, or instruments with a set, that an answer lists."""

WITHOUT_LATENT = "if no two variables have a hidden common cause that the graph lacks"
"""What front-door sets and instruments of a network rest on."""


def answer_graph(
    network: Any, asked: GraphOptions, rows: OpenRows | None, seed: int | None, reporter: Reporter
) -> Answers:
    """The answer to a question about the graph of a network or an essential graph.

    `rows` opens the data to test independencies on; `seed` is of permutations. Raises `UsageError`: the question has
    no answer for a class of networks.
    """
    learnt = open_network_or_class(network, warn=reporter.warn)
    graph = _Graph([variable.name for variable in learnt.structure.header.variables], learnt.structure.parents)
    given = graph.places(asked.given or (), "given")
    if asked.separated is not None:
        return graph.separation(*graph.pair(asked.separated, "separated", given), given)
    if asked.effect is not None:
        pair = graph.pair(asked.effect, "effect", given)
        if asked.by in ("front-door", "instruments"):
            if learnt.edges:
                raise UsageError(
                    f"--by {asked.by}: the sets of networks of an essential graph differ; give one of them."
                )
            return (graph.front_doors if asked.by == "front-door" else graph.instruments)(*pair, reporter)
        found = Adjustment(graph.parents, *pair, _undirected(learnt))
        return graph.checked(found, given) if asked.given is not None else graph.adjustment(found, reporter)
    if asked.relatives is not None:
        if learnt.edges:
            raise UsageError("--relatives: the networks of an essential graph differ in ancestors; give one of them.")
        return graph.relatives(*graph.places([asked.relatives], "relatives"))
    if rows is None:
        return graph.independencies()
    header = learnt.structure.header
    warn_of_interventions(header, reporter)
    dataset = rows(None if header.lacks_isolated else KnownVariables(header.variables, network))
    if header.data == dataset.fingerprint:
        reporter.warn(
            "the graph was learnt from these rows, so the tests reject too seldom: they say more on rows that it was "
            "not learnt from"
        )
    if asked.permutations is not None:
        seed = resolve_seed(seed, reporter)
    return graph.tested(dataset, asked.permutations, seed, reporter)


def _undirected(learnt: LearntNetwork) -> Sequence[tuple[int, int]]:
    """The undirected edges of an essential graph; none of a network."""
    edges = learnt.edges or ()
    if edges and differing_edge(learnt.structure.parents, edges) is not None:
        raise UsageError(
            "--effect: knowledge or interventions have directed arcs of this graph, and the sets that hold for such "
            "a graph are not offered; give one of its networks, or the essential graph without them."
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
                raise UsageError(f"--{option}: {name} is given, too.")
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

    def adjustment(self, found: Adjustment, reporter: Reporter) -> Answers:
        """The minimal adjustment sets, the smaller ones first, and the optimal one."""
        listed = list(itertools.islice(found.minimal(), MOST_SETS + 1))
        if len(listed) > MOST_SETS:
            del listed[MOST_SETS:]
            reporter.warn(f"there are more than {MOST_SETS:,} minimal sets: this is a part of them")
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

    def front_doors(self, cause: int, effect: int, reporter: Reporter) -> Answers:
        """The minimal front-door sets, the smaller ones first."""
        found = front_door_sets(self.parents, cause, effect)
        if found.most is not None:
            reporter.warn(f"sets of more than {plural(found.most, 'variable')} were not tried: there are too many")
        values: Values = [[self.listed(each) for each in found.sets], [len(each) for each in found.sets]]
        closing = f"{plural(len(found.sets), 'minimal front-door set')}, {WITHOUT_LATENT}"
        return Answers({"front_door_set": TEXT, "size": NUMBER}, [values], closing)

    def instruments(self, cause: int, effect: int, reporter: Reporter) -> Answers:
        """The instruments, each with the minimal sets that make it one."""
        listed = list(itertools.islice(instruments(self.parents, cause, effect), MOST_SETS + 1))
        if len(listed) > MOST_SETS:
            del listed[MOST_SETS:]
            reporter.warn(f"there are more than {MOST_SETS:,} instruments with a set: this is a part of them")
        values: Values = [
            [self.names[each.variable] for each in listed],
            [self.listed(each.given) for each in listed],
            [len(each.given) for each in listed],
        ]
        closing = f"{plural(len({each.variable for each in listed}), 'instrument')}, {WITHOUT_LATENT}"
        return Answers({"instrument": TEXT, "given": TEXT, "size": NUMBER}, [values], closing)

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
            return f"{self.listed(forbidden)}: on a directed path or behind one"
        path = found.open_path(given)
        assert path is not None
        return f"{self.drawn(path)} is open"

    def relatives(self, centre: int) -> Answers:
        """What all other variables are to one of them."""
        above, below = ancestors(self.parents, [centre]), descendants(self.parents, [centre])
        blanket = markov_blanket(self.parents, [centre])
        others = [v for v in range(len(self.names)) if v != centre]

        def relation(variable: int) -> str:
            if variable in above:
                return "parent" if variable in self.parents[centre] else "ancestor"
            if variable in below:
                return "child" if centre in self.parents[variable] else "descendant"
            return "neither"

        values = [
            [self.names[v] for v in others],
            [relation(v) for v in others],
            [_yes(v in blanket) for v in others],
        ]
        closing = (
            f"{plural(len(above) - 1, 'ancestor')}, {plural(len(below) - 1, 'descendant')}, "
            f"a Markov blanket of {plural(len(blanket) - 1, 'variable')}"
        )
        return Answers(dict.fromkeys(("variable", "relation", "markov_blanket"), TEXT), [values], closing)

    def independencies(self) -> Answers:
        """The independencies that the graph implies."""
        implied = implied_independencies(self.parents)
        rows = [(self.names[a], self.names[b], self.listed(given)) for a, b, given in implied]
        values = [[row[place] for row in rows] for place in range(3)]
        closing = f"{plural(len(rows), 'pair')} of variables without an arc"
        return Answers(dict.fromkeys(("first", "second", "given"), TEXT), [values], closing)

    def tested(self, dataset: Dataset, permutations: int | None, seed: int | None, reporter: Reporter) -> Answers:
        """The independencies that the graph implies, each with its test on the rows; the least p-values first."""
        implied, place = list(implied_independencies(self.parents)), dataset.names.index
        found = []
        for number, (a, b, given) in enumerate(implied):
            rng = None if seed is None else task_generator(seed, number)
            conditions = [place(self.names[v]) for v in given]
            test = independence_test(
                dataset, place(self.names[a]), place(self.names[b]), conditions, permutations, rng
            )
            found.append((self.names[a], self.names[b], self.listed(given), *test))
            reporter.progress(number + 1, len(implied), "tests")
        adjusted = adjust_holm([row[-1] for row in found])
        rows = sorted(((*row, p) for row, p in zip(found, adjusted)), key=lambda row: (row[-2], -row[3]))
        columns = dict.fromkeys(("first", "second", "given"), TEXT)
        columns |= {"g2": FIGURE, "degrees": NUMBER, "p_value": FIGURE, "p_holm": FIGURE}
        rejected = sum(p <= LEVEL for p in adjusted)
        closing = (
            f"{plural(len(rows), 'test')} on {plural(dataset.n_rows, 'row')}: {rejected:,} of the independencies "
            f"rejected at {LEVEL:g} (Holm)"
        )
        figures = {} if seed is None else {"permutations": permutations, "seed": seed}
        return Answers(columns, [[*zip(*rows)] or [[] for _ in columns]], closing, figures)


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
