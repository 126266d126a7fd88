"""Rules: one TOML file each. Load, validate, compile to plain data; matching is in `scan/matching/match.py`."""
