"""Shell scripts and lines: sh, bash, dash, ksh, zsh, and of fish what it shares with these."""
