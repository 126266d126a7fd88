"""Bytes of a Python file to a tree, or the reason why there is none: coding, limits, the interpreter's own parser.

Nothing is said about what the code does; nothing here is asked twice for one file.
"""
