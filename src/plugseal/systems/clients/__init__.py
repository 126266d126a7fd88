"""Clients of one file each: plugins and working folders of Antigravity, Goose, Grok, Hermes, Kiro, Pi and their like.

`layouts.py` has those that took over the layout of Claude Code. A client of several files has a room of its own, and
no file here uses another, but for a successor that reads what its forerunner did.
"""
