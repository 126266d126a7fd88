"""What a Python file gives to others, takes from them and tells them: exports, entry points, calls, descriptions.

Names alone decide; none of it adds to what a file can do.
"""
