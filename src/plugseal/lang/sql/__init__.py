"""SQL: what statements do beyond the data of their own database (files, programs, libraries, connections).

`reader.py` is the door. What a statement does to rows and tables is nobody's business here.
"""
