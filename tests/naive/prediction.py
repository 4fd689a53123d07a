"""Predictions of one variable judged row by row, by listing all states."""

from __future__ import annotations

import math

from naive.inference import joint_table, probability, restricted


def judged(network, codes, is_hidden, target, n_bins):
    """The measures of `stages.evaluate.prediction`; None for the log-loss if a state was held impossible."""
    joint = joint_table(network)
    n_states = joint.shape[target]
    answers = []
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
        answers.append((truth, best, distribution))
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
        **judged_states(answers, network.variables[target].known_states),
        "target_calibration": [binned(step, n_bins, b) for step, b in enumerate(bins) if b],
        "target_curve": curves(answers, network.variables[target].known_states),
    }


def binned(step, n_bins, found):
    """Rows, mean probability and accuracy of a bin: pairs of probability and whether it is right."""
    means = {"probability": sum(p for p, _ in found), "accuracy": sum(right for _, right in found)}
    limits = {"from": step / n_bins, "below": (step + 1) / n_bins, "rows": len(found)}
    return {**limits, **{name: value / len(found) for name, value in means.items()}}


def curves(answers, states):
    """Every state's points: rows counted anew at each of its probabilities, from the largest down."""
    points = []
    for state, label in enumerate(states):
        shown, others = ([d[state] for t, _, d in answers if (t == state) == is_it] for is_it in (True, False))
        for threshold in sorted({round(p, 12) for p in shown + others}, reverse=True):
            true, false = (sum(round(p, 12) >= threshold for p in part) for part in (shown, others))
            rates = {"recall": true / len(shown) if shown else None}
            rates |= {
                "false_positive_rate": false / len(others) if others else None,
                "precision": true / (true + false),
            }
            counts = {"true_positives": true, "false_positives": false}
            least = min(p for p in shown + others if round(p, 12) >= threshold)
            points.append({"state": label, "threshold": least, **counts, **rates})
    return points


def judged_states(answers, states):
    """What is told of each state: `answers` are observed and predicted state and the distribution of each row."""

    def share(of, among):
        return len(of) / len(among) if among else None

    def area(state):
        shown, others = ([d[state] for t, _, d in answers if (t == state) == is_it] for is_it in (True, False))
        wins = [1.0 if p > q + 1e-13 else 0.5 if p > q - 1e-13 else 0.0 for p in shown for q in others]
        return sum(wins) / len(wins) if wins else None

    found, confusion = [], []
    for state, label in enumerate(states):
        shown, predicted = ([a for a in answers if a[place] == state] for place in (0, 1))
        right = [a for a in shown if a[1] == state]
        found.append({"state": label, "rows": len(shown), "recall": share(right, shown)})
        found[-1] |= {"precision": share(right, predicted), "roc_area": area(state)}
        for other, name in enumerate(states):
            if rows := sum(b == other for _, b, _ in shown):
                confusion.append({"observed": label, "predicted": name, "rows": rows})
    means = {}
    for name in ("recall", "precision", "roc_area"):
        known = [each[name] for each in found if each[name] is not None]
        means[f"target_{name}"] = sum(known) / len(known) if known else None
    return {**means, "target_states": found, "confusion": confusion}
