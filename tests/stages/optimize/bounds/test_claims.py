"""Among which networks a bound holds: every limit on lists and search is named, and nothing more is claimed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from naive.optimize.networks_search import make_table

from formats.data_records import Variable
from formats.records import Header
from stages.knowledge import Knowledge, make_knowledge
from stages.lists.constrain import keep_admissible
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.claims import claim_of_grown_lists, claim_of_lists, claim_of_scores
from stages.optimize.driver import run
from stages.optimize.treewidth import forest
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

UNLIMITED = OptimizeOptions()


def table_by(*commands, complete=True, fixed=False):
    """Lists of four variables as these commands, with their options, made them."""
    by = tuple({"stage": stage, "version": "0", "options": options} for stage, options in commands)
    header = Header(tuple(Variable(f"V{i}") for i in range(4)), by=by)
    table = make_table({v: {(): -1.0} for v in range(4)}, header=header)
    table.complete[:] = complete
    table.fixed[0] = fixed
    return table


@pytest.mark.parametrize(
    ("limits", "claim"),
    [
        ({}, "all networks"),
        ({"max_parents": 0}, "all networks with at most 0 parents each"),
        ({"max_parents": 1}, "all networks with at most 1 parent each"),
        ({"max_parents": 3}, "all networks"),  # of four variables
        ({"forbid": ["V0->V1"]}, "all networks under the constraints"),
        ({"tiers": [["V0"]], "max_parents": 2}, "all networks with at most 2 parents each under the constraints"),
        ({"require": {"number": 101}}, "all networks under the constraints"),
        ({"screen": True}, "all networks made of the screening forest and arcs among its roots"),
    ],
)
def test_limits_of_complete_lists_are_named(limits, claim):
    limits = {"method": "sequential", "seed": 1, "near": True, "extend": True, **limits}
    assert claim_of_lists(table_by(("parentsets", limits)), UNLIMITED) == claim


def test_only_the_command_that_made_the_lists_limits_them():
    table = table_by(("parentsets", {"max_parents": 1}), ("optimize", {}), ("parentsets", {"near": True}))
    assert claim_of_lists(table, UNLIMITED) == "all networks"
    unknown = "all networks within the limits of the lists, which are unknown"
    assert claim_of_lists(table_by(), UNLIMITED) == unknown
    assert claim_of_lists(table_by(("screen", {"max_parents": 1})), UNLIMITED) == unknown
    assert claim_of_lists(table_by(("parentsets", {"max_parents": "many"})), UNLIMITED) == unknown


def test_lists_that_are_not_complete_prove_nothing_about_other_sets():
    table = table_by(("parentsets", {}), complete=[True, True, False, True])
    assert claim_of_lists(table, UNLIMITED) == "networks of the listed sets (whether more exist is not known)"
    table = replace(table, header=replace(table.header, data="0" * 64))
    assert claim_of_lists(table, UNLIMITED) == "networks of the listed sets (more exist)"
    table = replace(table, n_cut_short=3, n_unsearched=1)
    early = "1 of 4 variables never searched; the lists of 2 of 4 variables ended early; more exist"
    assert claim_of_lists(table, UNLIMITED) == f"networks of the listed sets ({early})"
    table = replace(table, n_cut_short=4, n_unsearched=0)
    early = "the lists of all 4 variables ended early; more exist"
    assert claim_of_lists(table, UNLIMITED) == f"networks of the listed sets ({early})"
    table.fixed[2] = True
    assert claim_of_lists(table, UNLIMITED) == "all networks with the fixed sets"


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        ({"treewidth": 2}, "all networks with at most 2 parents each, of any treewidth"),
        ({"treewidth": 3}, "all networks"),  # of four variables
        ({"treewidth": 40}, "all networks"),
        ({"treewidth": 1}, "all networks with at most 1 parent each"),
        ({"knowledge": Knowledge.of_arcs("ABCD", [(0, 1)])}, "all networks under the constraints"),
        ({"knowledge": Knowledge.of_arcs("ABCD", (), [(0, 1)])}, "all networks under the constraints"),
        ({"knowledge": Knowledge.of_arcs("ABCD", tiers=(0, 0, 1, 1))}, "all networks under the constraints"),
        ({"knowledge": Knowledge(tuple("ABCD"), allowed=())}, "all networks under the constraints"),
        ({"knowledge": Knowledge(tuple("ABCD"))}, "all networks"),
    ],
)
def test_limits_of_the_search_are_named(given, claim):
    assert claim_of_lists(table_by(("parentsets", {})), OptimizeOptions(**given)) == claim


@pytest.mark.parametrize(("treewidth", "most"), [(3, "1 parent"), (1, "1 parent"), (0, "0 parents")])
def test_a_forest_is_best_among_networks_of_one_parent_each_whatever_the_treewidth(treewidth, most):
    found = forest.search(
        table_by(("parentsets", {})), OptimizeOptions(treewidth=treewidth), Budget(), NullReporter()
    )
    assert found.bound.about == f"all networks with at most {most} each"


def test_the_claim_says_whether_the_bound_is_about_the_treewidth():
    limits = table_by(("parentsets", {}))
    for given, claim in (
        ({"treewidth": 2}, " with at most 2 parents each, of treewidth at most 2"),
        ({"treewidth": 3}, ""),  # of four variables
        ({"treewidth": 1}, " with at most 1 parent each"),
    ):
        options = OptimizeOptions(**given)
        assert claim_of_lists(limits, options, is_narrow=True) == f"all networks{claim}"
        assert claim_of_scores(options, 4, is_narrow=True) == f"all networks{claim}"
        if options.treewidth != 3:
            listed = claim_of_grown_lists(7, options, is_narrow=True)
            assert listed == f"networks of the listed sets{claim} (7 sets at the end of the search; more exist)"


def test_the_narrower_limit_counts():
    options = OptimizeOptions(treewidth=2)
    for most in (1, 3):
        claim = claim_of_lists(table_by(("parentsets", {"max_parents": most})), options)
        assert claim.startswith(f"all networks with at most {min(most, 2)} parent")


def test_claims_of_searches_on_data():
    options = OptimizeOptions(treewidth=2, max_parents=1, knowledge=Knowledge.of_arcs("ABCD", forbidden=((0, 1),)))
    assert claim_of_scores(options, 4) == "all networks with at most 1 parent each under the constraints"
    assert claim_of_scores(OptimizeOptions(max_parents=3), 4) == "all networks"
    assert claim_of_scores(OptimizeOptions(max_parents=3), 5) == "all networks with at most 3 parents each"
    assert (
        claim_of_grown_lists(1234, UNLIMITED)
        == "networks of the listed sets (1,234 sets at the end of the search; more exist)"
    )


def test_a_limit_on_lists_narrows_what_is_proved_of_the_same_data():
    found = {}
    for limits, more in (({"max_parents": 1}, {}), ({}, {(1, 2): -2.0})):
        header = table_by(("parentsets", limits)).header
        lists = {0: {(): -9.0, (1,): -8.0, **more}, **{v: {(): -5.0} for v in (1, 2, 3)}}
        table = make_table(lists, header=header)
        table.complete[:] = True
        network, _ = run(table, UNLIMITED, Budget(), NullReporter())
        found[network.header.extra["bound_relative_to"]] = network.header.extra["total"]
    assert found == {"all networks with at most 1 parent each": -23.0, "all networks": -17.0}


def test_constraints_of_the_search_take_completeness_from_children_with_required_parents():
    table = make_table({0: {(): -2.0, (1,): -1.5}, 1: {(): -3.0, (0,): -1.0}})
    table = replace(table, header=replace(table.header, by=({"stage": "parentsets", "options": {}},)))
    table.complete[:] = True
    forbidden = make_knowledge(table.header.names, [], [(0, 1)], [])
    options = OptimizeOptions(knowledge=Knowledge.of_arcs("ABCD", forbidden=((0, 1),)))
    assert claim_of_lists(keep_admissible(table, forbidden), options) == "all networks under the constraints"
    required = make_knowledge(table.header.names, [(0, 1)])
    options = OptimizeOptions(knowledge=Knowledge.of_arcs("ABCD", required=((0, 1),)))
    assert claim_of_lists(keep_admissible(table, required), options).startswith("networks of the listed sets (")


def test_what_lists_say_of_another_network_is_left_out():
    table = table_by(("parentsets", {}))
    stale = {"gap": 0.0, "bound": -1.0, "total": -1.0, "treewidth": {"bound": 1}, "interrupted": True, "note": "mine"}
    table = replace(table, header=replace(table.header, extra=stale))
    network, _ = run(table, OptimizeOptions(), Budget(), NullReporter())
    extra = network.header.extra
    assert extra["gap"] == extra["bound"] - extra["total"] != 0.0
    assert extra["note"] == "mine"
    assert not {"treewidth", "interrupted"} & set(extra)
