"""Networks with parameters: rows drawn from them, exact inference by junction trees (`stages.kernels.inference`).

junction_trees        a network prepared for queries: components of hidden variables, their costs, the limit on memory
queries               queries given one piece of evidence: probability, marginals, joint, MAP, MPE, samples
row_queries           queries given each row of a table: probability, prediction, imputation
expected_counts       expected counts of families over incomplete rows, under changing parameters
intervened_networks   the network in which variables are set from outside
interruption          long compiled calls that a signal ends
forward_sampling      random networks, and rows drawn without evidence
likelihood_weighting  approximate queries from weighted samples, where the tables would be too large
"""
