"""Plugin systems and clients: which files make a plugin, what its manifest starts, what its rules are.

`system.py` is the interface and `registry.py` the list. Each system has a room, or a module in `clients/`; what systems
share stands in `launching/`, `reading/` and `components/`, of which each uses only those before it, and none of them a
system. A system sees names and kept manifests alone: it opens no file, runs nothing, and knows nothing of findings.
"""
