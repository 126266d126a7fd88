"""GitHub Copilot: plugins, marketplaces, and what it reads in the `.github` of a repository.

`system.py` is the door. Steps of GitHub Actions are never read here, but in `systems/repository/github_actions.py`.
"""
