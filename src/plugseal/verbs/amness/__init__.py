"""Commands for plugins of Amness: find them, put one into a project, and load those that are permitted (`load.py`).

None is loaded whose file is not the one that was trusted.
"""
