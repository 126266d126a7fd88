"""Say what an AI-agent plugin can do, whether it is exactly what was reviewed, and whether it may start."""

__version__ = "0.1.0"
