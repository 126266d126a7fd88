"""Model to text or bytes, pure."""
