"""Languages: the bytes of one file to facts about what it can do.

`registry.py` names the languages, `classify.py` decides by content which reader a file belongs to, and each language
has a folder or a module. A reader is a pure function of bytes: it never runs anything, opens another file or raises.
"""
