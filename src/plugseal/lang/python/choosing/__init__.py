"""Which names of a Python file can lead to something that matters, by the way things are written.

What is left out here is never resolved, so a short cut must leave every fact as it was.
"""
