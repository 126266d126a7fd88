"""Plugins of Amness behind the gate: each in a Node process of its own, called over lines of JSON."""
