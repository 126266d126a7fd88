"""amber's protocol behind the gate: JSON lines, one process for each plugin, tools and nothing else.

`host.py` is the door, `session.py` one started plugin, `confine.py` what its arguments may name. Nothing starts that
the gate did not admit.
"""
