"""The gate: the only door by which anything of a plugin starts.

`gate.py` admits or refuses, `plan.py` says what would start, `child.py` starts it, `relay.py` stands between it and
its client; the rooms below speak the protocols of single systems. Only the standard library is used, and nothing here
reads a manifest: launch data comes from the reviewed capability document.
"""
