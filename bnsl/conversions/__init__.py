"""What a conversion is of, and what it makes: networks, their parts and classes, pictures, parent sets, rows."""
