"""Bytes of a script to tree-sitter's tree in bounded work; the grammars' kinds and fields as numbers.

The one door to the parser. No node is given a meaning here.
"""
