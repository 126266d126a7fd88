"""What was reviewed, trusted and enabled, and the bounded trail of it. Standard library only: the gate loads it."""
