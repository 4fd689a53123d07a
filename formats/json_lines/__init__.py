"""Our own files: JSON lines with a header and a record per variable; parts of a run put together and gone on with."""
