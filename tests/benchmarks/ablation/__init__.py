"""Ablations: each part of a search is switched off from outside, and what is then lost is measured.

    make ablation [PARTS="walk,groups"] [TABLES="plants,alarm"] [SEEDS="1 2 3"] [LIMIT=60]
    make ablation-table

A part (`parts`) is a patch of the program in the process that runs the task: the product has no switch for it. Every
run is a process of its own, and its limit is counted in seconds of the processor. A run with a part and the run
without it differ in the patch alone; runs of the full program are shared by all parts. Each run adds one line to
`results/ablation.jsonl`, and no run in there is repeated. Runs of the full program also count how often each part
acted: a part that never did is reported as such, and not as a difference.
"""

import os

# Before numpy is loaded: its other threads would count as processor time.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
