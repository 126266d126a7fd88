"""Amness: plugin files in a host's own process.

`system.py` is the door. What a file exports is read from its text; no file is ever loaded.
"""
