"""JavaScript and TypeScript: what their files export, read from the syntax tree and never by running them."""
