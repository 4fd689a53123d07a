"""A call of a function: its options, messages, interruptions, errors."""
