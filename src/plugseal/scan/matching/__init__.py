"""Rules over what was read, and findings from where they fire."""
