"""Repository tooling: what package managers, builders, test runners, shells and editors run of a working folder.

`system.py` is the door. None of these tools is ever asked: their files are read as they are written.
"""
