"""PowerShell: a parser of our own that recovers from any error, folded values, and tables of cmdlets and .NET types.

`reader.py` is the door: `parse.py` to a tree, `collect.py` and `expressions.py` to values, `judge.py` to facts.
Nothing is ever run.
"""
