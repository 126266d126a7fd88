"""What a script's default export is by its text alone: how hosts of in-process plugins are told what a file offers.

No other file is looked at, and nothing is run.
"""
