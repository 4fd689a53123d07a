"""Options of functions: how they are annotated, types of their values, and groups that several functions share."""
