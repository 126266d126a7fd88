"""Commands for plugins of Coding: one call by hand (`calls.py`), or all their tools for a client (`serve.py`).

None is started but through the gate.
"""
