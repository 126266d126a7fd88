"""Parse, call one verb, render, exit code. No decisions."""
