"""amber's commands: which plugins there are (`plugins.py`), putting one in its place, using what is permitted.

Nothing starts here but through the gate.
"""
