"""Coding: plugins behind the Go contract.

`system.py` is the door. What the contract checks stands in `rules.py`; nothing of a plugin starts here.
"""
