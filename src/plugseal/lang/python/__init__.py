"""Python: bytes to facts, by the standard `ast` and a resolver of our own.

`reader.py` is the door, `analysis.py` the order of work: collect names, resolve them to values, judge those by
`tables/`. `cst/` is the second parser, for syntax newer than this interpreter. Nothing of what is read is ever run or
imported.
"""
