"""The second parser: libcst reads what this interpreter's `ast` refuses, and its tree becomes an `ast` one.

It runs in a limited worker only: a native stack overflow ends the process.
"""
