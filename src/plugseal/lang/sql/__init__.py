"""SQL: what statements do beyond the data of their own database."""
