"""The gate: the only door to a process. Standard library alone, since this is what must be right."""
