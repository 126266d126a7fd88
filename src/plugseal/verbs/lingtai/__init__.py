"""Commands for an agent of lingtai and its Agent Plugins: what it declares (`agent.py`), and running what is permitted.

Reading a package never starts it.
"""
