"""Processes of our own that read hostile bytes, and what crosses their pipes."""
