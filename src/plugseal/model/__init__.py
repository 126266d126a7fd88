"""Frozen data that all parts speak: plugins, facts, findings, reviews, trust, policies.

Nothing here opens a file, knows a clock or decides anything. Where a field holds text of a plugin, its docstring says
that it is hostile: only `shown()` brings it to a screen.
"""
