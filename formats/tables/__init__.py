"""Tables: data of any format on their way from labels to states, and entropy tables."""
