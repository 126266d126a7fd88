"""Rules over what was read, and findings from where they fire.

`match.py` is the door, the other `match_*.py` are what single events can't show. Facts are neither made nor changed
here.
"""
