"""Frozen data without I/O: what all parts speak."""
