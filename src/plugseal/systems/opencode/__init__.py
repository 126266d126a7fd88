"""OpenCode: what it loads into its own process from a working folder, and what its configuration starts.

`system.py` is the door. No module of a plugin is loaded here; its commands are read in `prompts.py`.
"""
