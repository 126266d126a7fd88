"""Shell scripts and lines: sh, bash, dash, ksh, zsh, and of fish what it shares with these.

`reader.py` is the door. Variables are folded where they can be; what a program does by its words is looked up in
`lang/programs`. Nothing is expanded by a shell, and nothing is run.
"""
