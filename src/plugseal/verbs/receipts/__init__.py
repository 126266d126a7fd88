"""Signed receipts and those who sign them: make one (`sign.py`), verify many (`verify.py`), keys, teams, rotation.

No network is asked, and no key leaves its file.
"""
