"""Tables: data of all formats and their conversion from labels to states, entropies, arc probabilities, results."""
