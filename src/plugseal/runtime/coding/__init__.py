"""Coding's plugins behind the gate: the contract, its validation, a transport over stdio, and a host for many."""
