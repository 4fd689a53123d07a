"""Draw random orders of the variables, find the best network consistent with each, and keep the best of all.

`bnsl` gives the table of candidate parent sets, the options, a budget and a reporter of progress. With ``--steps N``
each order is improved: of N random swaps of neighbours each is kept unless the network scores less.
"""

from bnsl.plugin import (
    AnytimeBound,
    Attempt,
    choose_consistent,
    index_table,
    listed_result,
    make_sampler,
    run_restarts,
    sampling_rules,
    sets_tested,
    task_generator,
    total_score,
)


def search(table, options, budget, reporter):
    """The best network of as many orders as ``--restarts`` or ``--time`` allow."""
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)  # its orders agree with --require and a network to start from
    bound = AnytimeBound(table, options.seed, budget)  # improves an upper bound beside the search

    def restart(index, limit):
        random = task_generator(options.seed, index)
        order = sampler.draw(random, index == 0)
        _, chosen = choose_consistent(lists, order)
        work = sets_tested(lists, chosen)
        for _ in range(options.own["steps"]):
            if index and budget.is_spent():
                break
            place = random.integers(len(order) - 1)
            swapped = order.copy()
            swapped[[place, place + 1]] = order[[place + 1, place]]
            _, found = choose_consistent(lists, swapped)
            work += sets_tested(lists, found)
            if total_score(lists.scores, found) >= total_score(lists.scores, chosen):
                order, chosen = swapped, found
        return Attempt(chosen, total_score(lists.scores, chosen), 1, work, order)

    rules = sampling_rules(options.restarts, budget)
    report = run_restarts(restart, rules, budget, options, reporter, bound)
    facts = {**report.facts, **bound.header_facts(report.best.score)}
    return listed_result(table, report.best.chosen, report.best.score, facts)
