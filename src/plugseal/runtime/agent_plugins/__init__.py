"""Agent Plugins as an agent of lingtai mounts them: registered, discovered, activated, and only then started."""
