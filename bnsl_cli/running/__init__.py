"""How a command runs: its frame, messages, signals, exit codes."""
