"""TAN, KDB and their choice: conditional information by definition, the best of all trees, the rule of K dependences,
each row predicted by counting all others.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import make_dataset

import bnsl
from formats.data_records import Interventions
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.published.class_centred import cll, kdb, tan
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def random_table(seed, n=5, n_rows=60):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, n)
    codes = np.array([rng.integers(0, size, n_rows) for size in sizes])
    for v in range(1, n):  # dependence, so that choices differ
        copied = rng.random(n_rows) < 0.5
        codes[v, copied] = codes[v - 1, copied] % sizes[v]
    return codes.astype(np.uint8), sizes.tolist()


def searched(module, codes, sizes, target=0, score="bic", budget=None, **own):
    dataset = make_dataset(codes, sizes)
    options = OptimizeOptions(method="tan", target=dataset.names[target], **own)
    scorer = FamilyScorer(dataset, score)
    return module.search_data(scorer, options, budget or Budget(), NullReporter()), scorer


def entropy(codes, columns):
    counts = Counter(map(tuple, codes[list(columns)].T.tolist())).values()
    total = sum(counts)
    return -sum(c / total * math.log(c / total) for c in counts)


def information(codes, a, b, given=()):
    """I(a; b | given) in nats, by its definition."""
    first, both = [a, *given], [a, b, *given]
    rest = entropy(codes, given) if given else 0.0
    return entropy(codes, first) + entropy(codes, [b, *given]) - entropy(codes, both) - rest


def likelihood(codes, parents):
    n_rows = codes.shape[1]
    return -n_rows * sum(entropy(codes, [v, *p]) - (entropy(codes, p) if p else 0) for v, p in enumerate(parents))


@pytest.mark.parametrize("seed", seeds(20, 4))
@pytest.mark.parametrize("score", ["bic", "bdeu", "ll"])
def test_tan_is_the_likeliest_of_all_trees(seed, score):
    codes, sizes = random_table(seed)
    target = seed % 5
    found, scorer = searched(tan, codes, sizes, target, score)
    features = [v for v in range(5) if v != target]
    assert found.parents[target] == () and all(target in found.parents[v] for v in features)
    trees = []
    # Every labelled tree on the features, rooted at the first: a parent for each other one, without a cycle.
    for choice in itertools.product(features, repeat=3):
        parent = dict(zip(features[1:], choice))
        for start in features[1:]:
            v, steps = start, 0
            while v != features[0] and steps < 5:
                v, steps = parent[v], steps + 1
            if v != features[0]:
                break
        else:
            network = [
                () if v == target else tuple({target, *([parent[v]] if v in parent else [])}) for v in range(5)
            ]
            trees.append(likelihood(codes, network))
    assert len(trees) == 16  # Cayley: 4 ** 2
    assert likelihood(codes, found.parents) == pytest.approx(max(trees), abs=1e-8)
    assert found.score == pytest.approx(sum(scorer.local_score(v, p) for v, p in enumerate(found.parents)))


@pytest.mark.parametrize("dependence", [0, 1, 2, 9])
@pytest.mark.parametrize("seed", seeds(10, 3))
def test_kdb_follows_its_rule(seed, dependence):
    codes, sizes = random_table(seed, 6)
    found, _ = searched(kdb, codes, sizes, 2, dependence=dependence)
    order = sorted((v for v in range(6) if v != 2), key=lambda v: -information(codes, v, 2))
    for place, child in enumerate(order):
        nearest = sorted(order[:place], key=lambda v: -information(codes, child, v, (2,)))
        assert found.parents[child] == tuple(sorted({2, *nearest[:dependence]}))


def left_out_likelihood(codes, sizes, target, parents):
    """Log-likelihood of the class of each row given its features, with probabilities from all other rows."""
    n_rows = codes.shape[1]

    def probability(row, values, variable):
        """Of a variable's state given the states of its parents; the row itself counts for its own class alone."""
        column = codes[variable]
        share = (np.count_nonzero(column == values[variable]) + 1) / (n_rows + sizes[variable])
        like = np.ones(n_rows, dtype=bool)
        if values[target] == codes[target, row] or variable == target:
            like[row] = False
        for parent in parents[variable]:
            like &= codes[parent] == values[parent]
        return (np.count_nonzero(like & (column == values[variable])) + 5 * share) / (np.count_nonzero(like) + 5)

    total = 0.0
    for row in range(n_rows):
        joint = []
        for label in range(sizes[target]):
            values = [label if v == target else codes[v, row] for v in range(len(codes))]
            joint.append(
                math.prod(probability(row, values, v) for v, p in enumerate(parents) if v == target or target in p)
            )
        total += math.log(joint[codes[target, row]] / sum(joint))
    return total


@pytest.mark.parametrize("seed", seeds(8, 3))
def test_likelihood_of_a_class(seed):
    codes, sizes = random_table(seed, 5, 40)
    rng = np.random.default_rng(seed)
    for target in range(5):
        order = [int(v) for v in rng.permutation(5) if v != target]
        parents = [()] * 5
        for place, child in enumerate(order):
            parents[child] = tuple(sorted((target, *(p for p in order[:place] if rng.random() < 0.5))))
        rows = cll.ClassRows(codes, np.array(sizes), target)
        plain = left_out_likelihood(codes, sizes, target, parents)
        assert rows.log_likelihood(tuple(parents)) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("seed", seeds(8, 2))
def test_the_classifier_of_largest_conditional_likelihood(seed):
    codes, sizes = random_table(seed, 6, 40)
    target = seed % 6
    found, _ = searched(cll, codes, sizes, target)
    networks = {"tan": searched(tan, codes, sizes, target)[0].parents}
    networks |= {f"kdb {k}": searched(kdb, codes, sizes, target, dependence=k)[0].parents for k in range(5)}
    networks["naive Bayes"] = networks.pop("kdb 0")
    likelihoods = {}
    for name, parents in networks.items():
        likelihoods[name] = left_out_likelihood(codes, sizes, target, parents)
    # One dependence more that gains less than a nat ends the comparison.
    last = next((k for k in range(2, 5) if likelihoods[f"kdb {k}"] < likelihoods[f"kdb {k - 1}"] + 1.0), 4)
    compared = ["naive Bayes", "tan", *(f"kdb {k}" for k in range(1, last + 1))]
    best = max(compared, key=likelihoods.__getitem__)
    assert found.facts["conditional_log_likelihood"] == pytest.approx(likelihoods[best], abs=1e-9)
    assert found.parents == networks[found.facts["classifier"]]


def test_what_is_not_compared_has_the_class_alone():
    codes, sizes = random_table(1)
    found, _ = searched(tan, codes, sizes, 0, budget=Budget(evaluations=0))
    assert found.parents == ((), (0,), (0,), (0,), (0,))


def test_a_class_alone_is_a_network():
    for module in (tan, cll):
        found, _ = searched(module, np.array([[0, 1, 1]], dtype=np.uint8), [2])
        assert found.parents == ((),)


def test_class_and_knowledge_are_checked():
    codes, sizes = random_table(1)
    dataset = make_dataset(codes, sizes)

    def search(dataset=dataset, target=dataset.names[0], **options):
        given = OptimizeOptions(method="kdb", target=target, dependence=1, **options)
        return kdb.search_data(FamilyScorer(dataset, "bic"), given, Budget(), NullReporter())

    with pytest.raises(StageError, match="there is no column 'speed'"):
        search(target="speed")
    with pytest.raises(StageError, match="by a fixed rule"):
        search(knowledge=Knowledge.of_arcs(dataset.names, [(0, 1)]))
    interventions = Interventions(((), (1,)), np.arange(dataset.n_rows, dtype=np.int32) % 2)
    with pytest.raises(StageError, match="leave out --interventions"):
        search(dataset=replace(dataset, interventions=interventions))


@pytest.mark.parametrize("options", [{"method": "tan"}, {"method": "kdb", "dependence": 2}, {"method": "cll"}])
def test_python_and_the_classifier_know_the_class(options):
    codes, _ = random_table(3)
    table = dict(zip("abcde", codes.tolist()))
    with pytest.raises(bnsl.UsageError, match=f"method {options['method']} needs target=NAME"):
        bnsl.learn(table, quiet=True, **options)
    network = bnsl.learn(table, target="c", quiet=True, **options)
    assert all((other, "c") not in network.arcs and ("c", other) in network.arcs for other in "abde")
    labels = table.pop("c")
    rows = np.array(list(table.values())).T
    classifier = bnsl.BayesianNetworkClassifier(**options).fit(rows, labels)
    assert classifier.network_.parents("y") == ()
    assert classifier.score(rows, labels) > 1 / 3
