"""Agent Plugins 1.0.0: the specification's own verdict on packages.

`system.py` is the door. What a client does differently is never mixed in: it stands with that client, e.g. in
`systems/lingtai`.
"""
