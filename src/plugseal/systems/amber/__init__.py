"""amber: plugins that speak JSON lines, by its own rules (`rules.py`) and as its host takes them (`host.py`).

`system.py` is the door. Nothing of a plugin starts here; its host is `runtime/amber`.
"""
