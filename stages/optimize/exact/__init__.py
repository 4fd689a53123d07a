"""The best network among listed sets with the proof: dynamic programming, or branch and cut."""
