"""What sets that are left out weigh: against all networks of all sets, and against a plain account of one list."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from helpers.cases.selections import identify
from helpers.tables import dependent_dataset
from naive.posterior import networks

from formats.data_records import Variable
from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets
from stages.knowledge import Knowledge
from stages.lists.constrain import keep_admissible
from stages.parentsets import ParentSetOptions
from stages.parentsets.omitted_mass import n_sets_within, omitted_mass, rounded_up
from stages.posterior import PosteriorOptions, exact
from stages.posterior.weights import constrained, listed_share, share_text
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter
from stages.scoring.independent import IndependentScorer


def lists_of(dataset, knowledge=None, **options) -> ParentSetTable:
    given = {"method": "sequential", "score": "bdeu", "evaluations": 10**6} | options
    return ParentSetTable.from_records(*identify(dataset, ParentSetOptions(**given), knowledge=knowledge))


def log_weight(table: ParentSetTable, prior: str) -> float:
    """Logarithm of the weight of all networks, added up one by one."""
    lists = [list(zip(record.parents, record.scores)) for record in table.records()]
    return float(np.logaddexp.reduce([weight for _, weight in networks(lists, prior)]))


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize(
    ("n_variables", "seed", "keep_mass", "max_parents"),
    [(2, 0, 0.5, 1), (3, 1, 0.3, 2), (4, 2, 0.1, 3), (4, 3, 0.9, 2), (5, 4, 0.3, 1), (5, 5, 1e-2, 1)],
)
def test_networks_of_listed_sets_have_their_share(n_variables, seed, keep_mass, max_parents, prior):
    dataset, _ = dependent_dataset(seed, n_variables, 60, most_states=3, noise=0.4, least_states=2)
    table = lists_of(dataset, keep_mass=keep_mass, max_parents=max_parents)
    whole = lists_of(dataset, keep_mass=0.0, max_parents=max_parents)
    assert table.complete.all()
    share = math.exp(log_weight(table, prior) - log_weight(whole, prior))
    reported = listed_share(table)
    assert reported is not None and reported <= share * (1 + 1e-9)
    assert listed_share(whole) == 1.0
    # Sharper than EPS for every set left out
    n_left_out = np.diff(whole.set_offsets) - np.diff(table.set_offsets)
    assert reported >= math.exp(-np.log1p(keep_mass * n_left_out).sum()) * (1 - 1e-6)
    if prior == "dags" and n_left_out.any():
        assert reported > 0.2 * share


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize("seed", [2, 3, 8])
def test_sets_with_columns_of_one_state_are_left_out(seed, prior):
    """Against the weight of all networks, also of networks with arcs that change no score."""
    dataset, _ = dependent_dataset(seed, 4, 60, most_states=3, noise=0.4)
    assert (dataset.n_states == 1).any()
    scorer = IndependentScorer(dataset, "bdeu", 1.0)
    every = [
        [
            (s, scorer.local_score(v, s))
            for k in range(4)
            for s in itertools.combinations(sorted({*range(4)} - {v}), k)
        ]
        for v in range(4)
    ]
    whole = float(np.logaddexp.reduce([weight for _, weight in networks(every, prior)]))
    for mass in (0.0, 0.1):
        table = lists_of(dataset, keep_mass=mass)
        reported = listed_share(table)
        assert reported is not None and reported <= math.exp(log_weight(table, prior) - whole) * (1 + 1e-9)


def test_the_share_is_met_where_nothing_is_in_the_way():
    """A tier of one parent and one child: its lists are all there is."""
    dataset, _ = dependent_dataset(0, 2, 40, noise=0.9)
    knowledge = Knowledge.of_arcs(dataset.names, forbidden=[(1, 0)])
    table, whole = (lists_of(dataset, knowledge, keep_mass=mass) for mass in (1.0 - 1e-12, 0.0))
    assert table.n_sets < whole.n_sets
    share = math.exp(log_weight(table, "dags") - log_weight(whole, "dags"))
    assert share * (1 - 1e-3) < listed_share(table) <= share * (1 + 1e-9)


def test_constraints():
    """Forbidden arcs leave the bound as it is, and lists made under required ones have a bound of their own."""
    dataset, _ = dependent_dataset(6, 4, 60, noise=0.4)
    table, whole = (lists_of(dataset, keep_mass=mass, max_parents=2) for mass in (0.3, 0.0))
    forbidden = Knowledge.of_arcs(dataset.names, forbidden=[(1, 0), (2, 3), (0, 3)])
    share = math.exp(
        log_weight(keep_admissible(table, forbidden), "dags") - log_weight(keep_admissible(whole, forbidden), "dags")
    )
    reported = listed_share(keep_admissible(table, forbidden))
    assert reported is not None and reported <= share * (1 + 1e-9)
    required = Knowledge(dataset.names, required={1: (0,)})
    made = [lists_of(dataset, required, keep_mass=mass, max_parents=2) for mass in (0.3, 0.0)]
    reported = listed_share(made[0])
    assert reported is not None
    assert reported <= math.exp(log_weight(made[0], "dags") - log_weight(made[1], "dags")) * (1 + 1e-9)


def share_under(seed: int) -> tuple[float | None, float | None]:
    """The share reported and the share by enumeration, under arcs that are required after lists were made."""
    rng = random.Random(seed)
    n = rng.choice([2, 3, 4])
    dataset, _ = dependent_dataset(seed, n, rng.choice([20, 60]), noise=rng.choice([0.4, 0.7]), least_states=2)
    mass, prior = rng.choice([0.0, 1e-3, 0.1, 0.5]), rng.choice(["dags", "orders"])
    table, whole = (lists_of(dataset, keep_mass=m, max_parents=n - 1) for m in (mass, 0.0))
    order = rng.sample(range(n), n)
    pairs = list(itertools.combinations(order, 2))
    required = rng.sample(pairs, rng.randint(1, min(2, len(pairs))))
    forbidden = [(b, a) for a, b in pairs if rng.random() < 0.3]
    knowledge = Knowledge.of_arcs(dataset.names, required, forbidden)
    try:
        kept = keep_admissible(table, knowledge)
    except InfeasibleError:
        return None, None
    of_all = log_weight(keep_admissible(whole, knowledge), prior)
    return listed_share(kept), math.exp(log_weight(kept, prior) - of_all)


def test_required_arcs_leave_a_bound():
    """No share is too large, and few are much too small."""
    found = [share_under(seed) for seed in range(120)]
    known = np.array([pair for pair in found if pair[0] is not None])
    assert len(known) > 60 and (known[:, 0] < 1.0).mean() > 0.15
    ratios = known[:, 0] / known[:, 1]
    assert (ratios <= 1 + 1e-9).all() and ratios.mean() > 0.8


def test_a_required_arc_without_a_list_for_it_leaves_none():
    """{a} is not listed for b, {a, c} is: the arc a -> b alone was left out, beside nothing that has it."""
    sets = {0: [((), 0.0)], 1: [((), 0.0), ((0, 2), -1.0)], 2: [((), 0.0)]}
    variables = tuple(map(Variable, "abc"))
    records = [
        ParentSetRecord.of(child, *zip(*listed), complete=True, left_out=0.01) for child, listed in sets.items()
    ]
    table = ParentSetTable.from_records(Header(variables), records)
    assert listed_share(keep_admissible(table, Knowledge("abc", required={1: (0,)}))) is None
    both = listed_share(keep_admissible(table, Knowledge("abc", required={1: (0, 2)})))
    assert both == pytest.approx(1 / (1.01**2 * (1 + 0.01 * (1 + math.e))))


class Heard(NullReporter):
    def __init__(self):
        self.said = []

    def summary(self, message: str) -> None:
        self.said.append(message)


def test_a_line_has_the_shares_before_and_under_constraints():
    sets = {0: [((), 0.0)], 1: [((0,), 0.0), ((), -2.0), ((0, 2), -3.0)], 2: [((), 0.0)]}
    records = [
        ParentSetRecord.of(child, *zip(*listed), complete=True, left_out=0.01) for child, listed in sets.items()
    ]
    table = ParentSetTable.from_records(Header(tuple(map(Variable, "abc"))), records)
    nothing = "an unknown share"
    for required, forbidden, under in [
        ([], [(2, 1)], None),
        ([(0, 1)], [], "at least 0.9692"),
        ([(2, 1)], [], nothing),  # {c} alone is not listed, its one superset is
        ([(0, 1), (2, 1)], [], "at least 0.7918"),
    ]:
        heard = Heard()
        kept = constrained(table, Knowledge.of_arcs("abc", required, forbidden), heard)
        assert (listed_share(kept) is None) == (under == nothing)
        assert len(heard.said) == (under is not None)
        for line in heard.said:
            assert line.startswith(
                "networks of the listed sets have at least 0.9705 of the probability of all networks without"
            )
            assert line.endswith(f"and {under} under them")


def test_a_share_too_small_to_show_bounds_nothing():
    for left_out, said in [(9000.0, "have at least 0.0001"), (10001.0, "is not known")]:
        record = ParentSetRecord.of(0, [()], [0.0], complete=True, left_out=left_out)
        table = ParentSetTable.from_records(Header((Variable("a"),)), [record])
        assert listed_share(table) == pytest.approx(1 / (1 + left_out))
        assert said in share_text(table)


def test_lists_that_are_not_complete():
    """A bound on the scores of what was not scored bounds its weight; without one nothing is known."""
    dataset, _ = dependent_dataset(7, 4, 60, noise=0.4)
    whole = lists_of(dataset, keep_mass=0.0, max_parents=3, score="bic")
    early = lists_of(dataset, keep_mass=0.3, max_parents=3, score="bic", evaluations=4)
    assert not early.complete.all()
    reported = listed_share(early)
    assert reported is not None
    assert reported <= math.exp(log_weight(early, "dags") - log_weight(whole, "dags")) * (1 + 1e-9)
    pruned = lists_of(dataset, max_parents=3, score="bic")
    assert listed_share(pruned) is None


@pytest.mark.parametrize(("keep_mass", "least"), [(0.5, 0.02), (1e-2, 0.5), (1e-4, 0.99)])
def test_the_share_of_more_variables(keep_mass, least):
    """By exact sums, which equal enumeration."""
    dataset, _ = dependent_dataset(9, 8, 200, noise=0.3, least_states=2)
    table, whole = (lists_of(dataset, keep_mass=mass, max_parents=3) for mass in (keep_mass, 0.0))
    totals = [exact.log_weight(each, PosteriorOptions(), Budget(), NullReporter()) for each in (table, whole)]
    reported = listed_share(table)
    assert reported is not None and least < reported <= math.exp(totals[0] - totals[1]) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_left_out_is_the_sum_over_supersets(seed):
    rng = np.random.default_rng(seed)
    sets = [s for size in range(4) for s in itertools.combinations(range(6), size)]
    scored = [s for s in sets if not s or rng.random() < 0.8]
    ordered = sorted(((s, float(rng.normal(-3 * len(s), 3))) for s in scored), key=lambda item: -item[1])
    keep = np.array([not s or rng.random() < 0.4 for s, _ in ordered])
    listed = {s: score for (s, score), kept in zip(ordered, keep) if kept}
    sums, anywhere = dict.fromkeys(listed, 0.0), 0.5 * (50 - len(ordered))
    for (members, score), kept in zip(ordered, keep):
        if not kept:
            reached = best_by_steps(members, listed, set(scored))
            if reached is None:
                anywhere += 2.0
            else:
                sums[reached] += math.exp(score - listed[reached])
    sets, scores = zip(*ordered)
    found = omitted_mass(ListedSets.of(sets), np.array(scores), keep, 50.0, 2.0, 0.5)
    expected = max(sums.values()) + anywhere
    assert expected * (1 - 1e-9) <= found <= expected * 1.001


def best_by_steps(members, listed, scored):
    """The best listed subset that is reached by leaving out one member after the other, through scored sets."""
    smaller = [s for s in itertools.combinations(members, len(members) - 1) if s in scored] if members else []
    found = [reached for s in smaller if (reached := best_by_steps(s, listed, scored)) is not None]
    if members in listed:
        found.append(members)
    return max(found, key=listed.__getitem__, default=None)


def test_rounding_up():
    assert [rounded_up(x) for x in (0.0, 0.1234, 0.12341, 98765.0, 9.9999, 1e-200, math.inf)] == [
        0.0, 0.1234, 0.1235, 98770.0, 10.0, 1e-200, math.inf,
    ]  # fmt: skip


def test_number_of_sets():
    assert n_sets_within(5, 2) == 16
    assert n_sets_within(5, 9) == 32
    assert n_sets_within(0, 3) == n_sets_within(7, 0) == 1
    assert n_sets_within(2000, 1999) == n_sets_within(5000, 5000) == math.inf
