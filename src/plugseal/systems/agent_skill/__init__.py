"""Agent skills: folders with `SKILL.md` that no plugin describes as its own.

`system.py` is the door. What one client alone reads of a skill never stands here, but with that client.
"""
