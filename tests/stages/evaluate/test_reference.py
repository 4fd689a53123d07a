"""Agreement with bnlearn: a committed excerpt of figures, and all of them where the shared data are present."""

from __future__ import annotations

import gzip
import itertools
import json
import math

import numpy as np
import pytest
from helpers.cases.evaluation import directed_graph, make_dataset
from helpers.places import TEST_DATA
from naive import networks as naive_networks
from naive import scores as naive_scores

from formats import open_dataset
from stages.graphs.essential_graphs import (
    compare_arcs,
    essential_graph,
    list_arcs,
    skeleton_distance,
    structural_hamming_distance,
)
from stages.scoring.independent import count_family, count_parameters, local_score, score_families

EXCERPT = json.loads((TEST_DATA / "reference_excerpt.json").read_text())
RELATIVE = 1e-9

# The reference's names of scores, with the score's name and equivalent sample size here.
SCORES = {
    "loglik": ("ll", 1.0),
    "aic": ("aic", 1.0),
    "bic": ("bic", 1.0),
    "bdeu_iss1": ("bdeu", 1.0),
    "bdeu_iss10": ("bdeu", 10.0),
    "k2": ("k2", 1.0),
}
EXCERPT_SCORES = {
    "ll": ("ll", 1.0),
    "aic": ("aic", 1.0),
    "bic": ("bic", 1.0),
    "bdeu_ess1": ("bdeu", 1.0),
    "bdeu_ess10": ("bdeu", 10.0),
    "k2": ("k2", 1.0),
}


def rows_of(family):
    """Rows with the counts of a family's table: parents, then the child."""
    cells = np.ndindex(*family["states"])
    return [cell for cell, count in zip(cells, family["counts"], strict=True) for _ in range(count)]


def parents_from(arcs, n_variables):
    parents = [[] for _ in range(n_variables)]
    for tail, head in arcs:
        parents[head].append(tail)
    return [tuple(sorted(p)) for p in parents]


def score_table(family):
    """All scores of a family of the excerpt."""
    child = len(family["states"]) - 1
    counts = count_family(make_dataset(rows_of(family), family["states"]), family["states"], child, range(child))
    return {name: local_score(counts, *score) for name, score in EXCERPT_SCORES.items()}


@pytest.mark.parametrize("family", EXCERPT["families"], ids=lambda f: f"{f['data']}-{f['child']}")
def test_excerpt_families(family):
    assert score_table(family) == pytest.approx(family["scores"], rel=RELATIVE)
    child = len(family["states"]) - 1
    rows = rows_of(family)
    for name, (score, ess) in EXCERPT_SCORES.items():
        naive = naive_scores.local_score(rows, family["states"], child, range(child), score, ess)
        assert naive == pytest.approx(family["scores"][name], rel=RELATIVE)


@pytest.mark.parametrize("network", EXCERPT["networks"], ids=lambda n: f"{n['data']}-{n['graph']}")
def test_excerpt_networks(network):
    tables = [score_table(family) for family in network["families"]]
    totals = {name: math.fsum(table[name] for table in tables) for name in EXCERPT_SCORES}
    assert totals == pytest.approx(network["scores"], rel=RELATIVE)


@pytest.mark.parametrize("structure", EXCERPT["structures"], ids=lambda s: s["data"])
def test_excerpt_structures(structure):
    n = structure["variables"]
    networks = {name: parents_from(graph["arcs"], n) for name, graph in structure["graphs"].items()}
    for name, graph in structure["graphs"].items():
        expected = ({tuple(a) for a in graph["compelled"]}, {tuple(e) for e in graph["undirected"]})
        assert essential_graph(networks[name]) == expected
        assert len(naive_networks.v_structures(networks[name])) == graph["v_structures"]
    for pair in structure["pairs"]:
        check_pair(pair, networks)


def check_pair(pair, networks):
    learned, target = networks[pair["learned"]], networks[pair["target"]]
    assert structural_hamming_distance(essential_graph(learned), essential_graph(target)) == pair["shd_cpdag"]
    assert structural_hamming_distance(directed_graph(learned), directed_graph(target)) == pair["shd_dag"]
    assert skeleton_distance(list_arcs(learned), list_arcs(target)) == pair["hamming_skeleton"]
    assert compare_arcs(learned, target) == (pair["tp"], pair["fp"], pair["fn"])


DATA_FILES = {
    "asia": "reference/asia.csv.gz",
    "learning.test": "reference/learning.test.csv.gz",
    "alarm": "reference/alarm.csv.gz",
    "nltcs": "debd/nltcs.train.csv.gz",
}


@pytest.fixture(scope="module", params=DATA_FILES)
def reference(request, shared, tmp_path_factory):
    """A data set of the reference, its variables' places, and its networks."""
    entry = json.loads((shared / "reference_scores.json").read_text())["datasets"][request.param]
    first_rows = tmp_path_factory.mktemp("reference") / "data.csv"
    with gzip.open(shared / "data" / DATA_FILES[request.param], "rt") as lines:
        first_rows.write_text("".join(itertools.islice(lines, 1 + entry["rows"])))
    dataset = open_dataset(str(first_rows))
    assert [list(v.states) for v in dataset.variables] == list(entry["levels"].values())
    place = {variable: index for index, variable in enumerate(entry["levels"])}
    networks = {
        name: parents_from([(place[a], place[b]) for a, b in graph["arcs"]], len(place))
        for name, graph in entry["dags"].items()
    }
    return entry, dataset, place, networks


def test_all_networks(reference):
    entry, dataset, place, networks = reference
    for graph_name, graph in entry["dags"].items():
        for key, (score, ess) in SCORES.items():
            total = math.fsum(score_families(networks[graph_name], dataset, (score,), ess)[score])
            assert total == pytest.approx(graph["scores"][key], rel=RELATIVE)
        assert count_parameters(networks[graph_name], dataset.n_states) == graph["scores"]["nparams"]
        essential = essential_graph(networks[graph_name])
        assert essential.directed == {(place[a], place[b]) for a, b in graph["cpdag"]["directed"]}
        undirected = {tuple(sorted((place[a], place[b]))) for a, b in graph["cpdag"]["undirected"]}
        assert essential.undirected == undirected
        assert len(naive_networks.v_structures(networks[graph_name])) == graph["vstructs"]
    for pair in entry["pairs"]:
        check_pair(pair, networks)


def test_all_local_scores(reference):
    entry, dataset, place, _ = reference
    for family in entry["local_scores"]:
        parents = [place[p] for p in family["parents"]]
        counts = count_family(dataset, dataset.n_states, place[family["node"]], parents)
        for key, score in SCORES.items():
            assert local_score(counts, *score) == pytest.approx(family[key], rel=RELATIVE)
    for pair in entry["pairwise"]:
        counts = count_family(dataset, dataset.n_states, place[pair["x"]], [place[pair["y"]]])
        conditional_entropy = -local_score(counts, "ll") / dataset.n_rows
        assert conditional_entropy == pytest.approx(pair["H_x_given_y_loglik"], rel=RELATIVE)
