"""The only reader of plugin files: a directory, a file or an archive becomes one `Tree`.

`read.py` is the door. Every file is read once, within bounds, and no link is followed. Nothing here parses what a
file says, and nothing of it is run.
"""
