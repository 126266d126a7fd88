"""What the names and expressions of a Python file may stand for: `resolve.py`, lazy and remembered.

Values are immutable (`values.py`) and bounded before they are computed. What a value means is not known here.
"""
