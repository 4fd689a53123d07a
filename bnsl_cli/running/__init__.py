"""How a command runs: its options and help pages in click, and outputs that overwrite no input."""
