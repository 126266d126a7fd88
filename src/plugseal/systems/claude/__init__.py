"""Claude Code: plugins, marketplaces, and the configuration of working folders.

`system.py` is the door. Other clients take over its layout; what they share does not stand here but in
`systems/components/parts.py`.
"""
