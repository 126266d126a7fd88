"""What scans found, kept between scans for speed alone: whatever is wrong with it, a scan goes on without.

`cache.py` keeps single files, `whole.py` whole trees, `store.py` the bytes of both. What ends in a token, a review or
a verdict of CI never asks here.
"""
