"""The only reader of plugin files: bounded, never following a link, every file once."""
