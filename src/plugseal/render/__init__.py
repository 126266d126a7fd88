"""Results to text: lines for a terminal, JSON, SARIF, Markdown, HTML, GitHub's annotations.

One module for each thing that is shown. All of it is pure: nothing here reads a file, asks a terminal or decides; a
plugin's own words pass through `shown()` or the escapes of their format.
"""
