"""What plugins of many systems are made of: servers, hooks, tools, prose, settings, marketplaces.

`parts.py` is where most clients begin. Each says its keys, places and gates itself: nothing here knows a client.
"""
