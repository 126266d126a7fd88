"""Names of one file that live in another, and the paths that calls take through a plugin."""
