"""TypeScript's types replaced by blanks, so that what is left is JavaScript at the same lines and columns.

Used at trust, never by a scan; what can't be erased is a fault.
"""
