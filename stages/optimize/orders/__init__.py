"""Searches over orders of the variables among listed sets, without a treewidth bound.

An order allows every variable the sets of its predecessors, so the best network of an order is found set by set
(Teyssier & Koller 2005). Methods: `obs` swaps neighbours, `asobs` selects sets along many orders so that no cycle
closes, `winasobs` moves blocks of an order, `ils` moves single variables and shakes. What they share:
`initial_orders` draws the orders to start from, `order_decoding` makes networks of orders, `insertion_ils` is the
local search of `ils`, which `stages.optimize.exact` and `stages.optimize.pricing` use too.

To add a method, write a module with ``search`` (`stages.optimize.result.ListSearch`): a function for one restart that
returns a `stages.optimize.restarts.Attempt`, and `run_restarts` for the rest; then enter it in `METHODS`.
"""
