"""Rules: one TOML file each, in `rules/` of the repository; here they are read, validated and compiled to plain data.

`load.py` is the door. Matching them is the business of `scan/matching`; no rule is ever taken from a scanned tree.
"""
