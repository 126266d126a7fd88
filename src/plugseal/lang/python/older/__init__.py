"""Python 2: its statements are rewritten as Python 3 says the same, so that one reader fits all.

Begin with `parse.py`. Nothing is evaluated here, and no line is moved.
"""
