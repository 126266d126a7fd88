"""Markdown, plain text and what else models read: its blocks, its sentences, and the code that stands in it."""
