"""Signed reviews: who may sign, making receipts, and the steps of verifying them.

`sign.py` makes a receipt, `judge.py` judges one, `reviews.py` all of a team together. No key is made, tried or
believed unless somebody named it.
"""
