"""How numeric columns are cut into intervals."""
