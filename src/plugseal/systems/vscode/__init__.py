"""VS Code: the `.vscode` of a working folder, and workspace files.

`system.py` is the door. What it would start is told with what it asks of the user first; nothing is started here.
"""
