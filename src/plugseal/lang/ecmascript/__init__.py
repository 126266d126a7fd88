"""JavaScript, TypeScript, JSX and TSX: bytes to facts, by tree-sitter and a resolver of our own.

`reader.py` is the door, `analysis.py` the order of work, and the order of the rooms: `parsing/` makes a tree,
`collecting/` notes what it names, `resolving/` follows names to values, `choosing/` says which may matter, `judging/`
looks them up in `tables/`, `linking/` tells other files. A room uses those before it alone. Beside them stand
`exporting/`, which reads what a file offers its host, and `erasing/`, which takes types away at trust. Nothing of what
is read is ever run.
"""
