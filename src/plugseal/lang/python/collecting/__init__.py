"""What a Python file names, noted in one walk by scope, as it stands in the source.

`collect.py` walks, `scope.py` is what it fills. Nothing is resolved, and no table is asked.
"""
