"""Claude Code: plugins, marketplaces, and the configuration of working folders."""
