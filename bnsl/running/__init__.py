"""A call of a function: its parameters, messages, interruptions, errors."""
