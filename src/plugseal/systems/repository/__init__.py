"""What a repository itself makes others run: its `.git` (`git.py`), and the steps of GitHub Actions.

What package managers and builders run of it does not stand here, but in `systems/tooling`.
"""
