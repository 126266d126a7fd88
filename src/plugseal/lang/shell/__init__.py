"""Shell scripts and lines: sh, bash, dash, ksh, zsh, and of fish what it shares with these.

`reader.py` is the door. `parsing/` finds the commands, `words/` folds what they are made of, `judging/` says what they
do; a room uses those before it alone. What a program does by its words is looked up in `lang/programs`. Nothing is
expanded by a shell, and nothing is run.
"""
