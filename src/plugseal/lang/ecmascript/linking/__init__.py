"""What a script gives to others, takes from them and tells them: entry points, calls, links, descriptions.

Names alone decide; none of it adds to what a file can do.
"""
