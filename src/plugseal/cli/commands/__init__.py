"""One module for each command: take parsed arguments, call one verb, render, say the exit code."""
