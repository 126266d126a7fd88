"""The command line: words to arguments, one verb, its result rendered, an exit code.

`main.py` is the entry, `commands/table.py` holds every command with its help, and each command has a module in
`commands/`. Nothing is decided here: what is read, judged or written is a verb's business.
"""
