"""lingtai: what its kernel would do with Agent Plugins packages, beside the specification's own verdict.

`system.py` is the door. An agent's registry is not written here, but by `runtime/agent_plugins`.
"""
