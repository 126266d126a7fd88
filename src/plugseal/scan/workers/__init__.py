"""plugseal's own processes: limited workers for hostile bytes, a pool for large trees, and what crosses their pipes.

`worker.py` is the parent's side and `worker_child.py` the inside of a worker; `pool.py` is apart from both. No word
of a tree ever stands on a command line.
"""
