"""AppleScript: what a script starts, reads, sends and asks for, by its words in their order.

`reader.py` is the door for files; programs that are given a script ask `acts.py`. Nothing is run, and no
application is asked what its words mean.
"""
