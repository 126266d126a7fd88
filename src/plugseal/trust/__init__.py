"""What was reviewed, trusted and enabled, and the bounded trail of it.

`store.py` is the door, `transitions.py` the pure state machine, `trail.py` the trail. Only the standard library is
used, since the gate loads it. What can't be believed is trusted by nobody and never repaired.
"""
