"""Bytes of a script to its commands: the grammar, what it takes apart wrongly, and one walk that notes.

`script.py` is what the walk finds. What a command does is not known here.
"""
