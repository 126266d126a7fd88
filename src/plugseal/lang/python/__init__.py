"""Python: bytes to facts, by the standard `ast` and a resolver of our own.

`reader.py` is the door, `analysis.py` the order of work, and the order of the rooms: `parsing/` makes a tree,
`collecting/` notes what it names, `resolving/` follows names to values, `choosing/` says which may matter, `judging/`
looks them up in `tables/`, `linking/` tells other files. A room uses those before it alone. `cst/` is the second
parser, for syntax that this interpreter refuses. Nothing of what is read is ever run or imported.
"""
