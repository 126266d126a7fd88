"""Batch files of Windows: a reader of our own that follows carets, variables and blocks.

`reader.py` is the door. What a program in a line can do is looked up in `lang/programs`; nothing is run.
"""
