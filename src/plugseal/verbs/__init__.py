"""One function for each thing that a user asks for: it composes the parts, and returns data of the model.

A verb raises only errors of ours. It never prints, parses a command line or knows an exit code.
"""
