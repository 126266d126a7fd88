"""lingtai: what its kernel would do with Agent Plugins packages."""
