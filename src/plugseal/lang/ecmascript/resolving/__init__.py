"""What the names and expressions of a script may stand for: `resolve.py`, lazy and remembered, within counted fuel.

Values are immutable (`values.py`) and bounded before they are computed. What a value means is not known here.
"""
