"""Names of one file that live in another, and the paths that calls take through a plugin.

`link.py` hands files to the linker of their language, `reach.py` finds call paths. Nothing is read here that was not
read already, and no call path ever moves a token.
"""
