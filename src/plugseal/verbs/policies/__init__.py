"""What a team allows: judge a repository (`check.py`), pin a policy, draft one, accept what is there.

Judging writes nothing.
"""
