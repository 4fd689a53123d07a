"""Draw random orders of the variables, find the best network consistent with each, and keep the best of all.

`bnsl` gives the table of candidate parent sets, the options of its command line, a budget and a reporter of progress.
"""

from stages.lists.order_decoding import choose_consistent, sets_tested
from stages.lists.set_lists import index_table
from stages.optimize.bounds.anytime_bound import AnytimeBound
from stages.optimize.orders.initial_orders import make_sampler
from stages.optimize.restarts import Attempt, run_restarts, sampling_rules
from stages.optimize.result import listed_result, total_score
from stages.runtime.seeding import task_generator


def search(table, options, budget, reporter):
    """The best network of as many orders as ``--restarts`` or ``--time`` allow."""
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)  # its orders agree with --require and a network to start from
    bound = AnytimeBound(table, options.seed, budget)  # improves an upper bound beside the search

    def restart(index, limit):
        order = sampler.draw(task_generator(options.seed, index), index == 0)
        _, chosen = choose_consistent(lists, order)
        return Attempt(chosen, total_score(lists.scores, chosen), 1, sets_tested(lists, chosen), order)

    rules = sampling_rules(options.restarts, budget)
    report = run_restarts(restart, rules, budget, options, reporter, bound)
    facts = {**report.facts, **bound.header_facts(report.best.score)}
    return listed_result(table, report.best.chosen, report.best.score, facts)
