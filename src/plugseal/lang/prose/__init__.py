"""Markdown, plain text, markup and notebooks: blocks and sentences, and the code that stands in them.

`reader.py` is the door. A text is read as instructions, which a model obeys, or as documentation, which tells nobody
to do anything; which of the two it is, `scan/instructed.py` decides.
"""
