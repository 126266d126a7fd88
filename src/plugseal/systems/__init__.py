"""Plugin systems and clients: which files make a plugin, what its manifest starts, what its rules are.

`system.py` is the interface and `registry.py` the list; each system has a module or a folder. A system sees names and
kept manifests alone: it opens no file, runs nothing, and knows nothing of findings.
"""
