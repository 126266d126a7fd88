"""What a command line starts: its words (`words.py`), the program behind them (`launch.py`), what it fetches.

Text alone is looked at: nothing here asks the machine, the tree or a registry.
"""
