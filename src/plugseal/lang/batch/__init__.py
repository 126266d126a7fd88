"""Batch files of Windows: an own reader that follows carets, variables and blocks."""
