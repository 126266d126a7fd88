"""The second parser: libcst reads what this interpreter's `ast` refuses, and its tree becomes an `ast` one.

It runs in a limited worker only, never in the main process: a native stack overflow ends the process it happens in.
"""
