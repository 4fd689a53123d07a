"""Results as text to read."""
