"""Python: bytes to facts, by the standard `ast` and a resolver of our own. Nothing of what is read is ever run."""
