"""Methods published by others, one folder a paper (or a line of papers on one idea).

The main road (`stages.parentsets`, `stages.optimize`) imports nothing from here. The tables of methods find these
folders by entry points (pyproject.toml), as they find methods of other packages; see `stages.methods`. A folder's
``__init__`` declares its methods in ``SEARCHES`` (for `stages.optimize`) or ``SELECTIONS`` (for `stages.parentsets`)
and imports nothing heavy. ``kernels`` holds compiled code that folders share; `order_restarts` runs searches that
restart from initial orders, `batches` runs searches that evaluate orders or k-trees under a treewidth bound.
"""
