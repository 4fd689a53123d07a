"""Searches on data that alternate between finding networks and candidate sets (column generation by sampling).

`loop` searches on the present lists and grows them until nothing improves or the budget ends. Two engines search and
grow: `order_pricing`; and under a treewidth bound `ktree_pricing` (started by `bounded`), as soon as networks found
without the bound are too wide (`widthless`). `run` has the data that loop and engines share, and the protocol of
engines; `list_bound` is the upper bound and its share of the work. `greedy_start` climbs to a first network, for
millions of rows from one found on samples of them (`row_samples`); `boss` leads the search over orders to other
basins (`basins`). `growing_lists` are the lists, whose sets `stages.scoring.set_grower` scores once each; small
problems are solved on `complete_lists`.

To add an engine, write a class of the protocol `run.PricingEngine` and ``search_data``
(`stages.optimize.result.DataSearch`) beside it, and enter the module in `METHODS`.
"""
