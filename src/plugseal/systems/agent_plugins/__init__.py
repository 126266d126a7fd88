"""Agent Plugins 1.0.0: the specification's own verdict on packages."""
