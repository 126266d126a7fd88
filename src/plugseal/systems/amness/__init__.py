"""Amness: plugin files in a host's own process."""
