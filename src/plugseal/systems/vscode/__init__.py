"""VS Code: the `.vscode` of a working folder, and workspace files."""
