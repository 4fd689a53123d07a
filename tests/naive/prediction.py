"""Predictions of one variable judged row by row, by listing all states."""

from __future__ import annotations

import math

from naive.inference import joint_table, probability, restricted


def judged(network, codes, is_hidden, target, n_bins):
    """The measures of `stages.evaluate.prediction`; None for the log-loss if a state was held impossible."""
    joint = joint_table(network)
    n_states = joint.shape[target]
    losses, squares, bins, n_right, n_impossible = [], [], [[] for _ in range(n_bins)], 0, 0
    for row in range(codes.shape[1]):
        if is_hidden[target][row]:
            continue
        others = {v: int(codes[v][row]) for v in range(len(codes)) if v != target and not is_hidden[v][row]}
        whole = probability(joint, others)
        if whole == 0:
            n_impossible += 1
            continue
        distribution = [restricted(joint, others | {target: state}).sum() / whole for state in range(n_states)]
        truth, best = int(codes[target][row]), max(range(n_states), key=lambda s: (distribution[s], -s))
        losses.append(-math.log(distribution[truth]) if distribution[truth] > 0 else math.inf)
        squares.append(sum((p - (state == truth)) ** 2 for state, p in enumerate(distribution)))
        n_right += best == truth
        bins[min(n_bins - 1, int(distribution[best] * n_bins))].append((distribution[best], best == truth))
    n = len(losses)
    gaps = [abs(sum(right for _, right in b) - sum(p for p, _ in b)) for b in bins]
    return {
        "target_rows": n,
        "accuracy": n_right / n,
        "log_loss": None if math.inf in losses else sum(losses) / n,
        "surprising_rows": losses.count(math.inf),
        "brier_sum": sum(squares) / n,
        "target_calibration_error": sum(gaps) / n,
        "unpredicted_rows": n_impossible,
    }
