"""Data to bytes and back: strict parsers of JSON, TOML and YAML, canonical JSON, hashes of trees, signed envelopes.

What two parsers could read differently is refused. Nothing here opens a file, knows a plugin or judges what data
means.
"""
