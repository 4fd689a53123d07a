"""Options: their types, their declaration, and the records that several functions share."""
