"""From a tree's bytes to an inventory: discover plugins, read every file, match rules, put it all together.

`scanner.py` accounts for each file, `inventory.py` assembles the result. It runs nothing of the tree and writes
nothing but the cache in `kept/`; the only programs are plugseal's own `workers/`.
"""
