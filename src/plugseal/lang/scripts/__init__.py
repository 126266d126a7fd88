"""Ruby, Perl, PHP and Lua, only as far as they start programs, talk to the network and run code by resolved names.

`reader.py` is the door, and `engine.py` serves all four by `tables/`. What a name does not tell stays untold: these
readers are narrower than those of Python and JavaScript, and `docs/limits.md` says how.
"""
