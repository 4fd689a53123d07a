"""Searches over orders of the variables among listed sets, without a treewidth bound.

Given an order, each variable chooses its best set of predecessors independently, which yields the order's best
network (Teyssier and Koller 2005). `ils`, the default, is an iterated local search by insertion (`insertion_ils`,
also used by `stages.optimize.exact` and `stages.optimize.pricing`). `initial_orders` draws initial orders,
`stages.lists.order_decoding` turns orders into networks.

To add a method, write a module with ``search`` (`stages.optimize.result.ListSearch`): a function for one restart that
returns a `stages.optimize.restarts.Attempt`, and a call of `run_restarts`.
"""
