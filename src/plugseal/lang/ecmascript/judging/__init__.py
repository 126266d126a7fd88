"""From the uses of a script's names to facts and events, by the tables.

`examine.py` hands out what was chosen, `uses.py` says what a use is, `judge.py` what it means, `report.py` keeps it.
Nothing is resolved here but through the resolver.
"""
