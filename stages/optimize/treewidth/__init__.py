"""Searches among listed sets for networks whose moral graph has at most a given treewidth.

Every network found lies within a k-tree, so the reverse of the order along which that was built certifies the
width. Methods: `kg`, `kastar` and `kmax` (Scanagatta et al. 2016, 2018) build k-trees along sampled orders, `s2`
and `s2plus` (Nie et al. 2015, 2016) draw or grow k-trees by mutual information and solve them, `asobs` and `ils`
search over orders locally, `forest` is exact for treewidth 1. What they share: `problem` prepares the lists, with
the demands of `fixed_records`; `batches` evaluates samples, `annealing` and `slim` search locally, `ktree_dp`
solves one k-tree, `informative_score` guides `s2` and `s2plus`.

To add a method that samples, derive from `batches.OrderStream`; then enter it in `METHODS`.
"""
