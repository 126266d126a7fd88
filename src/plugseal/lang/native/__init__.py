"""Machine code: which functions and libraries a program asks of the system, as far as its tables say so.

One module for each format, `imports.py` for what the names may do. No instruction is looked at, so every fact is only
*possible*.
"""
