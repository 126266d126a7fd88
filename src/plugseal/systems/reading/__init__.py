"""Documents of plugins as data: `reader.py` opens them out of a listing, `units.py` makes a plugin of what was found.

Nothing here knows a client, and no document ends in an exception or in silence.
"""
