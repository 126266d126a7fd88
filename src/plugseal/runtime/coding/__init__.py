"""Coding's plugins behind the gate: the contract, its validation, a transport over stdio, and a host for many.

`host.py` is the door, `contract.py` what both sides promise. Nothing starts that the gate did not admit.
"""
