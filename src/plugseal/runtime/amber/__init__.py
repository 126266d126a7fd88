"""amber's protocol behind the gate: JSON lines, one process for each plugin, tools and nothing else."""
