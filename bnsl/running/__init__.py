"""A call: the function with its parameters, messages, interruptions, errors."""
