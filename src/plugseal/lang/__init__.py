"""Languages: source bytes to facts. Pure; nothing of the source is run."""
