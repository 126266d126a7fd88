"""Plugins of Amness behind the gate: each in a Node process of its own, called over lines of JSON.

`host.py` is the door; the `.mjs` files are what runs in those processes. A plugin's code is never loaded into this
one.
"""
