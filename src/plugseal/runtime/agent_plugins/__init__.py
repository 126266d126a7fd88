"""Agent Plugins as an agent of lingtai mounts them: registered, discovered, activated, and only then started.

`host.py` is the door. Nothing starts that the gate did not admit.
"""
