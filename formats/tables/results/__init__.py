"""Tables that stages write: entropies, arc probabilities, results."""
