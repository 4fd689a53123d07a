"""Orders of variables on candidate lists."""
