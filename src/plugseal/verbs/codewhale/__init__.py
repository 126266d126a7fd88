"""Codewhale's commands over our own trust: bundles by their names, and what active ones offer (`start.py` begins).

Nothing here grants what `trust` and `enable` did not.
"""
