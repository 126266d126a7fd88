"""One module for each command or family: take parsed arguments, call one verb, render, return the exit code.

`table.py` says what each command takes and what its help says, `topics.py` in which order help shows them. A module
here is imported only when its command is called, and never reads a plugin itself.
"""
