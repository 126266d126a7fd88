"""What the words of a script stand for, as far as its own text tells: variables, quotes, substitutions, wildcards.

Nothing is expanded by a shell. What a word means to a program is not known here.
"""
