"""Searches on data that find orders and candidate sets in turn (column generation by sampling).

`unbounded` searches orders on the lists at hand and grows sets near the best one, at times elsewhere (`visits`),
where `best_moves` of single variables lead with sets grown on demand;
`treewidth` does so with k-trees and within their cliques. `greedy_start` climbs to a first network, where rows are
millions from one found on samples of them (`row_samples`); `growing_lists` are the lists, whose sets
`stages.scoring.set_grower` scores once each.

To add a method, derive from `unbounded.Pricing` and override how it searches and where it grows, write
``search_data`` (`stages.optimize.result.DataSearch`) and enter it in `METHODS`.
"""
