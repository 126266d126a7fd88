"""Gemini CLI: extensions, and the `.gemini` of a working folder.

`system.py` is the door. Nothing here is obeyed: a policy that grants is told as a grant.
"""
