"""JavaScript, TypeScript, JSX and TSX: bytes to facts, by tree-sitter and a resolver of our own.

`reader.py` is the door. `collect.py` notes what a file names, `resolve.py` follows names to values, `judge.py` looks
them up in `tables/`. Beside it stand `exports.py`, which reads what an Amness file exports, and `erase.py`, which
takes types away at trust. Nothing of what is read is ever run.
"""
