"""From a tree's bytes to an inventory: discover, read, match, count. Pure but for its own workers."""
