"""Codewhale: bundles as two of its versions see them.

`system.py` is the door. Its receipts are made in `encode/codewhale.py`, and nothing of a bundle starts here.
"""
