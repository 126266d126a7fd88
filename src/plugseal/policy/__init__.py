"""What a team asks for beyond the built-in rules: policy files, compiled to plain data, and what they say of a scan.

`load.py` finds the gate's policies, `team.py` compiles CI's, `decide.py` judges by them. No policy is ever taken from
the tree that is judged.
"""
