"""Searches on data that alternate between finding networks and candidate sets (column generation by sampling).

`loop` searches on the present lists and grows them until nothing improves or the budget ends; two engines do the
searching and growing: `orders`, and `ktrees` under a treewidth bound (started by `bounded`) once the networks of the
former are too wide (`widthless`). What they share and what the loop asks of them is in `run`; `list_bound` is the
upper bound and its share of the work.
`greedy_start` climbs to a first network, where rows are millions from one found on samples of them (`row_samples`);
`best_moves` leads to the other basins (`basins`) that the search over orders visits. `growing_lists` are the lists,
whose sets `stages.scoring.set_grower` scores once each; small problems are solved on `complete_lists`.

To add an engine, write a class of the protocol `run.PricingEngine` and ``search_data``
(`stages.optimize.result.DataSearch`) beside it, and enter the module in `METHODS`.
"""
