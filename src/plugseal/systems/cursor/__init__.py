"""Cursor: plugins, marketplaces, and the `.cursor` of a working folder.

`system.py` is the door. Plugins of other makers that it takes too are never read here, but where they are at home.
"""
