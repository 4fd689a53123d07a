"""Our own files: JSON lines with a header and a record per variable; resuming and merging of partial runs."""
