"""What names, paths and argument lists mean, whichever language they are written in: from a table's rules to facts.

`rules.py` applies a rule, `report.py` gathers what comes of it. Nothing here knows a language.
"""
